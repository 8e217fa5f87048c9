import Foundation
import RealmSwift
import Testing

final class Parcel: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var content: AnyRealmValue
  @Persisted var labels: List<AnyRealmValue>
  @Persisted var start = AnyRealmValue.string("start")

  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  convenience init(_ id: Int, _ content: AnyRealmValue = .none) {
    self.init()
    self.id = id
    self.content = content
  }
}

/// Properties and list elements of type `AnyRealmValue`.
@Suite struct AnyRealmValuePropertyTests {
  static let types: [ObjectBase.Type] = TemporaryRealm.types + [Parcel.self]
  private let file = TemporaryRealm(Self.types)

  private let plain: [AnyRealmValue] = [
    .none, .int(-7), .bool(true), .float(1.5), .double(-2.25), .string("héllo"),
    .data(Data([0, 255])), .date(Date(timeIntervalSinceReferenceDate: 12.5)),
    .objectId(ObjectId("0123456789abcdef01234567")), .decimal128("12.50"),
    .uuid(UUID(uuidString: "6FA459EA-EE8A-3CA4-894E-DB77E160355E")!),
  ]

  /// A realm with a parcel for each content, numbered from zero.
  private func realm(_ contents: [AnyRealmValue]) throws -> Realm {
    let realm = try file.open()
    try realm.write {
      for (id, content) in contents.enumerated() { realm.add(Parcel(id, content)) }
    }
    return realm
  }

  private func ids(_ parcels: Results<Parcel>) -> [Int] { parcels.map(\.id) }

  @Test func schemaKnowsTheType() throws {
    let schema = try #require(file.open().schema["Parcel"])
    #expect(schema["content"]?.type == .any)
    #expect(schema["content"]?.isArray == false)
    #expect(schema["labels"]?.type == .any)
    #expect(schema["labels"]?.isArray == true)
  }

  @Test func startsAsNoneOrAsDeclared() throws {
    #expect(Parcel().content == .none)
    #expect(Parcel().start == .string("start"))
    let parcel = try realm([.none]).objects(Parcel.self)[0]
    #expect(parcel.content == .none)
    #expect(parcel.start == .string("start"))
  }

  @Test func everyKindSurvivesReopening() throws {
    try autoreleasepool {
      let realm = try realm(plain)
      try realm.write { realm.objects(Parcel.self)[0].labels.append(objectsIn: plain) }
    }
    let parcels = try file.open().objects(Parcel.self)
    #expect(parcels.map(\.content) == plain)
    #expect(Array(parcels[0].labels) == plain)
  }

  @Test func valuesOfOneKindReplaceThoseOfAnother() throws {
    let realm = try realm([.none])
    let parcel = realm.objects(Parcel.self)[0]
    try realm.write { parcel.labels.append(.none) }
    for value in plain + plain.reversed() {
      try realm.write {
        parcel.content = value
        parcel.labels[0] = value
      }
      #expect(parcel.content == value)
      #expect(parcel.labels[0] == value)
    }
  }

  @Test func unmanagedObjectsAreAddedAndDeletedOnesBecomeNone() throws {
    let realm = try realm([.object(Animal("Rex")), .int(1)])
    let parcel = realm.objects(Parcel.self)[0]
    let rex = realm.objects(Animal.self)[0]
    try realm.write {
      parcel.labels.append(objectsIn: [.int(1), .object(rex), .object(Animal("Mia"))])
    }
    #expect(parcel.content.object(Animal.self)?.name == "Rex")
    #expect(parcel.content.object(Keeper.self) == nil)
    #expect(parcel.labels[2].object(Animal.self)?.name == "Mia")
    #expect(parcel.labels.index(of: .object(rex)) == 1)
    #expect(parcel.labels.index(of: .object(Animal("nobody's"))) == nil)
    #expect(ids(realm.objects(Parcel.self).where { $0.content == .object(rex) }) == [0])
    try realm.write { realm.delete(rex) }
    #expect(parcel.content == .none)
    #expect(parcel.labels[1] == .none)
    #expect(parcel.labels.count == 3)
    #expect(ids(realm.objects(Parcel.self).where { $0.content == .none }) == [0])
  }

  @Test func objectsOfAnotherRealmAreCopied() throws {
    let source = try realm([.object(Animal("Rex")), .object(Keeper(value: [7, "Ann"]))])
    let other = TemporaryRealm(Self.types)
    let target = try other.open()
    for _ in 0..<2 {
      try target.write {
        for parcel in source.objects(Parcel.self) {
          target.create(Parcel.self, value: parcel, update: .modified)
        }
      }
    }
    let copies = target.objects(Parcel.self)
    #expect(copies[0].content.object(Animal.self)?.name == "Rex")
    #expect(copies[1].content.object(Keeper.self)?.name == "Ann")
    #expect(target.objects(Animal.self).count == 2, "one copy for each creation")
    #expect(target.objects(Keeper.self).count == 1)
  }

