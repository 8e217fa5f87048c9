import Foundation
import RealmSwift

// Two generations of the same classes. `PersonV1` and `PersonV2` are both `Person` in the file.

class OldModel: Object {
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class PersonV1: OldModel {
  @Persisted var firstName: String
  @Persisted var lastName: String
  @Persisted(indexed: true) var age: Int
  @Persisted var height: Int
  @Persisted var nick: String?
  @Persisted var score: Int
  @Persisted var code: String
  @Persisted var tags: List<String>
  @Persisted var levels: List<Int>
  @Persisted var ranks: MutableSet<Int>
  @Persisted var marks: Map<String, Int>
  @Persisted var pet: PetV1?
  @Persisted var pets: List<PetV1>
  @Persisted var extra: AnyRealmValue
  override class func _realmObjectName() -> String? { "Person" }
}

final class PetV1: OldModel {
  @Persisted(primaryKey: true) var name: String
  @Persisted var legs: Int?
  override class func _realmObjectName() -> String? { "Pet" }
}

/// Gone in the second generation.
final class ToyV1: OldModel {
  @Persisted var name: String
  @Persisted var owner: PetV1?
  override class func _realmObjectName() -> String? { "Toy" }
}

final class PersonV2: OldModel {
  @Persisted(primaryKey: true) var fullName: String
  /// Was required.
  @Persisted var age: Int?
  /// Was an integer.
  @Persisted var score: AnyRealmValue
  @Persisted var height: Double
  /// Was optional.
  @Persisted var nick: String
  /// Was a string.
  @Persisted(indexed: true) var code: Int
  /// Was called tags.
  @Persisted var labels: List<String>
  /// Elements were integers.
  @Persisted var levels: List<Double>
  @Persisted var ranks: MutableSet<Int?>
  @Persisted var marks: Map<String, AnyRealmValue>
  @Persisted var pets: List<PetV2>
  @Persisted var extra: AnyRealmValue
  @Persisted var email = "none"
  @Persisted var home: Home?
  override class func _realmObjectName() -> String? { "Person" }
}

final class PetV2: OldModel {
  /// Was the primary key.
  @Persisted var name: String
  @Persisted(primaryKey: true) var id: Int
  @Persisted var legs: Int
  override class func _realmObjectName() -> String? { "Pet" }
}

final class HouseV1: OldModel {
  @Persisted var street: StreetV1?
  override class func _realmObjectName() -> String? { "House" }
}

final class StreetV1: OldModel {
  @Persisted var name: String
  override class func _realmObjectName() -> String? { "Street" }
}

final class HouseV2: OldModel {
  @Persisted var street: StreetV2?
  override class func _realmObjectName() -> String? { "House" }
}

final class StreetV2: EmbeddedObject {
  @Persisted var name: String
  override class func _realmObjectName() -> String? { "Street" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// New in the second generation.
final class Home: OldModel {
  @Persisted var street = "somewhere"
  @Persisted var rooms = 3
}

/// A file of the first generation, and what opens it.
final class MigrationFile: Sendable {
  let file = TemporaryRealm(MigrationFile.first)
  static let first: [ObjectBase.Type] = [PersonV1.self, PetV1.self, ToyV1.self]
  static let second: [ObjectBase.Type] = [PersonV2.self, PetV2.self, Home.self]

  var old: Realm.Configuration { file.configuration }

  func new(
    version: UInt64 = 1, types: [ObjectBase.Type] = MigrationFile.second,
    _ block: MigrationBlock? = nil
  ) -> Realm.Configuration {
    var configuration = file.configuration
    configuration.schemaVersion = version
    configuration.objectTypes = types
    configuration.migrationBlock = block
    return configuration
  }

  /// Fills the file with so many people, each with a pet.
  init(people: Int = 3) throws {
    let realm = try file.open()
    try realm.write {
      for index in 0..<people {
        let person = PersonV1(value: [
          "firstName": "First\(index)", "lastName": "Last\(index)", "age": 20 + index,
          "height": 170 + index, "score": index, "code": "\(index * 11)",
          "tags": ["a\(index)", "b"], "levels": [index, 2], "ranks": [index, 7],
        ])
        person.nick = index == 0 ? nil : "nick\(index)"
        person.marks["m"] = index
        let pet = PetV1(
          value: ["name": "pet\(index)", "legs": index == 1 ? NSNull() : 4] as [String: Any])
        person.pet = pet
        person.pets.append(pet)
        person.extra = .object(pet)
        realm.add(person)
        realm.add(ToyV1(value: ["name": "toy\(index)", "owner": pet]))
      }
    }
  }

  /// What the second generation takes.
  static let block: MigrationBlock = { migration, _ in
    migration.renameProperty(onType: "Person", from: "tags", to: "labels")
    migration.enumerateObjects(ofType: "Person") { old, new in
      new!["fullName"] = "\(old!["firstName"]!) \(old!["lastName"]!)"
      new!["code"] = Int(old!["code"] as! String)
    }
    var id = 0
    migration.enumerateObjects(ofType: "Pet") { _, new in
      new!["id"] = id
      id += 1
    }
    migration.deleteData(forType: "Toy")
  }
}

final class HolderV1: Object {
  override class func _realmObjectName() -> String? { "Holder" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  @Persisted var kept: AnyRealmValue
  @Persisted var gone: AnyRealmValue
  @Persisted var list: List<AnyRealmValue>
}

final class HolderV2: Object {
  override class func _realmObjectName() -> String? { "Holder" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  @Persisted var kept: AnyRealmValue
}

final class ChainHolderV1: Object {
  override class func _realmObjectName() -> String? { "ChainHolder" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  @Persisted var first: ChainLinkV1?
}

final class ChainLinkV1: EmbeddedObject {
  override class func _realmObjectName() -> String? { "ChainLink" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  @Persisted var next: ChainLinkV1?
}

final class ChainHolderV2: Object {
  override class func _realmObjectName() -> String? { "ChainHolder" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  @Persisted var first: ChainLinkV2?
}

final class ChainLinkV2: EmbeddedObject {
  override class func _realmObjectName() -> String? { "ChainLink" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  @Persisted var weight: Int
}
