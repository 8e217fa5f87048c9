import RealmSwift

// An object of one actor in the block that runs on another one

// expected-note@+1 {{class 'Puppy' does not conform to the 'Sendable' protocol}}
private final class Puppy: Object {
  @Persisted var name: String
}

@MainActor
private func isUsedThere(_ dog: Puppy, _ people: Results<Person>, _ archive: Archive) async {
  _ = await people.observe(on: archive) { _, _ in
    // expected-error@+1 {{capture of 'dog' with non-Sendable type 'Puppy' in a '@Sendable' closure}}
    _ = dog.name
  }
}
