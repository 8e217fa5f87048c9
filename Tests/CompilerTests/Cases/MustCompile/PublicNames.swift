import Dispatch
import Foundation
import RealmSwift

// Names every declaration of the public API that programs written for Apple's SDK may use, in the
// order of docs/API.md, from realms to projections: what is missing, or has other parameters, does
// not compile.

private func realms(_ cat: Cat, _ token: NotificationToken) throws {
  let configuration = Realm.Configuration(
    fileURL: URL(fileURLWithPath: "/tmp/x.realm"), inMemoryIdentifier: nil, encryptionKey: nil,
    readOnly: false, schemaVersion: 1, migrationBlock: { _, _ in },
    deleteRealmIfMigrationNeeded: false, shouldCompactOnLaunch: { _, _ in false },
    objectTypes: [Cat.self], seedFilePath: nil)
  _ = Realm.Configuration.defaultConfiguration
  _ = configuration.maximumNumberOfActiveVersions
  let realm = try Realm(configuration: configuration, queue: nil)
  _ = try Realm(queue: nil)
  _ = try Realm(fileURL: URL(fileURLWithPath: "/tmp/x.realm"))
  _ = Realm.asyncOpen(configuration: configuration, callbackQueue: .main) { _ in }
  _ = (realm.schema, realm.configuration, realm.isEmpty, realm.autorefresh, realm.isFrozen)
  _ = (realm.isInWriteTransaction, realm.isPerformingAsynchronousWriteOperations)
  realm.autorefresh = true
  try realm.write(withoutNotifying: [token]) {}
  realm.beginWrite()
  try realm.commitWrite(withoutNotifying: [token])
  realm.cancelWrite()
  let id: AsyncTransactionId = realm.writeAsync({}, onComplete: { _ in })
  _ = realm.beginAsyncWrite {}
  _ = realm.commitAsyncWrite(allowGrouping: true) { _ in }
  try realm.cancelAsyncWrite(id)
  realm.add(cat, update: .modified)
  realm.add([cat], update: .all)
  realm.create(Cat.self, value: ["age": 1], update: .error)
  realm.delete(cat)
  realm.delete([cat])
  realm.delete(cat.friends)
  realm.delete(realm.objects(Cat.self))
  realm.delete(cat.byName)
  realm.deleteAll()
  _ = realm.object(ofType: Cat.self, forPrimaryKey: cat.id)
  _ = realm.resolve(ThreadSafeReference(to: cat))
  _ = realm.observe { (notification: Realm.Notification, _: Realm) in
    _ = notification == .didChange || notification == .refreshRequired
  }
  realm.refresh()
  realm.invalidate()
  _ = (realm.freeze(), realm.thaw(), realm.freeze(cat), realm.thaw(cat))
  _ = realm.freeze(realm.objects(Cat.self))
  try realm.writeCopy(toFile: URL(fileURLWithPath: "/tmp/y.realm"), encryptionKey: nil)
  try realm.writeCopy(configuration: configuration)
  _ = Realm.fileExists(for: configuration)
  _ = try Realm.deleteFiles(for: configuration)
  try Realm.performMigration(for: configuration)
  _ = try schemaVersionAtURL(URL(fileURLWithPath: "/tmp/x.realm"), encryptionKey: nil)
  let behaviour: [Realm.OpenBehavior] = [.never, .always, .once]
  _ = behaviour
}

@MainActor private func asynchronousRealms() async throws {
  let realm = try await Realm(configuration: .defaultConfiguration, downloadBeforeOpen: .never)
  _ = try await Realm.open()
  try await realm.asyncWrite {}
  await realm.asyncRefresh()
}

private func objects(_ cat: Cat) {
  _ = Cat(value: ["age": 1])
  _ = (cat.realm, cat.objectSchema, cat.isInvalidated, cat.description, cat.isFrozen, cat.id)
  _ = (Cat.primaryKey(), Cat.ignoredProperties(), Cat.indexedProperties())
  _ = (Cat.propertiesMapping(), Cat.className(), Cat.shouldIncludeInDefaultSchema())
  cat["age"] = cat["age"]
  _ = (cat.value(forKey: "age"), cat.value(forKeyPath: "friends.@count"))
  cat.setValue(2, forKey: "age")
  _ = cat.observe(keyPaths: ["age"], on: .main) { (_: ObjectChange<Cat>) in }
  _ = cat.observe(keyPaths: [\Cat.age]) { (change: ObjectChange<Cat>) in
    switch change {
    case .error(let error): _ = error as NSError
    case .change(_, let changes): _ = changes.map { ($0.name, $0.oldValue, $0.newValue) }
    case .deleted: break
    }
  }
  _ = (cat.isSameObject(as: nil), cat.freeze(), cat.thaw(), cat == cat, cat.hashValue)
  _ = Toy(value: ["name": "ball"]).isSameObject(as: cat.toy)
}

