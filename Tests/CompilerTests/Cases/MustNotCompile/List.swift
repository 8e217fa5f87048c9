import RealmSwift

// thread-confined

private func conforms() {
  // expected-error@+1 {{conformance of 'RLMSwiftCollectionBase' to 'Sendable' is unavailable}}
  requireSendable(List<Dog>.self)
}

private func isCaptured(_ value: List<Dog>) {
  inBackground {
    // expected-error@+1 {{capture of 'value' with non-Sendable type 'List<Dog>' in a '@Sendable' closure}}
    _ = value
  }
}
