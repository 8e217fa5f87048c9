import RealmSwift

// not Sendable

private func conforms() {
  // expected-error@+1 {{conformance of 'Migration' to 'Sendable' is unavailable}}
  requireSendable(Migration.self)
}

private func isCaptured(_ value: Migration) {
  inBackground {
    // expected-error@+1 {{capture of 'value' with non-Sendable type 'Migration' in a '@Sendable' closure}}
    _ = value
  }
}
