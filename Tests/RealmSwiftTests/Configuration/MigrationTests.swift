import Foundation
import Storage
import Synchronization
import Testing

@testable import RealmSwift

@Suite struct MigrationTests {
  /// Everything that the checks of the layers below know of.
  private func check(_ realm: Realm) throws {
    #expect(try realm.instance.shared.database.verify().findings.isEmpty)
    #expect(realm.instance.snapshot!.storeFindings().isEmpty)
  }

  @Test func valuesAreCarriedOverMovedAndRenamed() throws {
    let file = try MigrationFile()
    let realm = try Realm(configuration: file.new(MigrationFile.block))
    let people = realm.objects(PersonV2.self).sorted(by: \.fullName)
    #expect(people.map(\.fullName) == ["First0 Last0", "First1 Last1", "First2 Last2"])
    #expect(people.map(\.age) == [20, 21, 22])
    #expect(people.map(\.height) == [170, 171, 172])
    #expect(people.map(\.score) == [.int(0), .int(1), .int(2)])
    #expect(people.map(\.nick) == ["", "nick1", "nick2"])
    #expect(people.map(\.code) == [0, 11, 22])
    #expect(people.map { Array($0.labels) } == [["a0", "b"], ["a1", "b"], ["a2", "b"]])
    #expect(people.map { Array($0.levels) } == [[0, 2], [1, 2], [2, 2]])
    #expect(people.map { Array($0.ranks) } == [[0, 7], [1, 7], [2, 7]])
    #expect(people.map { $0.marks["m"] } == [.int(0), .int(1), .int(2)])
    #expect(people.map(\.email) == ["", "", ""], "defaults are for new objects")
    #expect(people.map { $0.home } == [nil, nil, nil])
    #expect(people.map { $0.pets.first?.name } == ["pet0", "pet1", "pet2"])
    #expect(people.map { $0.extra.object(PetV2.self)?.id } == [0, 1, 2])
    #expect(realm.objects(PetV2.self).map(\.legs) == [4, 0, 4])
    #expect(realm.object(ofType: PetV2.self, forPrimaryKey: 2)?.name == "pet2")
    #expect(realm.object(ofType: PersonV2.self, forPrimaryKey: "First1 Last1")?.age == 21)
    #expect(realm.objects(PersonV2.self).filter("code == 22").count == 1)
    #expect(realm.objects(PersonV2.self).filter("code == 0").count == 1)
    try check(realm)
    try realm.write {
      realm.create(PersonV2.self, value: ["fullName": "Zoe", "home": [:] as [String: Any]])
      realm.delete(realm.objects(PetV2.self).filter("id == 1"))
    }
    #expect(realm.object(ofType: PersonV2.self, forPrimaryKey: "Zoe")?.home?.rooms == 3)
    #expect(people[1].pets.isEmpty)
    #expect(people[1].extra == .none)
    try check(realm)
  }

  @Test func theMigratedFileHasTheNewSchemaAlone() throws {
    let file = try MigrationFile()
    try Realm.performMigration(for: file.new(MigrationFile.block))
    #expect(try schemaVersionAtURL(file.old.fileURL!) == 1)
    let realm = try Realm(configuration: file.new(types: []))
    #expect(realm.schema.objectSchema.map(\.className).sorted() == ["Home", "Person", "Pet"])
    #expect(realm.schema["Person"]?["tags"] == nil)
    #expect(realm.schema["Person"]?.primaryKeyProperty?.name == "fullName")
    #expect(realm.schema["Person"]?["age"]?.isIndexed == false)
    #expect(realm.schema["Pet"]?["name"]?.isIndexed == false)
  }

  @Test func whatHeldNestedCollectionsTakesThemAlong() throws {
    let file = TemporaryRealm([HolderV1.self])
    var configuration = file.configuration
    try autoreleasepool {
      let realm = try Realm(configuration: configuration)
      try realm.write {
        realm.create(
          HolderV1.self,
          value: ["kept": [1, [2, 3]], "gone": ["a": [4]], "list": [[5], [6]]] as [String: Any])
      }
      try check(realm)
    }
    configuration.objectTypes = [HolderV2.self]
    configuration.schemaVersion = 1
    let realm = try Realm(configuration: configuration)
    #expect(realm.schema.objectSchema.map(\.className) == ["Holder"])
    #expect(realm.objects(HolderV2.self).first?.kept.listValue?[1].listValue?.count == 2)
    try check(realm)
  }

