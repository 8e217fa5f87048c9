import RealmSwift

// not Sendable

private func conforms() {
  // expected-error@+1 {{conformance of 'Query<T>' to 'Sendable' is unavailable}}
  requireSendable(Query<Person>.self)
}

private func isCaptured(_ value: Query<Person>) {
  inBackground {
    // expected-error@+1 {{capture of 'value' with non-Sendable type 'Query<Person>' in a '@Sendable' closure}}
    _ = value
  }
}