  @Test func listsOfObjectsOfAnotherRealmAreCopied() throws {
    let types = [House.self, Room.self, Niche.self]
    let (here, there) = (TemporaryRealm(types), TemporaryRealm(types))
    let source = try here.open()
    try source.write {
      let house = source.create(House.self, value: ["number": 1])
      house.rooms.append(Room("a"))
      house.others.append(source.create(House.self, value: ["number": 2]))
    }
    let target = try there.open()
    try target.write {
      target.create(House.self, value: source.object(ofType: House.self, forPrimaryKey: 1)!)
    }
    let copy = target.object(ofType: House.self, forPrimaryKey: 1)
    #expect(copy?.rooms.map(\.name) == ["a"] && copy?.others.map(\.number) == [2])
  }

  @Test func plainValuesConvert() throws {
    let parcel = Parcel(value: ["id": 1, "content": "text", "labels": [1, nil, true, 2.5]])
    #expect(parcel.content == .string("text"))
    #expect(Array(parcel.labels) == [.int(1), .none, .bool(true), .double(2.5)])
    let realm = try realm([])
    try realm.write {
      let made = realm.create(Parcel.self, value: [2, Int8(3), [Animal("Rex")], NSNull()])
      #expect(made.content == .int(3))
      #expect(made.labels[0].object(Animal.self)?.name == "Rex")
      #expect(made.start == .none)
      realm.create(Parcel.self, value: ["id": 2, "content": nil], update: .modified)
      #expect(made.content == .none)
      #expect(made.labels.count == 1)
    }
  }

  @Test func byNameTheValueIsGivenAsWhatItIs() throws {
    let unmanaged = Parcel()
    unmanaged["content"] = 5
    #expect(unmanaged.content == .int(5))
    let realm = try realm([.none])
    let parcel = realm.objects(Parcel.self)[0]
    #expect(parcel["content"] == nil)
    try realm.write { parcel["content"] = "text" }
    #expect(parcel.content == .string("text"))
    #expect(parcel["content"] as? String == "text")
    try realm.write { parcel["content"] = AnyRealmValue.object(parcel) }
    #expect((parcel["content"] as? Parcel)?.id == 0)
    try realm.write { parcel["content"] = nil }
    #expect(parcel.content == .none)
  }

  @Test func descriptionsOfCyclesEnd() throws {
    let realm = try realm([.int(4), .none])
    let parcel = realm.objects(Parcel.self)[0]
    #expect(parcel.description.contains("content = 4;"))
    try realm.write {
      parcel.content = .object(parcel)
      parcel.labels.append(.object(parcel))
    }
    #expect(parcel.description.contains("<Maximum depth exceeded>"))
  }

