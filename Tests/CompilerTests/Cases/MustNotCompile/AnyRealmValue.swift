import RealmSwift

// thread-confined

private func conforms() {
  // expected-error@+1 {{conformance of 'AnyRealmValue' to 'Sendable' is unavailable}}
  requireSendable(AnyRealmValue.self)
}

private func isCaptured(_ value: AnyRealmValue) {
  inBackground {
    // expected-error@+1 {{capture of 'value' with non-Sendable type 'AnyRealmValue' in a '@Sendable' closure}}
    _ = value
  }
}