  @Test func whatEmbeddedObjectsOwnGoesWithThem() throws {
    let file = TemporaryRealm([ChainHolderV1.self, ChainLinkV1.self])
    var configuration = file.configuration
    try autoreleasepool {
      let realm = try Realm(configuration: configuration)
      let chain = ["next": ["next": [:] as [String: Any]]]
      try realm.write { realm.create(ChainHolderV1.self, value: ["first": chain]) }
    }
    configuration.objectTypes = [ChainHolderV2.self, ChainLinkV2.self]
    configuration.schemaVersion = 1
    let realm = try Realm(configuration: configuration)
    #expect(realm.objects(ChainHolderV2.self).first?.first?.weight == 0)
    try check(realm)
  }

  @Test func aRemovedClassMakesRoomForAnother() throws {
    let file = try MigrationFile()
    try Realm.performMigration(for: file.new(MigrationFile.block))
    // The same name, with other properties; and the file goes on being checked.
    var types = MigrationFile.second
    types.append(NewToy.self)
    let realm = try Realm(configuration: file.new(types: types))
    #expect(realm.objects(NewToy.self).isEmpty)
    try realm.write { realm.add(NewToy(value: [5, NSNull(), ["Home"]])) }
    #expect(realm.objects(NewToy.self).first?.colour == 5)
    try check(realm)
  }

  final class NewToy: OldModel {
    @Persisted(indexed: true) var colour: Int
    @Persisted var person: PersonV2?
    @Persisted var homes: List<String>
    override class func _realmObjectName() -> String? { "Toy" }
  }

