import RealmSwift

// thread-confined

private func conforms() {
  // expected-error@+1 {{conformance of 'Results<Element>' to 'Sendable' is unavailable}}
  requireSendable(Results<Person>.self)
}

private func isCaptured(_ value: Results<Person>) {
  inBackground {
    // expected-error@+1 {{capture of 'value' with non-Sendable type 'Results<Person>' in a '@Sendable' closure}}
    _ = value
  }
}
