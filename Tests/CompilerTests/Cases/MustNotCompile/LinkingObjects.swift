import RealmSwift

// thread-confined

private func conforms() {
  // expected-error@+1 {{conformance of 'LinkingObjects<Element>' to 'Sendable' is unavailable}}
  requireSendable(LinkingObjects<Person>.self)
}

private func isCaptured(_ value: LinkingObjects<Person>) {
  inBackground {
    // expected-error@+1 {{capture of 'value' with non-Sendable type 'LinkingObjects<Person>' in a '@Sendable' closure}}
    _ = value
  }
}