private func types() throws {
  func generic<T: _Persistable>(_: T.Type) where T.PersistedType: _Indexable & _PrimaryKey {}
  generic(Int.self)
  generic(Mood.self)
  func element<T: RealmCollectionValue & _HasPersistedType>(_: T.Type)
  where T.PersistedType: MinMaxType & AddableType & SortableType & _QueryNumeric {}
  element(Double.self)
  func text<T: _QueryString & _QueryBinary>(_: T.Type) {}
  text(String.self)
  func inside<T: _RealmCollectionValueInsideOptional & _PersistableInsideOptional>(_: T.Type) {}
  inside(UUID.self)
  func key<T: _MapKey & _DefaultConstructible & _RealmSchemaDiscoverable>(_: T.Type) {}
  key(String.self)
  func bridged<T: _ObjcBridgeable>(_: T.Type) {}
  bridged(Int.self)
  func optional<T: OptionalProtocol>(_: T.Type) {}
  optional(Int?.self)
  func links<T: LinkingObjectsProtocol>(_: T.Type) {}
  links(LinkingObjects<Cat>.self)
  func paths<T: KeypathSortable>(_: T.Type) {}
  paths(Cat.self)
  func number<T: MinMaxType & AddableType & _HasPersistedType>(_: T.Type) {}
  number(NSNumber.self)
  func enumeration<T: RealmEnum & RealmOptionalType>(_: T.Type) {}
  enumeration(Mood.self)
  func property<T: RealmPropertyType>(_: T.Type) {}
  property(AnyRealmValue.self)
  func coded<T: OptionalCodingWrapper>(_: T.Type) where T.WrappedType == Int? {}
  coded(Persisted<Int?>.self)
  _ = RealmProperty<Int?>().value
  let number: Int = dynamicBridgeCast(fromObjectiveC: 1)
  _ = dynamicBridgeCast(fromSwift: number)
  _ = _name(for: \Cat.age)
}

private func collections(_ cat: Cat) {
  let list = cat.friends
  _ = (list.realm, list.isInvalidated, list.count, list.description, list.first, list.last)
  _ = (list.isFrozen, list.freeze(), list.thaw(), list.startIndex, list.endIndex)
  _ = (list.index(of: cat), list.index(matching: NSPredicate(format: "age > 1")))
  _ = (list.index(matching: "age > %@", 1), list.index(matching: { $0.age > 1 }))
  _ = (list.objects(at: IndexSet([0])), list.filter("age > 1"), list.where { $0.age > 1 })
  _ = list.filter(NSPredicate(format: "age > 1"))
  _ = list.sorted(by: [SortDescriptor(keyPath: "age", ascending: true).reversed(), "name"])
  _ = list.sorted(by: [RealmSwift.SortDescriptor(keyPath: \Cat.age)])
  _ = (list.sorted(byKeyPath: "age", ascending: false), list.sorted(by: \.age, ascending: false))
  _ = cat.numbers.sorted(ascending: false).distinct()
  _ = (list.distinct(by: ["age"]), list.distinct(by: [\Cat.age]))
  let least: Int? = list.min(ofProperty: "age")
  let most: Int? = list.max(ofProperty: "age")
  let total: Int = list.sum(ofProperty: "age")
  let mean: Double? = list.average(ofProperty: "age")
  _ = (least, most, total, mean)
  _ = (list.min(of: \.age), list.max(of: \.age), list.sum(of: \.age), list.average(of: \.age))
  let average: Double? = cat.numbers.average()
  _ = (cat.numbers.min(), cat.numbers.max(), cat.numbers.sum(), average)
  list.setValue(1, forKey: "age")
  _ = (list.value(forKey: "age"), list.value(forKeyPath: "@max.age"), list.isEqual(list))
  _ = list.observe(keyPaths: ["age"], on: .main) { (change: RealmCollectionChange<List<Cat>>) in
    switch change {
    case .initial(let list): _ = list.count
    case .update(_, deletions: _, insertions: _, modifications: _): break
    case .error: break
    }
  }
  _ = list.observe(keyPaths: [\Cat.age]) { _ in }
  list.append(cat)
  list.append(objectsIn: [cat])
  list.insert(cat, at: 0)
  list.insert(contentsOf: [cat], at: 0)
  list.remove(at: 0)
  list.remove(atOffsets: IndexSet([0]))
  list.removeFirst(1)
  list.removeLast(1)
  list.removeSubrange(0..<1)
  list.replace(index: 0, object: cat)
  list.replaceSubrange(0..<1, with: [cat])
  list.move(from: 0, to: 0)
  list.move(fromOffsets: IndexSet([0]), toOffset: 0)
  list.swapAt(0, 0)
  list[0] = list[0]
  _ = list[0..<1]
  list.removeAll()
  _ = list.projectTo.name
  let set = cat.rivals
  set.insert(cat)
  set.insert(objectsIn: [cat])
  set.remove(cat)
  set.formUnion(set)
  set.formIntersection(set)
  set.subtract(set)
  _ = (set.contains(cat), set.isSubset(of: set), set.intersects(set), set[0], set.index(of: cat))
  _ = set.projectTo.name
  set.removeAll()
  let results: Results<Cat> = list.where { $0.age > 1 }
  _ = (results[0], results == results, AnyRealmCollection(results).count, cat.admirers.count)
  var iterator: RLMIterator<Cat> = results.makeIterator()
  _ = iterator.next()
}

