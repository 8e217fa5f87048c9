import Foundation
import RealmSwift
import Testing

class Vehicle: Object {
  @Persisted(primaryKey: true) var plate: String
  @Persisted var wheels = 4
  class var sound: String { "hum" }
}

final class Truck: Vehicle {
  @Persisted var load: Double?
  @Persisted var stops: List<String>
  override class var sound: String { "rumble" }
}

/// A class with a stored property of its own, which is not persisted.
final class Counter: Object {
  @Persisted var name: String
  var readings: [Int] = [1, 2]
  lazy var label = "counter \(name)"
}

final class Renamed: Object {
  @Persisted var title: String
  override class func _realmObjectName() -> String? { "Book" }
  override class func propertiesMapping() -> [String: String] { ["title": "book_title"] }
}

final class Unlisted: Object {
  @Persisted var name: String
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct ModelShapeTests {
  @Test func subclassesHaveTheirSuperclassesProperties() throws {
    let realm = try TemporaryRealm([Vehicle.self, Truck.self]).open()
    try realm.write {
      realm.create(
        Truck.self, value: ["plate": "B1", "wheels": 6, "load": 2.5, "stops": ["a", "b"]])
      realm.create(Vehicle.self, value: ["plate": "B2"])
    }
    let truck = try #require(realm.object(ofType: Truck.self, forPrimaryKey: "B1"))
    #expect(truck.wheels == 6 && truck.load == 2.5 && Array(truck.stops) == ["a", "b"])
    #expect(type(of: truck).sound == "rumble")
    #expect(realm.objects(Vehicle.self).map(\.plate) == ["B2"])
    #expect(realm.objects(Truck.self).where { $0.wheels > 4 }.count == 1)
  }

  @Test func propertiesThatAreNotPersistedStayWithTheInstance() throws {
    let realm = try TemporaryRealm([Counter.self]).open()
    let counter = Counter(value: ["name": "gas"])
    counter.readings.append(3)
    try realm.write { realm.add(counter) }
    #expect(counter.readings == [1, 2, 3])
    let other = realm.objects(Counter.self)[0]
    #expect(other.readings == [1, 2] && other.label == "counter gas")
  }

  @Test func classesAndPropertiesMayHaveOtherNamesInTheFile() throws {
    let realm = try TemporaryRealm([Renamed.self]).open()
    try realm.write { realm.add(Renamed(value: ["title": "Momo"])) }
    #expect(realm.schema["Book"]?["title"]?.columnName == "book_title")
    let books = realm.objects(Renamed.self)
    #expect(books.where { $0.title == "Momo" }.count == 1)
    #expect(books.sorted(byKeyPath: "title").first?.title == "Momo")
  }

  @Test func allClassesOfTheProgramAreFound() throws {
    let realm = try TemporaryRealm(nil).open()
    #expect(realm.schema["Truck"] != nil && realm.schema["Keeper"] != nil)
    #expect(realm.schema["Book"] != nil)
    #expect(realm.schema["Unlisted"] == nil)
    #expect(realm.schema["Object"] == nil)
  }

  @Test func aClassThatTheRealmDoesNotKnowIsAMisuse() async {
    await #expect(processExitsWith: .failure) {
      _ = try TemporaryRealm([Keeper.self, Animal.self]).open().objects(Truck.self)
    }
  }
}

@Suite struct SchemaChangeTests {
  private final class Stages {
    let file = TemporaryRealm()

    func open(_ types: [ObjectBase.Type], version: UInt64 = 0) throws -> Realm {
      var configuration = file.configuration
      configuration.objectTypes = types
      configuration.schemaVersion = version
      return try Realm(configuration: configuration)
    }
  }

  enum Before {
    final class Plant: Object {
      @Persisted var name: String
    }
  }

  enum After {
    final class Plant: Object {
      @Persisted(indexed: true) var name: String
      @Persisted var height = 7
      @Persisted var sunny: Bool?
      @Persisted var seeds: List<Int>
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }

  enum Incompatible {
    final class Plant: Object {
      @Persisted var name: Int
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }

  @Test func newPropertiesAndIndexesAreAdded() throws {
    let stages = Stages()
    func plant() throws {
      let realm = try stages.open([Before.Plant.self])
      try realm.write { realm.add(Before.Plant(value: ["name": "oak"])) }
    }
    try plant()
    let realm = try stages.open([After.Plant.self, Keeper.self, Animal.self], version: 1)
    let oak = try #require(realm.objects(After.Plant.self).where { $0.name == "oak" }.first)
    #expect(oak.height == 0 && oak.sunny == nil && oak.seeds.isEmpty)
    try realm.write {
      oak.height = 12
      oak.seeds.append(1)
    }
    #expect(oak.height == 12 && oak.seeds.count == 1)
  }

  @Test func aPropertyOfAnotherTypeNeedsAMigration() throws {
    let stages = Stages()
    func plant() throws { _ = try stages.open([Before.Plant.self]) }
    try plant()
    let error = #expect(throws: Realm.Error.self) { try stages.open([Incompatible.Plant.self]) }
    #expect(error?.code == .schemaMismatch)
    var configuration = stages.file.configuration
    configuration.objectTypes = [Incompatible.Plant.self]
    configuration.deleteRealmIfMigrationNeeded = true
    #expect(try Realm(configuration: configuration).isEmpty)
  }

  @Test func anOlderProgramIsRefused() throws {
    let stages = Stages()
    func open() throws { _ = try stages.open([Before.Plant.self], version: 3) }
    try open()
    #expect(throws: Realm.Error.self) { try stages.open([Before.Plant.self], version: 2) }
    #expect(try schemaVersionAtURL(stages.file.configuration.fileURL!) == 3)
  }
}

@MainActor @Suite struct MainActorTests {
  @Test func aRealmOfTheMainActorIsObservedThere() async throws {
    let file = TemporaryRealm()
    let realm = try file.open()
    let animals = realm.objects(Animal.self)
    let box = RealmBox()
    let (events, continuation) = AsyncStream<String>.makeStream()
    box.token = animals.observe { change in
      MainActor.assertIsolated()
      continuation.yield(change.text)
    }
    var iterator = events.makeAsyncIterator()
    #expect(await iterator.next() == "initial")
    await Task.detached {
      let other = try! file.open()
      try! other.write { other.add(Animal("Rex")) }
    }.value
    #expect(await iterator.next() == "[] [0] []")
    #expect(animals.count == 1)
    box.token = nil
  }
}
