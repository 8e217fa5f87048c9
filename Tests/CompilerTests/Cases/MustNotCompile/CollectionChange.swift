import RealmSwift

// not Sendable

private func conforms() {
  // expected-error@+1 {{conformance of 'RealmCollectionChange<CollectionType>' to 'Sendable' is unavailable}}
  requireSendable(RealmCollectionChange<Results<Person>>.self)
}

private func isCaptured(_ value: RealmCollectionChange<Results<Person>>) {
  inBackground {
    // expected-error@+1 {{capture of 'value' with non-Sendable type 'RealmCollectionChange<Results<Person>>' in a '@Sendable' closure}}
    _ = value
  }
}
