import RealmSwift

// thread-confined

private func conforms() {
  // expected-error@+1 {{conformance of 'Realm' to 'Sendable' is unavailable}}
  requireSendable(Realm.self)
}

private func isCaptured(_ value: Realm) {
  inBackground {
    // expected-error@+1 {{capture of 'value' with non-Sendable type 'Realm' in a '@Sendable' closure}}
    _ = value
  }
}
