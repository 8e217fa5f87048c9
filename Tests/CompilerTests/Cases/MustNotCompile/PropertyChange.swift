import RealmSwift

// not Sendable

private func conforms() {
  // expected-error@+1 {{conformance of 'PropertyChange' to 'Sendable' is unavailable}}
  requireSendable(PropertyChange.self)
}

private func isCaptured(_ value: PropertyChange) {
  inBackground {
    // expected-error@+1 {{capture of 'value' with non-Sendable type 'PropertyChange' in a '@Sendable' closure}}
    _ = value
  }
}
