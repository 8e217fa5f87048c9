import Foundation
import Platform
import Testing

@testable import RealmSwift

/// Counts how often it is made. Only what uses it may make one.
final class CountedModel: Object {
  static let count = LockedValue(0)
  static var made: Int { count.withLock { $0 } }

  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var friend: CountedModel?
  @Persisted var friends: List<CountedModel>

  required override init() {
    super.init()
    Self.count.withLock { $0 += 1 }
  }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Has initialisers of its own beside the overridden one.
private class Vessel: Object, Decodable {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var origin: String

  override init() {
    super.init()
    origin = "made"
  }

  init(id: Int, name: String) {
    super.init()
    self.id = id
    self.name = name
    origin = "named"
  }

  required init(from decoder: any Decoder) throws {
    super.init()
    name = try decoder.singleValueContainer().decode(String.self)
    origin = "decoded"
  }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Tanker: Vessel {
  @Persisted var tons = 7

  convenience init(tons: Int) {
    self.init()
    self.tons = tons
  }
}

/// Can be declared, as in the SDK, though nobody can make one without a name.
private final class Nameless: Object {
  @Persisted var name: String

  init(name: String) {
    super.init()
    self.name = name
  }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// What the library runs of a class's own code, and what it relies on without the compiler's word.
@Suite struct InitialiserTests {
  @Test func modelsMayOverrideInitBesideInitialisersOfTheirOwn() throws {
    let file = TemporaryRealm([Vessel.self, Tanker.self])
    let realm = try file.open()
    try realm.write {
      realm.create(Vessel.self, value: ["id": 1, "name": "a"])
      realm.add(Vessel(id: 2, name: "b"))
      realm.add(Vessel(value: ["id": 3, "name": "c"]))
      #expect(realm.dynamicCreate("Vessel", value: ["id": 4])["origin"] as? String == "made")
      realm.create(Tanker.self, value: ["id": 5])
      realm.add(Tanker(tons: 9))
    }
    #expect(
      realm.objects(Vessel.self).sorted(by: \.id).map(\.origin) == [
        "made", "named", "made", "made",
      ])
    #expect(realm.objects(Tanker.self).sorted(by: \.id).map(\.tons) == [9, 7])
    #expect(realm.objects(Tanker.self).allSatisfy { $0.origin == "made" })
    let decoded = try JSONDecoder().decode([Tanker].self, from: Data(#"["d"]"#.utf8))
    #expect(decoded.map(\.origin) == ["decoded"] && decoded.map(\.tons) == [7])
  }

  @Test func aModelWithoutInitStopsTheProgramWhereOneIsMade() async {
    await #expect(processExitsWith: .failure) {
      _ = try TemporaryRealm([Nameless.self]).open()
    }
  }

  @Test func aClassIsInitialisedOnceForTheLibrary() throws {
    for index in 0..<3 {
      let file = TemporaryRealm([CountedModel.self])
      let realm = try file.open()
      try realm.write { for id in 0..<5 { realm.create(CountedModel.self, value: [id, "a"]) } }
      let made = index == 0 ? 1 + 5 : 5
      #expect(CountedModel.made == made, "one instance for the class, and the objects themselves")
      for round in 0..<5 {
        try realm.write { realm.objects(CountedModel.self)[0].name = "\(round)" }
        #expect(realm.freeze().objects(CountedModel.self)[0].name == "\(round)")
        #expect(realm.objects(CountedModel.self).where { $0.friend.name == "x" }.count == 0)
        #expect(realm.objects(CountedModel.self).sorted(by: \.name).count == 5)
      }
      #expect(realm.objects(CountedModel.self).map(\.id) == [0, 1, 2, 3, 4])
      #expect(_name(for: \CountedModel.friend?.friend?.name) == "friend.friend.name")
      #expect(CountedModel.made == made)
      CountedModel.count.withLock { $0 = 0 }
    }
  }

  @Test func layoutsThatDoNotFitAreNoticed() {
    RuntimeLayouts.check(discovery: true)
    #expect(RuntimeLayouts.problemWithClasses() == nil)
    for offset in stride(from: 0, to: 64, by: 4) where offset != 24 {
      #expect(RuntimeLayouts.problemWithClasses(ClassLayout(instanceSizeOffset: offset)) != nil)
    }
    #expect(RuntimeLayouts.problemWithClasses(ClassLayout(instanceAlignmentMaskOffset: 24)) != nil)
    #expect(RuntimeLayouts.problem(withDiscovered: []) != nil)
    #expect(RuntimeLayouts.problem(withDiscovered: ClassDiscovery.allClasses) == nil)
  }
}
