import Foundation
import Testing

@testable import RealmSwift

final class AnyHolder: Object {
  @Persisted var value: AnyRealmValue
  @Persisted var values: List<AnyRealmValue>
}

@Suite struct AnyRealmValueTests {
  private let samples: [AnyRealmValue] = [
    .none, .int(-7), .bool(true), .float(1.5), .double(-2.25), .string("héllo"),
    .data(Data([0, 255])), .date(Date(timeIntervalSinceReferenceDate: 12.5)),
    .objectId(ObjectId("0123456789abcdef01234567")), .decimal128("12.50"),
    .uuid(UUID(uuidString: "6FA459EA-EE8A-3CA4-894E-DB77E160355E")!),
  ]

  @Test func accessorsGiveTheValueOfTheirTypeOnly() {
    #expect(AnyRealmValue() == .none)
    #expect(AnyRealmValue.int(3).intValue == 3)
    #expect(AnyRealmValue.int(3).stringValue == nil)
    #expect(samples.filter { $0.intValue != nil } == [.int(-7)])
    #expect(samples.filter { $0.boolValue != nil } == [.bool(true)])
    #expect(samples.filter { $0.floatValue != nil } == [.float(1.5)])
    #expect(samples.filter { $0.doubleValue != nil } == [.double(-2.25)])
    #expect(samples.filter { $0.stringValue != nil } == [.string("héllo")])
    #expect(samples.filter { $0.dataValue != nil }.count == 1)
    #expect(samples.filter { $0.dateValue != nil }.count == 1)
    #expect(samples.filter { $0.objectIdValue != nil }.count == 1)
    #expect(samples.filter { $0.decimal128Value != nil }.count == 1)
    #expect(samples.filter { $0.uuidValue != nil }.count == 1)
    let holder = AnyHolder()
    #expect(AnyRealmValue.object(holder).object(AnyHolder.self) === holder)
    #expect(AnyRealmValue.object(holder).object(QueryPet.self) == nil)
  }

  @Test func plainValuesConvert() {
    for sample in samples { #expect(AnyRealmValue(content: sample.content) == sample) }
    #expect(AnyRealmValue(content: UInt8(7)) == .int(7))
    #expect(AnyRealmValue(content: Optional(Optional("x")) as Any) == .string("x"))
    #expect(AnyRealmValue(content: QueryColor.green) == .int(1))
    #expect(AnyRealmValue(content: URL(string: "x:")!) == nil)
  }

  @Test func everyKindIsStored() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [AnyHolder.self]))
    try realm.write {
      for sample in samples {
        let holder = AnyHolder()
        holder.value = sample
        realm.add(holder)
      }
      let all = AnyHolder()
      all.values.append(objectsIn: samples)
      realm.add(all)
      all.value = .object(realm.objects(AnyHolder.self)[1])
    }
    let stored = realm.objects(AnyHolder.self)
    #expect(stored.prefix(samples.count).map(\.value) == samples)
    #expect(stored.last.map { Array($0.values) } == samples)
    #expect(stored.last?.value.object(AnyHolder.self)?.value == .int(-7))
    #expect(stored.where { $0.value == .string("héllo") }.count == 1)
    #expect(stored.where { $0.value > .int(5) }.map(\.value) == [.decimal128("12.50")])
    #expect(stored.filter("value == nil").count == 1)
  }
}
