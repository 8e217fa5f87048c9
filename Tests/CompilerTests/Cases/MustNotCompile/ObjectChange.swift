import RealmSwift

// not Sendable

private func conforms() {
  // expected-error@+1 {{conformance of 'ObjectChange<T>' to 'Sendable' is unavailable}}
  requireSendable(ObjectChange<Person>.self)
}

private func isCaptured(_ value: ObjectChange<Person>) {
  inBackground {
    // expected-error@+1 {{capture of 'value' with non-Sendable type 'ObjectChange<Person>' in a '@Sendable' closure}}
    _ = value
  }
}
