import Foundation
import RealmSwift
import Testing

final class KindTarget: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted(originProperty: "one") var ones: LinkingObjects<KindLinks>
  @Persisted(originProperty: "list") var lists: LinkingObjects<KindLinks>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  convenience init(_ id: Int) {
    self.init()
    self.id = id
    name = "target \(id)"
  }
}

final class KindPart: EmbeddedObject {
  @Persisted var number: Int
  @Persisted var parts: List<KindPart>
  @Persisted(originProperty: "part") var owners: LinkingObjects<KindLinks>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  convenience init(_ number: Int) {
    self.init()
    self.number = number
  }
}

/// Every property that leads to objects, and those of any kind.
final class KindLinks: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var one: KindTarget?
  @Persisted var list: List<KindTarget>
  @Persisted var set: MutableSet<KindTarget>
  @Persisted var map: Map<String, KindTarget?>
  @Persisted var part: KindPart?
  @Persisted var parts: List<KindPart>
  @Persisted var partMap: Map<String, KindPart?>
  @Persisted var any: AnyRealmValue
  @Persisted var anyList: List<AnyRealmValue>
  @Persisted var anySet: MutableSet<AnyRealmValue>
  @Persisted var anyMap: Map<String, AnyRealmValue>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The same for properties that lead to objects, and for values of any kind.
@Suite struct KindLinkTests {
  static let types: [ObjectBase.Type] = [KindLinks.self, KindTarget.self, KindPart.self]

  enum Change: String, CaseIterable {
    case readBack, encrypted, copied, created, updated, frozen, elsewhere, migrated, dynamic
  }

  private func filled(_ file: TemporaryRealm) throws -> Realm {
    let realm = try file.open()
    try realm.write {
      let targets = (0..<3).map(KindTarget.init)
      for id in 0..<2 {
        let links = KindLinks(value: ["id": id])
        links.one = targets[id]
        links.list.append(objectsIn: [targets[2], targets[id], targets[id]])
        links.set.insert(objectsIn: targets)
        links.map["a"] = targets[id]
        links.map["none"] = .some(nil)
        links.part = KindPart(id)
        links.part?.parts.append(KindPart(10 + id))
        links.parts.append(objectsIn: [KindPart(20 + id), KindPart(30 + id)])
        links.partMap["b"] = KindPart(40 + id)
        links.any = .object(targets[id])
        links.anyList.append(objectsIn: [.int(id), .fromArray([.object(targets[2])])])
        links.anySet.insert(objectsIn: [.string("s"), .object(targets[id]), .none])
        links.anyMap["c"] = .fromDictionary(["d": .object(targets[id])])
        realm.add(links, update: .modified)
      }
    }
    return realm
  }

  /// What does not hold of what `filled` has made.
  private func faults(_ realm: Realm) -> [String] {
    realm.objects(KindLinks.self).flatMap { links -> [String] in
      let id = links.id
      let checks: [(String, Bool)] = [
        ("one", links.one?.id == id), ("list", links.list.map(\.id) == [2, id, id]),
        ("set", Set(links.set.map(\.id)) == [0, 1, 2]),
        ("map", links.map["a"]??.id == id && links.map["none"] == .some(.none)),
        ("part", links.part?.number == id && links.part?.parts.first?.number == 10 + id),
        ("parts", links.parts.map(\.number) == [20 + id, 30 + id]),
        ("part map", links.partMap["b"]??.number == 40 + id),
        ("any", links.any.object(KindTarget.self)?.id == id),
        ("any list", links.anyList[0] == .int(id)),
        ("nested", links.anyList[1].listValue?[0].object(KindTarget.self)?.id == 2),
        ("any set", links.anySet.count == 3 && links.anySet.contains(.string("s"))),
        (
          "any map",
          links.anyMap["c"]?.dictionaryValue?["d"]?.object(KindTarget.self)?.id == id
        ),
        ("ones", links.one?.ones.map(\.id) == [id]),
        ("lists", links.one?.lists.map(\.id) == [id, id]),
        ("owners", links.part?.owners.map(\.id) == [id]),
      ]
      return checks.filter { !$0.1 }.map(\.0)
    } + (realm.objects(KindLinks.self).count == 2 ? [] : ["count"])
      + (realm.objects(KindTarget.self).count == 3 ? [] : ["targets"])
  }

  @Test(arguments: Change.allCases)
  func `links of every kind are kept`(_ change: Change) throws {
    let file = TemporaryRealm(
      Self.types, key: change == .encrypted ? Data(repeating: 3, count: 64) : nil)
    try autoreleasepool {
      let realm = try filled(file)
      #expect(faults(realm) == [], "before \(change)")
      try apply(change, realm, file)
    }
    #expect(faults(try file.open()) == [], "after \(change)")
  }

