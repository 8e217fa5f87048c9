import Foundation
import ObjectStore
import TestSupport
import Testing

@testable import RealmSwift

/// Which differences between a program's classes and a file are accepted, and what is said of
/// others.
@Suite struct SchemaUpdateTests {
  private func message(
    _ configuration: Realm.Configuration, _ code: Realm.Error.Code = .schemaMismatch
  ) -> String {
    let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
    #expect(error?.code == code)
    let text = error?.localizedDescription ?? ""
    return String(text.prefix(upTo: text.range(of: " [/")?.lowerBound ?? text.endIndex))
  }

  @Test func differencesWithoutANewVersionAreListed() throws {
    let file = try MigrationFile()
    #expect(
      message(file.new(version: 0)) == """
        Migration is required due to the following errors:
        - Property 'Person.firstName' has been removed.
        - Property 'Person.lastName' has been removed.
        - Property 'Person.age' has been made optional.
        - Property 'Person.height' has been changed from 'int' to 'double'.
        - Property 'Person.nick' has been made required.
        - Property 'Person.score' has been changed from 'int' to 'mixed'.
        - Property 'Person.code' has been changed from 'string' to 'int'.
        - Property 'Person.tags' has been removed.
        - Property 'Person.levels' has been changed from 'array<int>' to 'array<double>'.
        - Property 'Person.ranks' has been made optional.
        - Property 'Person.marks' has been changed from 'dictionary<string, int>' to \
        'dictionary<string, mixed>'.
        - Property 'Person.pet' has been removed.
        - Property 'Person.fullName' has been added.
        - Property 'Person.labels' has been added.
        - Property 'Person.email' has been added.
        - Property 'Person.home' has been added.
        - Primary Key for class 'Person' has been added.
        - Property 'Pet.legs' has been made required.
        - Property 'Pet.id' has been added.
        - Primary Key for class 'Pet' has changed from 'name' to 'id'.
        """)
  }

  @Test func classesAndIndexesComeAndGoWithoutANewVersion() throws {
    let file = try MigrationFile()
    let realm = try Realm(
      configuration: file.new(
        version: 0, types: [IndexedToy.self, PetV1.self, Home.self]))
    #expect(realm.objects(IndexedToy.self).filter("name == 'toy1'").count == 1)
    try realm.write { realm.add(Home()) }
    #expect(realm.instance.snapshot!.storeFindings().isEmpty)
  }

  final class IndexedToy: OldModel {
    @Persisted(indexed: true) var name: String
    @Persisted var owner: PetV1?
    override class func _realmObjectName() -> String? { "Toy" }
  }

  final class AnyIndexed: OldModel {
    @Persisted var value: AnyRealmValue
    override class func indexedProperties() -> [String] { ["value"] }
  }

  @Test func anIndexOnAValueOfAnyKindIsAccepted() throws {
    let file = TemporaryRealm([AnyIndexed.self])
    for _ in 0..<2 {
      try autoreleasepool {
        let realm = try file.open()
        try realm.write { realm.create(AnyIndexed.self, value: ["value": 7]) }
        #expect(realm.objects(AnyIndexed.self).filter("value == 7").count > 0)
        #expect(realm.schema["AnyIndexed"]?["value"]?.isIndexed == true)
      }
    }
  }

  @Test func aLowerVersionIsNamed() throws {
    let file = try MigrationFile()
    try Realm.performMigration(for: file.new(version: 2, MigrationFile.block))
    #expect(
      message(file.new()) == "Provided schema version 1 is less than last set version 2.")
  }

  @Test func readersMayKnowLessThanTheFileHasAndHaveClassesThatItLacks() throws {
    let file = try MigrationFile()
    var configuration = file.new(version: 0, types: [SmallToy.self, Home.self])
    configuration.readOnly = true
    let realm = try Realm(configuration: configuration)
    #expect(realm.objects(SmallToy.self).map(\.name) == ["toy0", "toy1", "toy2"])
    let homes = realm.objects(Home.self)
    #expect(homes.isEmpty && homes.first == nil && Array(homes).isEmpty)
    #expect(homes.filter("rooms > 2").sorted(by: \.rooms).isEmpty)
    #expect(homes.sum(of: \.rooms) == 0)
    #expect(realm.freeze().objects(Home.self).isEmpty)
    #expect(realm.refresh() == false)
  }

  @Test func readersGoOnWhenTheFileGetsOtherClassesThanTheyLack() async throws {
    let file = TemporaryRealm([Crate.self])
    try autoreleasepool {
      let realm = try file.open()
      try realm.write { realm.create(Crate.self) }
    }
    var configuration = file.configuration
    configuration.objectTypes = [Crate.self, Home.self]
    configuration.readOnly = true
    let reading = configuration
    let thread = LoopThread(name: "reader")
    let box = HomesBox()
    thread.performAndWait {
      let realm = try! Realm(configuration: reading)
      box.homes = realm.objects(Home.self)
      box.few = box.homes!.filter("rooms > 2")
      #expect(box.homes!.isEmpty && box.few!.isEmpty)
    }
    await #expect(processExitsWith: .success) { [path = file.path as String] in
      let realm = try Realm(configuration: TemporaryRealm.configuration(path: path, [Crate.self]))
      try realm.write {
        realm.create(Crate.self, value: ["id": 1, "content": [1, ["a": 2]] as [Any]])
      }
    }
    thread.performAndWait {
      let realm = box.homes!.realm!
      realm.refresh()
      let crates = realm.objects(Crate.self)
      #expect(crates.last?.content.listValue?[1].dictionaryValue?["a"] == .int(2))
      #expect(box.homes!.isEmpty && box.few!.isEmpty && Array(box.homes!).isEmpty)
      #expect(realm.objects(Home.self).isEmpty)
      #expect(realm.freeze().objects(Home.self).isEmpty)
    }
    await #expect(processExitsWith: .success) { [path = file.path as String] in
      let realm = try Realm(
        configuration: TemporaryRealm.configuration(path: path, [Crate.self, Home.self]))
      try realm.write { realm.create(Home.self, value: ["rooms": 3]) }
    }
    thread.performAndWait {
      let realm = box.homes!.realm!
      realm.refresh()
      #expect(realm.objects(Home.self).filter("rooms > 2").count == 1)
      #expect(realm.freeze().objects(Home.self).count == 1)
      box.homes = nil
      box.few = nil
    }
    thread.stop()
    thread.join()
  }

  final class HomesBox: @unchecked Sendable {
    // Sendable: used on one thread.
    var homes: Results<Home>?
    var few: Results<Home>?
  }

  final class SmallToy: OldModel {
    @Persisted var name: String
    override class func _realmObjectName() -> String? { "Toy" }
  }

  @Test func readersNeedTheirPropertiesAndTheVersion() throws {
    let file = try MigrationFile()
    var configuration = file.new(version: 0, types: [PetV2.self])
    configuration.readOnly = true
    #expect(
      message(configuration) == """
        The following changes cannot be made in read-only schema mode:
        - Property 'Pet.legs' has been made required.
        - Property 'Pet.id' has been added.
        - Primary Key for class 'Pet' has changed from 'name' to 'id'.
        """)
    configuration = file.new(types: [SmallToy.self])
    configuration.readOnly = true
    #expect(
      message(configuration) == "Provided schema version 1 does not equal last set version 0.")
  }

  @Test(arguments: [(0, true), (1, false)])
  func aFileIsReplacedForAnotherSchemaOrVersion(version: UInt64, isOtherSchema: Bool) throws {
    let file = try MigrationFile()
    var configuration = file.new(
      version: version, types: isOtherSchema ? MigrationFile.second : MigrationFile.first)
    configuration.deleteRealmIfMigrationNeeded = true
    let realm = try Realm(configuration: configuration)
    #expect(realm.isEmpty)
    #expect(realm.instance.schema.description.classes.count == 3)
  }

  @Test func aFileIsNotReplacedForClassesAndIndexes() throws {
    let file = try MigrationFile()
    var configuration = file.new(version: 0, types: [IndexedToy.self, PetV1.self, Home.self])
    configuration.deleteRealmIfMigrationNeeded = true
    #expect(try Realm(configuration: configuration).objects(IndexedToy.self).count == 3)
  }

  @Test func oneVersionIsOpenAtATimeInAProcess() throws {
    let file = try MigrationFile()
    let realm = try Realm(configuration: file.old)
    let newer = file.new(MigrationFile.block)
    let thread = LoopThread(name: "newer")
    defer { thread.join() }
    thread.performAndWait {
      #expect(
        message(newer, .alreadyOpen)
          == "Realm at path '\(file.file.path)' already opened with different schema version.")
    }
    let error = #expect(throws: Realm.Error.self) { try Realm.performMigration(for: newer) }
    #expect(error?.localizedDescription == "Cannot migrate Realms that are already open.")
    #expect(realm.objects(PersonV1.self).count == 3)
  }

  /// Commits what a process with other classes would.
  private func commitElsewhere(
    _ realm: Realm, _ types: [ObjectBase.Type], version: UInt64
  ) throws {
    let database = realm.instance.shared.database
    let wanted = RealmSchema.description(
      of: try RealmSchema.classes(of: Realm.Configuration(objectTypes: types)), version: version)
    let objects = try ObjectTransaction(try database.beginWrite(), schemas: SchemaCache())
    try objects.beginMigration(to: wanted)
    try objects.finishMigration(to: wanted)
    _ = try objects.commit()
  }

  @Test func aRealmWhoseClassesWereMigratedElsewhereStaysWhereItIs() throws {
    let file = try MigrationFile()
    let realm = try Realm(configuration: file.old)
    try commitElsewhere(realm, [IndexedToy.self, PetV1.self], version: 1)
    #expect(realm.refresh(), "an index is no hindrance")
    try commitElsewhere(realm, [SmallToy.self, PetV1.self], version: 2)
    let toys = realm.objects(ToyV1.self)
    #expect(toys.first?.owner?.name == "pet0")
    let error = #expect(throws: Realm.Error.self) { try realm.write {} }
    #expect(error?.code == .schemaMismatch)
    #expect(
      error?.localizedDescription.contains(
        "Unsupported schema changes were made by another client or process.") == true)
    #expect(
      error?.localizedDescription.contains("\n- Property 'Toy.owner' has been removed.") == true)
    #expect(toys.map(\.name) == ["toy0", "toy1", "toy2"])
    #expect(realm.isInWriteTransaction == false)
  }

  @Test func refreshingARealmWhoseClassesWereMigratedElsewhereIsAMisuse() async {
    await #expect(processExitsWith: .failure) {
      let tests = SchemaUpdateTests()
      let realm = try Realm(configuration: try MigrationFile().old)
      try tests.commitElsewhere(realm, [SmallToy.self, PetV1.self], version: 2)
      _ = realm.refresh()
    }
  }

  @Test func aLoopStaysWhereItsClassesStillAre() async throws {
    let observatory = Observatory(MigrationFile.first)
    let box = RealmBox()
    observatory.run { realm in
      box.token = realm.objects(ToyV1.self).observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { $0.add(ToyV1(value: ["name": "top"])) }
    #expect(await observatory.next() == "[] [0] []")
    observatory.run { realm in
      try commitElsewhere(realm, [SmallToy.self, PetV1.self], version: 2)
    }
    observatory.run { realm in
      realm.instance.turn()
      #expect(realm.objects(ToyV1.self).map(\.name) == ["top"])
      box.token = nil
    }
  }

  @Test func aLinkedClassThatIsMissingIsNamed() throws {
    let file = TemporaryRealm([ToyV1.self])
    #expect(
      message(file.configuration, .fail) == """
        Schema validation failed due to the following errors:
        - Property 'Toy.owner' of type 'object' has unknown object type 'Pet'
        """)
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test func deletingAllGoesByClassesAndEmptinessByTheFile() throws {
    let file = try MigrationFile()
    let realm = try Realm(configuration: file.new(version: 0, types: [PetV1.self]))
    try realm.write { realm.deleteAll() }
    #expect(realm.objects(PetV1.self).isEmpty)
    #expect(!realm.isEmpty)
  }

  @Test func aRealmWithoutClassesDeletesAll() throws {
    let file = try MigrationFile()
    let realm = try Realm(configuration: file.new(version: 0, types: []))
    try realm.write { realm.deleteAll() }
    #expect(realm.isEmpty)
    #expect(realm.dynamicObjects("Pet").isEmpty)
  }

  @Test func versionsAreReadWithoutOpening() throws {
    let file = TemporaryRealm(MigrationFile.first)
    let url = file.configuration.fileURL!
    let missing = #expect(throws: Realm.Error.self) { try schemaVersionAtURL(url) }
    #expect(missing?.code == .invalidDatabase)
    var empty = file.configuration
    empty.objectTypes = []
    _ = try Realm(configuration: empty)
    let uninitialized = #expect(throws: Realm.Error.self) { try schemaVersionAtURL(url) }
    #expect(uninitialized?.code == .fail)
    empty.schemaVersion = 7
    _ = try Realm(configuration: empty)
    #expect(try schemaVersionAtURL(url) == 7)
  }

  @Test func dataInMemoryIsMigratedToo() throws {
    var configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [PetV1.self])
    defer { _ = try? Realm.deleteFiles(for: configuration) }
    try autoreleasepool {
      let realm = try Realm(configuration: configuration)
      try realm.write { realm.add(PetV1(value: ["Rex", 4])) }
    }
    configuration.schemaVersion = 1
    configuration.objectTypes = [PetV2.self]
    configuration.migrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: "Pet") { _, new in new!["id"] = 12 }
    }
    let pets = try Realm(configuration: configuration).objects(PetV2.self)
    #expect(pets.isEmpty || pets[0].id == 12)
  }

  @Test func contradictionsAreFoundWhenOpening() async {
    await #expect(processExitsWith: .failure) {
      var configuration = TemporaryRealm().configuration
      configuration.readOnly = true
      configuration.deleteRealmIfMigrationNeeded = true
      _ = try Realm(configuration: configuration)
    }
    await #expect(processExitsWith: .failure) {
      var configuration = TemporaryRealm().configuration
      configuration.readOnly = true
      configuration.shouldCompactOnLaunch = { _, _ in true }
      _ = try Realm(configuration: configuration)
    }
  }

  @Test func copiesHaveEverythingWhateverTheConfiguration() throws {
    let file = try MigrationFile()
    func copy(_ configuration: Realm.Configuration, to name: String) throws -> Realm {
      var target = configuration
      target.fileURL = file.file.directory.appendingPathComponent(name)
      target.readOnly = false
      target.seedFilePath = file.file.directory.appendingPathComponent("nothing")
      try Realm(configuration: configuration).writeCopy(configuration: target)
      target.seedFilePath = nil
      target.objectTypes = MigrationFile.first
      return try Realm(configuration: target)
    }
    var reading = file.old
    reading.readOnly = true
    let copies = [
      try copy(reading, to: "read-only.realm"),
      try copy(file.new(version: 0, types: [PetV1.self]), to: "subset.realm"),
    ]
    for copy in copies {
      #expect(
        copy.objects(PersonV1.self).map { $0.extra.object(PetV1.self)?.name }
          == ["pet0", "pet1", "pet2"])
      #expect(copy.objects(ToyV1.self).count == 3)
    }
  }

  @Test func observingAsAnotherClassIsAMisuse() async {
    await #expect(processExitsWith: .failure) {
      let thread = LoopThread(name: "wrong")
      thread.performAndWait {
        let realm = try! TemporaryRealm().open()
        let animal = try! realm.write { realm.create(Animal.self) }
        _ = animal.observe { (_: ObjectChange<Keeper>) in }
      }
    }
  }
}
