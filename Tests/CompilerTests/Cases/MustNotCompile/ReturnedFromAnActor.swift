import RealmSwift

// An object that an actor hands out

extension Archive {
  fileprivate var person: Person? { kept as? Person }
}

@MainActor
private func isReturned(_ archive: Archive) async {
  // expected-error@+1 {{non-Sendable type 'Person?' of property 'person' cannot exit}}
  _ = await archive.person
}
