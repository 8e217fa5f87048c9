import Foundation
import RealmSwift
import Testing

private final class Reading: Object {
  @Persisted(indexed: true) var value: AnyRealmValue

  override class func _realmObjectName() -> String? { "Reading" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class NamedReading: Object {
  @Persisted var value: AnyRealmValue

  override class func _realmObjectName() -> String? { "Reading" }
  override class func indexedProperties() -> [String] { ["value"] }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class BareReading: Object {
  @Persisted var value: AnyRealmValue

  override class func _realmObjectName() -> String? { "Reading" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// An index on a property of type `AnyRealmValue`.
@Suite struct AnyRealmValueIndexTests {
  private let file = TemporaryRealm([Reading.self])

  private func fill(_ realm: Realm) throws {
    try realm.write {
      for number in 0..<1000 {
        let reading = realm.create(Reading.self)
        switch number % 5 {
        case 0: reading.value = .int(number)
        case 1: reading.value = .double(Double(number - 1))
        case 2: reading.value = .bool(true)
        case 3: reading.value = .string("\(number)")
        default: reading.value = .none
        }
      }
    }
  }

  @Test func queriesAskTheIndexForNumbersOfAllKindsAtOnce() throws {
    let realm = try file.open()
    try fill(realm)
    let readings = realm.objects(Reading.self)
    let ten = readings.where { $0.value == .int(10) }
    #expect(ten.explain().contains("index of 'value' names about 2 objects"))
    #expect(ten.map(\.value) == [.int(10), .double(10)])
    #expect(readings.where { $0.value == .bool(true) }.count == 200)
    #expect(readings.where { $0.value == .int(1) }.count == 0)
    #expect(readings.where { $0.value == .none }.count == 200)
    let range = readings.where { $0.value > .int(10) && $0.value <= .double(20) }
    #expect(range.explain().contains("index of 'value'"))
    #expect(range.count == 4)
    #expect(readings.filter("value == '13'").explain().contains("index of 'value'"))
  }

  @Test func deletingWhatAValueLinksToChangesTheIndex() throws {
    let realm = try file.open()
    let (target, reading) = try realm.write {
      let pair = (realm.create(Reading.self), realm.create(Reading.self))
      pair.1.value = .object(pair.0)
      return pair
    }
    let linked = realm.objects(Reading.self).where { $0.value == .object(target) }
    #expect(linked.count == 1 && linked[0].isSameObject(as: reading))
    try realm.write { realm.delete(target) }
    #expect(realm.objects(Reading.self).where { $0.value == .none }.count == 1)
  }

  @Test func theIndexComesAndGoesWithTheDeclaration() throws {
    func plan(_ type: (some Object).Type) throws -> String {
      let realm = try Realm(
        configuration: Realm.Configuration(
          fileURL: file.configuration.fileURL, objectTypes: [type]))
      return realm.objects(type).filter("value == 10").explain()
    }
    try autoreleasepool { try fill(file.open()) }
    #expect(try plan(Reading.self).contains("index of 'value'"))
    #expect(try plan(BareReading.self).contains("scan of 1000 objects"))
    #expect(try plan(NamedReading.self).contains("index of 'value'"))
  }
}
