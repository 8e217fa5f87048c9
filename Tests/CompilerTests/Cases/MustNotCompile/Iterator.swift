import RealmSwift

// thread-confined

private func conforms() {
  // expected-error@+1 {{conformance of 'RLMIterator<Element>' to 'Sendable' is unavailable}}
  requireSendable(RLMIterator<Person>.self)
}

private func isCaptured(_ value: RLMIterator<Person>) {
  inBackground {
    // expected-error@+1 {{capture of 'value' with non-Sendable type 'RLMIterator<Person>' in a '@Sendable' closure}}
    _ = value
  }
}