private func maps(_ cat: Cat) {
  let map = cat.byName
  map["a"] = cat
  map.updateValue(cat, forKey: "a")
  map.merge(map) { first, _ in first }
  map.merge([(key: "a", value: cat as Cat?)]) { first, _ in first }
  map.removeObject(for: "a")
  map.removeAll()
  _ = (map.realm, map.isInvalidated, map.count, map.keys, map.values, map.isFrozen)
  _ = (map.freeze(), map.thaw(), map.description, map == map, map.isEqual(map))
  _ = map.filter(NSPredicate(format: "age > 1"))
  _ = map.where { $0.age > 1 }
  _ = map.contains { key, _ in key == "a" }
  for (key, value) in map.asKeyValueSequence() { _ = (key, value) }
  for entry: SingleMapEntry in map { _ = (entry.key, entry.value) }
  _ = (map.sorted(byKeyPath: "age"), map.sorted(by: \.age, ascending: true))
  _ = (map.min(of: \.age), map.max(of: \.age), map.sum(of: \.age), map.average(of: \.age))
  let counts = cat.counts
  let average: Double? = counts.average()
  _ = (counts.min(), counts.max(), counts.sum(), average, counts.sorted(ascending: true))
  _ = map.observe(keyPaths: ["age"], on: .main) { (change: RealmMapChange<Map<String, Cat?>>) in
    switch change {
    case .initial(let map): _ = map.count
    case .update(_, deletions: _, insertions: _, modifications: _): break
    case .error: break
    }
  }
}

private func sections(_ cats: Results<Cat>) {
  let sections: SectionedResults<Int, Cat> = cats.sectioned(by: \.age, ascending: true)
  _ = (sections.allKeys, sections[0], sections[IndexPath(item: 0, section: 0)], sections.count)
  _ = (sections[0].key, sections[0].id, sections[0][0], sections.freeze(), sections.thaw())
  _ = cats.sectioned(by: { $0.age }, sortDescriptors: [SortDescriptor(keyPath: "age")])
  _ = sections.observe(keyPaths: ["age"], on: .main) { change in
    switch change {
    case .initial(let sections): _ = sections.count
    case .update(
      _, deletions: _, insertions: _, modifications: _, sectionsToInsert: _,
      sectionsToDelete: _):
      break
    }
  }
}

private func projections(_ cat: Cat) {
  let name = CatName(projecting: cat)
  _ = (name.rootObject, name.realm, name.isInvalidated, name.isFrozen, name.freeze(), name.thaw())
  _ = (name.name, name.friendNames[0], name.friendNames.count, CatName.className())
  _ = name.observe(keyPaths: ["name"], on: .main) { (_: ObjectChange<CatName>) in }
  _ = name.observe(keyPaths: [\CatName.name]) { (_: ObjectChange<CatName>) in }
}