  @Test func collectionsOtherThanListsAndDictionariesAreRefused() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Parcel(value: ["content": Set([1])])
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("AnyRealmValue can hold arrays and dictionaries"))
  }

  @Test func othersThanStorableTypesAreRefused() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Parcel()["content"] = URL(fileURLWithPath: "/")
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("property 'Parcel.content'"))
  }

  // MARK: - Collections

  private let mixed: [AnyRealmValue] = [
    .int(3), .string("b"), .double(2.5), .none, .decimal128("4.5"), .string("a"), .float(3),
    .date(Date(timeIntervalSinceReferenceDate: 9)),
  ]

  @Test func queriesCompareNumbersByValueAndOthersByKind() throws {
    let parcels = try realm(mixed).objects(Parcel.self)
    #expect(ids(parcels.where { $0.content == .int(3) }) == [0, 6])
    #expect(ids(parcels.where { $0.content != .int(3) }) == [1, 2, 3, 4, 5, 7])
    #expect(ids(parcels.where { $0.content > .int(2) }) == [0, 2, 4, 6])
    #expect(ids(parcels.where { $0.content >= .double(3) }) == [0, 4, 6])
    #expect(ids(parcels.where { $0.content < .decimal128("3") }) == [2])
    #expect(ids(parcels.where { $0.content == .string("a") }) == [5])
    #expect(ids(parcels.where { $0.content == .none }) == [3])
    #expect(ids(parcels.where { $0.content.in([.string("b"), .double(4.5)]) }) == [1, 4])
    #expect(
      ids(parcels.where { $0.content <= .date(Date(timeIntervalSinceReferenceDate: 9)) }) == [7])
  }

  @Test func predicateStringsCompareWithPlainValues() throws {
    let parcels = try realm(mixed).objects(Parcel.self)
    #expect(ids(parcels.filter("content == 3")) == [0, 6])
    #expect(ids(parcels.filter("content BETWEEN {2, 3}")) == [0, 2, 6])
    #expect(ids(parcels.filter("content BEGINSWITH[c] 'B'")) == [1])
    #expect(ids(parcels.filter("content == nil")) == [3])
    #expect(ids(parcels.filter("content IN {%@, %@}", 3, "a")) == [0, 5, 6])
  }

  @Test func queriesLookIntoLists() throws {
    let realm = try realm([.none, .none])
    let parcels = realm.objects(Parcel.self)
    try realm.write { parcels[1].labels.append(objectsIn: mixed) }
    #expect(ids(parcels.where { $0.labels.contains(.string("a")) }) == [1])
    #expect(ids(parcels.where { $0.labels.contains(.string("z")) }) == [])
    #expect(ids(parcels.filter("ANY labels == 2.5")) == [1])
    let labels = parcels[1].labels
    #expect(Array(labels.where { $0 > .int(2) }) == [mixed[0], mixed[2], mixed[4], mixed[6]])
    #expect(labels.where { $0 == .string("b") }.count == 1)
  }

  @Test func sortingPutsNoneThenNumbersThenStringsThenDates() throws {
    let realm = try realm(mixed)
    let parcels = realm.objects(Parcel.self)
    let order = [3, 2, 0, 6, 4, 5, 1, 7]
    #expect(ids(parcels.sorted(by: \.content)) == order)
    #expect(
      ids(parcels.sorted(by: \.content, ascending: false)) == [7, 1, 5, 4, 0, 6, 2, 3])
    try realm.write { parcels[0].labels.append(objectsIn: mixed) }
    #expect(Array(parcels[0].labels.sorted()) == order.map { mixed[$0] })
  }

  @Test func sumsPassOverWhatIsNoNumberAndExtremesOrderAllValues() throws {
    let realm = try realm([.string("z")] + mixed.dropLast() + [.bool(true)])
    let parcels = realm.objects(Parcel.self)
    #expect(parcels.min(of: \.content) == .bool(true), "booleans come before numbers")
    #expect(parcels.max(of: \.content) == .string("z"))
    #expect(parcels.sum(of: \.content) == .decimal128("13.0"))
    #expect(parcels.average(of: \.content) == AnyRealmValue.decimal128("3.25"))
    #expect(parcels.where { $0.content == .string("a") }.max(of: \.content) == .string("a"))
    try realm.write { parcels[0].labels.append(objectsIn: [.string("z")] + mixed) }
    let labels = parcels[0].labels
    #expect(labels.min() == .double(2.5))
    #expect(labels.max() == mixed[7], "dates come after numbers")
    #expect(labels.sum() == .decimal128("13.0"))
    let some = labels.where { $0 < .int(4) }
    #expect(some.min() == .double(2.5))
    #expect(some.max() == .int(3))
    #expect(some.sum() == .decimal128("8.5"))
  }

  // MARK: - Notifications

  @Test func observersGetPlainOldAndNewValues() async {
    let observatory = Observatory(Self.types)
    let box = RealmBox()
    observatory.run { [observatory] realm in
      try realm.write { realm.add(Parcel(0, .int(1))) }
      box.token = realm.objects(Parcel.self)[0].observe { (change: ObjectChange<Parcel>) in
        guard case .change(_, let properties) = change else { return }
        for property in properties {
          observatory.tell(
            "\(property.name): \(Self.words(property.oldValue)), \(Self.words(property.newValue))")
        }
      }
    }
    observatory.writeElsewhere { $0.objects(Parcel.self)[0].content = .string("two") }
    #expect(await observatory.next() == "content: Int 1, String two")
    observatory.writeElsewhere { $0.objects(Parcel.self)[0].content = .none }
    #expect(await observatory.next() == "content: String two, nothing")
    observatory.writeElsewhere { $0.objects(Parcel.self)[0].content = .object(Animal("Rex")) }
    #expect(await observatory.next() == "content: nothing, Rex")
    observatory.writeElsewhere { $0.delete($0.objects(Animal.self)) }
    #expect(await observatory.next() == "content: Rex, nothing")
    observatory.run { _ in box.token = nil }
  }

  private static func words(_ value: Any?) -> String {
    if let animal = value as? Animal { return animal.name }
    return value.map { "\(type(of: $0)) \($0)" } ?? "nothing"
  }

  @Test func listObserversSeeElementsBecomeNone() async {
    let observatory = Observatory(Self.types)
    let box = RealmBox()
    observatory.run { [observatory] realm in
      try realm.write {
        let parcel = Parcel(0)
        parcel.labels.append(objectsIn: [.int(1), .object(Animal("Rex")), .string("x")])
        realm.add(parcel)
      }
      box.token = realm.objects(Parcel.self)[0].labels.observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { $0.delete($0.objects(Animal.self)) }
    #expect(await observatory.next() == "[] [] [1]")
    observatory.writeElsewhere { realm in
      let labels = realm.objects(Parcel.self)[0].labels
      labels.remove(at: 0)
      labels.append(.int(2))
    }
    #expect(await observatory.next() == "[0] [2] []")
    observatory.run { _ in box.token = nil }
  }
}