  @Test func theBlockSeesBothSchemasAndAllObjects() throws {
    let file = try MigrationFile()
    let log = Mutex<[String]>([])
    let configuration = file.new(version: 4) { migration, version in
      log.withLock { log in
        log.append("from \(version)")
        log.append(migration.oldSchema.objectSchema.map(\.className).joined(separator: " "))
        log.append(migration.newSchema.objectSchema.map(\.className).joined(separator: " "))
        migration.enumerateObjects(ofType: "Toy") { old, new in
          log.append(
            "\(old!["name"]!) of \((old!["owner"] as! DynamicObject)["name"]!) \(new == nil)")
        }
        let home = migration.create("Home", value: ["street": "Elm"])
        migration.enumerateObjects(ofType: "Home") { old, new in
          log.append("\(old == nil) \(new!["street"]!) \(new!["rooms"]!)")
        }
        migration.enumerateObjects(ofType: "Person") { old, new in
          if old!["age"] as? Int == 21 { return migration.delete(new!) }
          new!["fullName"] = old!["lastName"]
          new!["home"] = home
          new!["pets"] = (new!["pets"] as! List<DynamicObject>).map { $0 }
        }
        migration.enumerateObjects(ofType: "Person") { old, new in
          log.append("\(old!["lastName"]!) \(new!["fullName"]!)")
        }
        migration.enumerateObjects(ofType: "Nothing") { _, _ in log.append("never") }
        migration.enumerateObjects(ofType: "Pet") { old, new in
          new!["id"] = Int((old!["name"] as! String).dropFirst(3))
        }
        let made = migration.create(
          "Person",
          value: ["fullName": "New", "pets": [["id": 9, "name": "Rex"] as [String: Any]]])
        log.append("\(made["email"]!) \(migration.deleteData(forType: "Nothing"))")
      }
    }
    let realm = try Realm(configuration: configuration)
    #expect(
      log.withLock { $0 } == [
        "from 0", "Person Pet Toy", "Person Pet Home", "toy0 of pet0 true", "toy1 of pet1 true",
        "toy2 of pet2 true", "true Elm 3", "Last0 Last0", "Last2 Last2", "none false",
      ])
    #expect(realm.objects(PersonV2.self).map(\.fullName) == ["Last0", "Last2", "New"])
    #expect(realm.objects(PersonV2.self).map { $0.home?.street } == ["Elm", "Elm", nil])
    #expect(realm.object(ofType: PersonV2.self, forPrimaryKey: "New")?.pets.first?.name == "Rex")
    #expect(realm.objects(PetV2.self).count == 4)
    try check(realm)
  }

  @Test func classesThatAreNotDeletedStayInTheFile() throws {
    let file = try MigrationFile()
    try Realm.performMigration(
      for: file.new { migration, _ in
        migration.enumerateObjects(ofType: "Person") { old, new in
          new!["fullName"] = old!["lastName"]
        }
        migration.enumerateObjects(ofType: "Pet") { old, new in
          new!["id"] =
            (old!["name"] as! String).count * 10
            + Int((old!["name"] as! String).dropFirst(3))!
        }
      })
    let toys = try Realm(configuration: file.new(types: [])).dynamicObjects("Toy")
    #expect(toys.count == 3)
    #expect((toys[0]["owner"] as? DynamicObject)?["id"] as? Int == 40)
  }

  @Test func withoutABlockTheFileIsBroughtThereAllTheSame() throws {
    let file = try MigrationFile(people: 1)
    let realm = try Realm(configuration: file.new())
    #expect(realm.objects(PersonV2.self).first?.fullName == "")
    #expect(realm.objects(PersonV2.self).first?.age == 20)
    try check(realm)
  }

  @Test func duplicatePrimaryKeysAreAnErrorAndChangeNothing() throws {
    let file = try MigrationFile()
    let error = #expect(throws: Realm.Error.self) { try Realm(configuration: file.new()) }
    #expect(error?.code == .fail)
    #expect(
      error?.localizedDescription.hasPrefix(
        "Primary key property 'Person.fullName' has duplicate values after migration.") == true)
    let realm = try Realm(configuration: file.old)
    #expect(realm.objects(PersonV1.self).map(\.firstName) == ["First0", "First1", "First2"])
    #expect(realm.objects(ToyV1.self).count == 3)
    try check(realm)
  }

  @Test(arguments: [0, 1, 2])
  func objectsBecomeEmbeddedWhereOneLinkLeadsToEach(links: Int) throws {
    let file = TemporaryRealm([HouseV1.self, StreetV1.self])
    try autoreleasepool {
      let realm = try file.open()
      try realm.write {
        let streets = ["Elm", "Oak"].map { StreetV1(value: [$0]) }
        realm.add(streets)
        realm.create(HouseV1.self, value: ["street": streets[0]])
        for _ in 0..<links { realm.create(HouseV1.self, value: ["street": streets[1]]) }
      }
    }
    var configuration = file.configuration
    configuration.objectTypes = [HouseV2.self, StreetV2.self]
    configuration.schemaVersion = 1
    let new = configuration
    if links == 1 {
      let realm = try Realm(configuration: new)
      #expect(realm.objects(HouseV2.self).map { $0.street?.name } == ["Elm", "Oak"])
      try realm.write { realm.delete(realm.objects(HouseV2.self)[0]) }
      #expect(realm.dynamicObjects("Street").map { $0.name as? String } == ["Oak"])
      return try check(realm)
    }
    let error = #expect(throws: Realm.Error.self) { try Realm(configuration: new) }
    #expect(
      error?.localizedDescription.hasPrefix(
        "Cannot convert 'Street' to embedded: at least one object has "
          + (links == 0 ? "no incoming links" : "more than one incoming link")) == true)
    #expect(try file.open().objects(StreetV1.self).count == 2)
  }

  @Test func objectsBecomeTopLevelAndEmbeddedAgain() throws {
    let file = TemporaryRealm([HouseV2.self, StreetV2.self])
    try autoreleasepool {
      let realm = try file.open()
      try realm.write {
        for name in ["Elm", "Oak"] {
          realm.create(HouseV2.self, value: ["street": ["name": name]])
        }
        realm.create(HouseV2.self)
      }
    }
    var topLevel = file.configuration
    topLevel.objectTypes = [HouseV1.self, StreetV1.self]
    topLevel.schemaVersion = 1
    topLevel.migrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: "House") { old, new in
        let street = old?["street"] as? MigrationObject
        (new?["street"] as? MigrationObject)?["name"] = (street?["name"] as? String ?? "") + "!"
      }
    }
    try autoreleasepool { [topLevel] in
      let realm = try Realm(configuration: topLevel)
      #expect(realm.objects(HouseV1.self).map { $0.street?.name } == ["Elm!", "Oak!", nil])
      #expect(realm.objects(StreetV1.self).count == 2)
      let street = try #require(realm.objects(StreetV1.self).first)
      try realm.write { realm.delete(realm.objects(HouseV1.self)[0]) }
      #expect(!street.isInvalidated)
      try check(realm)
      try realm.write { realm.create(HouseV1.self, value: ["street": street]) }
    }
    var embedded = file.configuration
    embedded.schemaVersion = 2
    let realm = try Realm(configuration: embedded)
    #expect(realm.objects(HouseV2.self).map { $0.street?.name } == ["Oak!", nil, "Elm!"])
    try realm.write { realm.objects(HouseV2.self)[0].street = nil }
    #expect(realm.dynamicObjects("Street").map { $0.name as? String } == ["Elm!"])
    try check(realm)
  }

  @Test func embeddedObjectsGoWithTheirProperty() throws {
    let file = TemporaryRealm([HouseV2.self, StreetV2.self])
    try autoreleasepool {
      let realm = try file.open()
      try realm.write { realm.create(HouseV2.self, value: ["street": ["name": "Elm"]]) }
    }
    var configuration = file.configuration
    configuration.objectTypes = [BareHouse.self]
    configuration.schemaVersion = 1
    let realm = try Realm(configuration: configuration)
    #expect(realm.objects(BareHouse.self).count == 1)
    #expect(realm.dynamicObjects("Street").isEmpty)
    try check(realm)
  }

  final class BareHouse: OldModel {
    @Persisted var number: Int
    override class func _realmObjectName() -> String? { "House" }
  }

  @Test func progressIsReported() throws {
    let file = try MigrationFile(people: 250)
    let seen = Mutex<[Realm.MigrationProgress]>([])
    var configuration = file.new(MigrationFile.block)
    configuration.migrationProgressHandler = { progress in seen.withLock { $0.append(progress) } }
    _ = try Realm(configuration: configuration)
    let people = seen.withLock { $0 }.filter { $0.className == "Person" }
    #expect(people.count == 125)
    #expect(people.map(\.completedObjects) == people.map(\.completedObjects).sorted())
    #expect(people.last?.completedObjects == 250)
    #expect(people.allSatisfy { $0.totalObjects == 250 })
  }

  final class LooseV1: OldModel {
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var title: String
    @Persisted(indexed: true) var rank: Int
    @Persisted(indexed: .fullText) var note: String
    @Persisted var content: AnyRealmValue
    override class func _realmObjectName() -> String? { "Loose" }
  }

  final class LooseV2: OldModel {
    @Persisted(primaryKey: true) var number: String
    /// Was `title`, which had an index.
    @Persisted var name: String
    @Persisted var rank: Int
    @Persisted(indexed: true) var note: String
    @Persisted(indexed: true) var content: AnyRealmValue
    @Persisted(indexed: .fullText) var text: String
    @Persisted(indexed: true) var size: Int?
    override class func _realmObjectName() -> String? { "Loose" }
  }

  @Test func indexesAreThoseOfTheNewSchemaAndHoldWhatTheBlockSet() throws {
    let file = TemporaryRealm([LooseV1.self])
    try autoreleasepool {
      let realm = try file.open()
      try realm.write {
        for number in 0..<3000 {
          realm.create(
            LooseV1.self,
            value: ["number": number, "title": "title \(number)", "content": number]
              as [String: Any])
        }
      }
    }
    var configuration = file.configuration
    configuration.objectTypes = [LooseV2.self]
    configuration.schemaVersion = 1
    configuration.migrationBlock = { migration, _ in
      migration.renameProperty(onType: "Loose", from: "title", to: "name")
      migration.enumerateObjects(ofType: "Loose") { old, new in
        let number = old!["number"] as! Int
        new!["number"] = String(repeating: "n", count: number % 300) + "\(number)"
        new!["note"] = "note \(number % 10)"
        new!["text"] = "word\(number % 7) \(number)"
        if number % 2 == 0 { new!["size"] = number }
      }
    }
    let realm = try Realm(configuration: configuration)
    try check(realm)
    let rows = realm.objects(LooseV2.self)
    #expect(rows.map(\.name) == (0..<3000).map { "title \($0)" })
    #expect(rows.filter("note == 'note 3'").explain().contains("index of 'note' names about"))
    #expect(rows.filter("note == 'note 3'").count == 300)
    #expect(rows.filter("text TEXT 'word3'").explain().contains("index of 'text'"))
    #expect(rows.filter("text TEXT 'word3'").count == 429)
    #expect(rows.filter("content == 77").explain().contains("index of 'content'"))
    #expect(rows.filter("size == 78").count == 1)
    #expect(rows.filter("size == nil").count == 1500)
    #expect(rows.filter("name == 'title 3'").explain().contains("scan"))
    #expect(rows.filter("rank == 0").explain().contains("scan"))
    #expect(realm.object(ofType: LooseV2.self, forPrimaryKey: "nnn3")?.name == "title 3")
  }

  @Test func wrongRenamesAreMisuses() async {
    await #expect(processExitsWith: .failure) { try Self.rename("Nothing", "a", "b") }
    await #expect(processExitsWith: .failure) { try Self.rename("Toy", "name", "b") }
    await #expect(processExitsWith: .failure) { try Self.rename("Person", "age", "code") }
    await #expect(processExitsWith: .failure) { try Self.rename("Person", "nothing", "code") }
    await #expect(processExitsWith: .failure) { try Self.rename("Person", "tags", "code") }
    await #expect(processExitsWith: .success) { try Self.rename("Person", "tags", "labels") }
  }

  private static func rename(_ type: String, _ old: String, _ new: String) throws {
    let file = try MigrationFile(people: 1)
    _ = try Realm(
      configuration: file.new { migration, _ in
        migration.renameProperty(onType: type, from: old, to: new)
      })
  }
}
