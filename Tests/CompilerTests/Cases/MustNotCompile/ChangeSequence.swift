import RealmSwift

// not Sendable

private func conforms() {
  // expected-error@+1 {{conformance of 'RealmChanges<Change>' to 'Sendable' is unavailable}}
  requireSendable(RealmChanges<ObjectChange<Person>>.self)
}

private func isCaptured(_ value: RealmChanges<ObjectChange<Person>>) {
  inBackground {
    // expected-error@+1 {{capture of 'value' with non-Sendable type 'RealmChanges<ObjectChange<Person>>' in a '@Sendable' closure}}
    _ = value
  }
}