  private func apply(_ change: Change, _ realm: Realm, _ file: TemporaryRealm) throws {
    let all = realm.objects(KindLinks.self)
    switch change {
    case .readBack, .encrypted: break
    case .copied:
      let url = file.directory.appendingPathComponent("copy.realm")
      try realm.writeCopy(toFile: url)
      var configuration = file.configuration
      configuration.fileURL = url
      #expect(faults(try Realm(configuration: configuration)) == [])
    case .created:
      let other = try TemporaryRealm(Self.types).open()
      try other.write {
        for links in all { other.create(KindLinks.self, value: links, update: .modified) }
      }
      #expect(faults(other) == [])
    case .updated:
      try realm.write {
        for links in all { realm.create(KindLinks.self, value: links, update: .modified) }
        for links in all { realm.create(KindLinks.self, value: links, update: .all) }
      }
    case .frozen:
      let frozen = realm.freeze()
      try realm.write { realm.deleteAll() }
      #expect(faults(frozen) == [] && realm.isEmpty)
      try realm.write {
        for links in frozen.objects(KindLinks.self) {
          realm.create(KindLinks.self, value: links, update: .modified)
        }
      }
    case .elsewhere:
      let reference = ThreadSafeReference(to: all[0].list)
      let thread = LoopThread(name: "elsewhere")
      thread.performAndWait {
        let realm = try! file.open()
        #expect(faults(realm) == [] && realm.resolve(reference)?.count == 3)
      }
      thread.join()
    case .migrated: break
    case .dynamic:
      try realm.write {
        for links in realm.dynamicObjects("KindLinks") {
          let value = links.dynamicList("list")
          links["list"] = Array(value)
          links["one"] = links["one"]
          links["map"] = ["a": links["one"], "none": nil] as [String: Any?]
        }
      }
    }
    if change == .migrated { try migrate(file) }
  }

  /// In a file of its own, since the realm is open.
  private func migrate(_ file: TemporaryRealm) throws {
    let url = file.directory.appendingPathComponent("migrated.realm")
    try FileManager.default.copyItem(at: file.configuration.fileURL!, to: url)
    var configuration = file.configuration
    configuration.fileURL = url
    configuration.schemaVersion = 3
    configuration.migrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: "KindTarget") { old, new in
        new!["name"] = "\(old!["name"]!) migrated"
      }
    }
    let realm = try Realm(configuration: configuration)
    #expect(faults(realm) == [])
    #expect(realm.objects(KindTarget.self).allSatisfy { $0.name.hasSuffix("migrated") })
  }

  @Test func `links of every kind are found`() throws {
    let realm = try filled(TemporaryRealm(Self.types))
    let all = realm.objects(KindLinks.self)
    let target = realm.object(ofType: KindTarget.self, forPrimaryKey: 1)!
    let found: [(String, Results<KindLinks>)] = [
      ("one", all.where { $0.one == target }), ("one id", all.where { $0.one.id == 1 }),
      ("list", all.where { $0.list.contains(target) }),
      ("list id", all.where { $0.list.id == 1 }), ("in", all.where { $0.one.in([target]) }),
      ("map", all.where { $0.map.contains(target) }),
      ("key", all.where { $0.map["a"].id == 1 }), ("part", all.where { $0.part.number == 1 }),
      ("inner part", all.where { $0.part.parts.number == 11 }),
      ("parts", all.where { $0.parts.number == 31 }),
      ("part map", all.where { $0.partMap["b"].number == 41 }),
      ("any", all.where { $0.any == .object(target) }),
      ("any list", all.where { $0.anyList.contains(.int(1)) }),
      ("any set", all.where { $0.anySet.contains(.object(target)) }),
      ("any map", all.where { $0.anyMap["c"]["d"] == .object(target) }),
      ("string", all.filter("one == %@ AND ANY list == %@", target, target)),
      ("any string", all.filter("#any == %@", target)),
      ("sum", all.filter("list.@sum.id == 4")), ("max", all.filter("parts.@max.number == 31")),
      ("links", all.filter("one.ones.@count == 1 AND one.id == 1")),
    ]
    for (name, results) in found { #expect(results.map(\.id) == [1], "\(name)") }
    #expect(all.filter("SUBQUERY(list, $t, $t.id == 1).@count == 2").map(\.id) == [1])
    #expect(all.sorted(byKeyPath: "one.name", ascending: false).map(\.id) == [1, 0])
    #expect(all.sorted(byKeyPath: "part.number").map(\.id) == [0, 1])
    #expect(all[0].parts.sorted(byKeyPath: "number", ascending: false).map(\.number) == [30, 20])
  }

  @Test func `deleting what is linked to leaves nothing of it`() throws {
    let realm = try filled(TemporaryRealm(Self.types))
    let links = realm.objects(KindLinks.self)[1]
    try realm.write { realm.delete(realm.object(ofType: KindTarget.self, forPrimaryKey: 1)!) }
    #expect(links.one == nil && links.list.map(\.id) == [2] && links.set.count == 2)
    #expect(links.map["a"] == .some(.none) && links.any == .none)
    #expect(links.anyMap["c"]?.dictionaryValue?["d"] == AnyRealmValue.none)
    #expect(!links.anySet.contains { $0.object(KindTarget.self) != nil })
    try realm.write { realm.delete(links) }
    #expect(realm.objects(KindLinks.self).count == 1)
  }
}
