import Dispatch
import Foundation
import RealmSwift

// The rest of docs/API.md: what programs name as types and constraints, and the forms of functions
// that PublicNames.swift does not call.

private func blocks(_ realm: Realm, _ migration: Migration) {
  let changed: NotificationBlock = { (notification: Realm.Notification, realm: Realm) in
    _ = (notification.rawValue, realm)
  }
  let token: NotificationToken = realm.observe(changed)
  let stopped: Bool = token.invalidate()
  let each: MigrationObjectEnumerateBlock = { old, new in _ = (old, new) }
  migration.enumerateObjects(ofType: "Cat", each)
  let block: MigrationBlock = { (_: Migration, _: UInt64) in }
  let task: Realm.AsyncOpenTask = Realm.asyncOpen { (_: Result<Realm, any Error>) in }
  task.cancel()
  _ = (block, stopped)
}

private func fetched<E: RealmFetchable>(_ realm: Realm, _: E.Type) -> Results<E> {
  realm.objects(E.self)
}

private func confined<T: ThreadConfined>(_ value: T) -> ThreadSafeReference<T> {
  _ = (value.realm, value.isInvalidated, value.isFrozen, value.freeze(), value.thaw())
  return ThreadSafeReference(to: value)
}

private func constraints(_ realm: Realm, _ cat: Cat) {
  func collection<C: RealmCollection>(_ values: C) -> Int where C.Element == Cat {
    values.where { $0.age > 1 }.count
  }
  func base<C: RealmCollectionBase>(_ values: C) -> C.ElementType.Type { C.ElementType.self }
  func keyed<C: RealmKeyedCollection>(_ map: C) -> ([C.Key], [C.Value]) { (map.keys, map.values) }
  func sectioned<S: RealmSectionedResult>(_ sections: S) -> Int { sections.count }
  func projected<P: ProjectionObservable>(_ view: P) -> P.Root { view.rootObject }
  _ = (collection(cat.friends), collection(realm.objects(Cat.self)), base(cat.numbers))
  _ = (keyed(cat.byName), sectioned(realm.objects(Cat.self).sectioned(by: \.age)))
  _ = (projected(CatName(projecting: cat)), fetched(realm, CatName.self), confined(cat.friends))
}

private func iterators(_ cat: Cat, _ cats: Results<Cat>) {
  let positions: [MapIndex] = []
  _ = positions.map(\.offset)
  let entries: RLMMapIterator<SingleMapEntry<String, Cat?>> = cat.byName.makeIterator()
  let pairs: RLMKeyValueIterator<String, Cat?> = cat.byName.asKeyValueSequence().makeIterator()
  let mapper: CollectionElementMapper<Cat> = cat.friends.projectTo
  let names: ProjectedCollection<String> = mapper.name
  let sections: SectionedResults<Int, Cat> = cats.sectioned(by: \.age)
  let section: ResultsSection<Int, Cat> = sections[0]
  let all: SectionedResultsIterator<Int, Cat> = sections.makeIterator()
  let one: SectionIterator<Cat> = section.makeIterator()
  _ = (entries, pairs, names.index(of: "Tom"), names.realm, all, one)
  let change: SectionedResultsChange<SectionedResults<Int, Cat>> = .initial(sections)
  let older: RealmSectionedResultsChange<SectionedResults<Int, Cat>> = change
  _ = older
}

private func queries(_ cats: Results<Cat>) {
  let query = Query<Cat>._constructForTesting()
  let text: Query<Bool> = query.name.contains("t", options: [.caseInsensitive])
  let options: StringOptions = [.caseInsensitive, .diacriticInsensitive]
  let format: (String, [Any]) = (query.age > 1)._constructPredicate()
  _ = (text, format)
  _ = cats.where { $0.name.equals("Tom", options: options) || $0.name.notEquals("Tim") }
  _ = cats.where { $0.name >= "A" && $0.toy.name == "ball" && $0.friends.age.max > 1 }
  _ = cats.where { $0.numbers.max > 1 && $0.numbers.contains(1...2) && $0.numbers != 1 }
  _ = cats.where { $0.any[0] == .int(1) || $0.any["a"] == .int(1) || $0.any.any == .int(1) }
  _ = cats.filter("age BETWEEN {%@, %@} AND TRUEPREDICATE", 1, 2)
  _ = cats.filter(NSCompoundPredicate(andPredicateWithSubpredicates: [NSPredicate(value: true)]))
}

extension Room {
  func actorForms(_ cat: Cat, _ cats: Results<Cat>) async {
    _ = await cat.observe(keyPaths: ["age"], on: self) { _, change in
      let _: ObjectChange<Cat> = change
    }
    _ = await cat.observe(keyPaths: [\Cat.age], on: self) { _, change in
      let _: ObjectChange<Cat> = change
    }
    _ = await cats.observe(keyPaths: ["age"], on: self) { _, change in
      let _: RealmCollectionChange<Results<Cat>> = change
    }
    _ = await cats.observe(keyPaths: [\Cat.age], on: self) { _, _ in }
    _ = await cat.friends.observe(on: self) { _, _ in }
    _ = await cat.rivals.observe(on: self) { _, _ in }
    _ = await cat.byName.observe(keyPaths: ["age"], on: self) { _, change in
      let _: RealmMapChange<Map<String, Cat?>> = change
    }
    _ = await cat.byName.observe(keyPaths: [\Cat.age], on: self) { _, _ in }
    _ = await cats.sectioned(by: \.age).observe(on: self) { _, _ in }
    _ = await CatName(projecting: cat).observe(keyPaths: [\CatName.name], on: self) { _, change in
      let _: ObjectChange<CatName> = change
    }
    _ = await CatName(projecting: cat).observe(keyPaths: ["name"], on: self) { _, _ in }
    if let toy = cat.toy { _ = await toy.observe(on: self) { _, _ in } }
  }

  func opened() async throws -> Realm {
    let realm = try await Realm(configuration: .defaultConfiguration, actor: self)
    try await realm.asyncWrite { realm.deleteAll() }
    return realm
  }
}

actor Room {}
