import RealmSwift

// thread-confined

private func conforms() {
  // expected-error@+1 {{conformance of 'AnyRealmCollection<Element>' to 'Sendable' is unavailable}}
  requireSendable(AnyRealmCollection<Person>.self)
}

private func isCaptured(_ value: AnyRealmCollection<Person>) {
  inBackground {
    // expected-error@+1 {{capture of 'value' with non-Sendable type 'AnyRealmCollection<Person>' in a '@Sendable' closure}}
    _ = value
  }
}
