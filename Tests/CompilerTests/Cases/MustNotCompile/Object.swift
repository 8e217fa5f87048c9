import RealmSwift

// thread-confined

// expected-note@+1 {{class 'Cat' does not conform to the 'Sendable' protocol}}
private final class Cat: Object {}

private func conforms() {
  // expected-error@+1 {{conformance of 'ObjectBase' to 'Sendable' is unavailable}}
  requireSendable(Cat.self)
}

private func isCaptured(_ value: Cat) {
  inBackground {
    // expected-error@+1 {{capture of 'value' with non-Sendable type 'Cat' in a '@Sendable' closure}}
    _ = value
  }
}
