import Foundation
import RealmSwift
import Testing

/// A property of the type by itself, optional, and as elements of lists.
class Holder<Value: _Persistable & _RealmCollectionValueInsideOptional>: Object {
  @Persisted var plain: Value
  @Persisted var optional: Value?
  @Persisted var list: List<Value>
  @Persisted var optionalList: List<Value?>

  override class func _realmObjectName() -> String? { "Holder" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class Keyed<Key: _Persistable>: Object where Key.PersistedType: _PrimaryKey {
  @Persisted(primaryKey: true) var id: Key
  @Persisted var name: String

  override class func _realmObjectName() -> String? { "Keyed" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class Indexed<Value: _Persistable>: Object where Value.PersistedType: _Indexable {
  @Persisted(indexed: true) var value: Value

  override class func _realmObjectName() -> String? { "Indexed" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

enum Word: String, PersistableEnum {
  case first
  case second
}

struct Shout: FailableCustomPersistable {
  var text: String
  init(_ text: String) { self.text = text }
  init?(persistedValue: String) { text = persistedValue.lowercased() }
  var persistableValue: String { text.uppercased() }
}

/// One test for every line of the table of types that a property can have.
@Suite struct ScalarTypesTests {
  private typealias Scalar = _Persistable & _RealmCollectionValueInsideOptional

  private static let date = Date(timeIntervalSince1970: -1.25)
  private static let id = ObjectId("0123456789abcdef01234567")
  private static let uuid = UUID(uuidString: "6FA459EA-EE8A-3CA4-894E-DB77E160355E")!

  @Test func everyTypeIsStoredPlainOptionalAndInLists() throws {
    try store([Int.min, -1, 0, .max], .int)
    try store([Int8.min, 0, .max], .int)
    try store([Int16.min, 0, .max], .int)
    try store([Int32.min, 0, .max], .int)
    try store([Int64.min, 0, .max], .int)
    try store([true, false], .bool)
    try store([Float.leastNonzeroMagnitude, -1.5, 0, .infinity], .float)
    try store([Double.leastNonzeroMagnitude, -1.5, 0, .infinity], .double)
    try store(["", "héllo\0 wörld", String(repeating: "long ", count: 2000)], .string)
    try store([Data(), Data([0, 255]), Data(repeating: 7, count: 10_000)], .data)
    try store([Self.date, Date(timeIntervalSinceReferenceDate: 0), .distantFuture], .date)
    try store([Self.id, ObjectId("000000000000000000000000")], .objectId)
    try store([Self.uuid, UUID()], .UUID)
    try store([Decimal128("-12.50"), Decimal128("0"), Decimal128("1E6000")], .decimal128)
    try store([Colour.green, .red], .int)
    try store([Word.second, .first], .string)
    try store([Metres(2.5), Metres(0)], .double)
    try store([Shout("hello"), Shout("")], .string)
  }

  @Test func everyTypeThatMayBeAPrimaryKeyFindsItsObject() throws {
    try identify([Int.min, 0, 7])
    try identify([Int8.min, 0, 7])
    try identify([Int16.min, 0, 7])
    try identify([Int32.min, 0, 7])
    try identify([Int64.min, 0, 7])
    try identify([false, true])
    try identify(["", "a", "ä"])
    try identify([Self.id, ObjectId("000000000000000000000000")])
    try identify([Self.uuid, UUID()])
    try identify([Colour.red, .green])
    try identify([Word.first, .second])
    try identify([Shout("a"), Shout("b")])
    try identify([Int?.none, 0, 7])
    try identify([Int8?.none, 0, 7])
    try identify([Int16?.none, 0, 7])
    try identify([Int32?.none, 0, 7])
    try identify([Int64?.none, 0, 7])
    try identify([Bool?.none, false, true])
    try identify([String?.none, "", "a"])
    try identify([ObjectId?.none, Self.id])
    try identify([UUID?.none, Self.uuid])
    try identify([Colour?.none, .red])
  }

  @Test func everyTypeThatMayBeIndexedIsFound() throws {
    try index([Int.min, 0, 7])
    try index([Int8.min, 0, 7])
    try index([Int16.min, 0, 7])
    try index([Int32.min, 0, 7])
    try index([Int64.min, 0, 7])
    try index([false, true])
    try index(["", "a", "ä"])
    try index([Self.date, .distantPast])
    try index([Self.id, ObjectId("000000000000000000000000")])
    try index([Self.uuid, UUID()])
    try index([Colour.red, .green])
    try index([Shout("a"), Shout("b")])
    try index([Int?.none, 0, 7])
    try index([Bool?.none, false, true])
    try index([String?.none, "", "a"])
    try index([Date?.none, Self.date])
    try index([ObjectId?.none, Self.id])
    try index([UUID?.none, Self.uuid])
    try index([Colour?.none, .red])
  }

  // MARK: - One type

  private func store<Value: Scalar>(_ samples: [Value], _ type: PropertyType) throws {
    let file = TemporaryRealm([Holder<Value>.self])
    let name = "\(Value.self)"
    try autoreleasepool {
      let realm = try file.open()
      checkSchema(realm.schema["Holder"], type, name)
      try realm.write {
        for sample in samples { realm.add(holder(of: sample)) }
        let many = Holder<Value>()
        many.list.append(objectsIn: samples)
        many.optionalList.append(objectsIn: samples)
        many.optionalList.append(nil)
        realm.add(many)
        realm.create(Holder<Value>.self, value: ["plain": samples[0], "list": samples])
      }
    }
    let holders = try file.open().objects(Holder<Value>.self)
    for (index, sample) in samples.enumerated() {
      #expect(holders[index].plain == sample, "\(name)")
      #expect(holders[index].optional == sample, "\(name)?")
      #expect(Array(holders[index].list) == [sample], "List<\(name)>")
      #expect(Array(holders[index].optionalList) == [nil, sample], "List<\(name)?>")
    }
    let many = holders[samples.count]
    #expect(many.optional == nil, "\(name)?")
    #expect(Array(many.list) == samples, "List<\(name)>")
    #expect(Array(many.optionalList) == samples.map(Optional.some) + [nil], "List<\(name)?>")
    #expect(many.list.index(of: samples[1]) == 1, "List<\(name)>")
    let made = holders[samples.count + 1]
    #expect(made.plain == samples[0] && Array(made.list) == samples, "\(name)")
    try change(holders, samples, name)
  }

  private func holder<Value: Scalar>(of value: Value) -> Holder<Value> {
    let holder = Holder<Value>()
    holder.plain = value
    holder.optional = value
    holder.list.append(value)
    holder.optionalList.append(objectsIn: [nil, value])
    return holder
  }

  private func checkSchema(_ schema: ObjectSchema?, _ type: PropertyType, _ name: String) {
    for property in ["plain", "optional", "list", "optionalList"] {
      #expect(schema?[property]?.type == type, "\(name)")
      #expect(schema?[property]?.isArray == property.lowercased().hasSuffix("list"), "\(name)")
      #expect(schema?[property]?.isOptional == property.hasPrefix("optional"), "\(name)")
    }
  }

  /// Sets managed properties and elements, and null.
  private func change<Value: Scalar>(
    _ holders: Results<Holder<Value>>, _ samples: [Value], _ name: String
  ) throws {
    let holder = holders[0]
    try holders.realm!.write {
      holder.plain = samples[1]
      holder.optional = nil
      holder.list[0] = samples[1]
      holder.optionalList[1] = nil
      holder["optional"] = samples[1]
    }
    #expect(holder.plain == samples[1] && holder.optional == samples[1], "\(name)")
    #expect(Array(holder.list) == [samples[1]], "List<\(name)>")
    #expect(Array(holder.optionalList) == [nil, nil], "List<\(name)?>")
    try holders.realm!.write { holder.optional = nil }
    #expect(holder.optional == nil, "\(name)?")
    #expect(holders.where { $0.optional == nil }.index(of: holder) == 0, "\(name)?")
    #expect(holders.where { $0.plain == samples[1] }.index(of: holder) == 0, "\(name)")
  }

  private func identify<Key: _Persistable & Hashable>(_ keys: [Key]) throws
  where Key.PersistedType: _PrimaryKey {
    let file = TemporaryRealm([Keyed<Key>.self])
    try autoreleasepool {
      let realm = try file.open()
      try realm.write {
        for (index, key) in keys.enumerated() {
          realm.create(Keyed<Key>.self, value: ["id": key, "name": "\(index)"])
        }
      }
    }
    let realm = try file.open()
    for (index, key) in keys.enumerated() {
      let found = realm.object(ofType: Keyed<Key>.self, forPrimaryKey: key)
      #expect(found?.name == "\(index)" && found?.id == key, "\(Key.self)")
    }
    try realm.write {
      realm.create(
        Keyed<Key>.self, value: ["id": keys[0], "name": "again"] as [String: Any],
        update: .modified)
    }
    #expect(realm.objects(Keyed<Key>.self).map(\.name).sorted().last == "again", "\(Key.self)")
    #expect(realm.objects(Keyed<Key>.self).count == keys.count, "\(Key.self)")
  }

  private func index<Value: _Persistable & Hashable>(_ values: [Value]) throws
  where Value.PersistedType: _Indexable {
    let file = TemporaryRealm([Indexed<Value>.self])
    try autoreleasepool {
      let realm = try file.open()
      #expect(realm.schema["Indexed"]?["value"]?.isIndexed == true)
      try realm.write {
        for value in values { realm.create(Indexed<Value>.self, value: ["value": value]) }
      }
    }
    let objects = try file.open().objects(Indexed<Value>.self)
    for value in values {
      #expect(objects.where { $0.value == value }.map(\.value) == [value], "\(Value.self)")
    }
  }
}
