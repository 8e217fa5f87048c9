import RealmSwift

// The ways across

private func byReference(_ person: Person) {
  let reference = ThreadSafeReference(to: person)
  inBackground {
    guard let realm = try? Realm(), let person = realm.resolve(reference) else { return }
    _ = person.name
  }
}

private func byWrapper(_ object: Person) {
  @ThreadSafe var person = object
  inBackground { [_person] in _ = _person.wrappedValue?.name }
}

private func byParameter(@ThreadSafe _ person: Person?) {
  inBackground { [_person] in _ = _person.wrappedValue?.name }
}

private func byKey(_ id: ObjectId) {
  inBackground { _ = try? Realm().object(ofType: Person.self, forPrimaryKey: id) }
}

/// What is frozen may be read anywhere, which the compiler cannot know: the program vouches for it.
private func frozen(_ person: Person) {
  nonisolated(unsafe) let frozen = person.freeze()
  inBackground { _ = frozen.name }
}

extension Archive {
  /// References may be passed to an actor, which opens a realm of its own.
  fileprivate func rename(_ reference: ThreadSafeReference<Person>) async throws -> String {
    let realm = try await Realm.open()
    return try await realm.asyncWrite {
      let person = realm.resolve(reference)
      person?.name = "Ada"
      return person?.name ?? ""
    }
  }
}

private func toAnActor(_ person: Person, _ archive: Archive) async throws -> String {
  try await archive.rename(ThreadSafeReference(to: person))
}

/// Realms of the main actor stay usable there after suspension points.
@MainActor
private func onTheMainActor() async throws -> Int {
  let realm = try await Realm()
  try await realm.asyncWrite { realm.add(Person()) }
  await Task.yield()
  return realm.objects(Person.self).count
}

/// Observing on an actor gives the block things of that actor.
@MainActor
private func observing(_ archive: Archive, _ people: Results<Person>) async -> NotificationToken {
  await people.observe(on: archive) { archive, change in
    if case .initial(let people) = change { archive.kept = people.count }
  }
}
