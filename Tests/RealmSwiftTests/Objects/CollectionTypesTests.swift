import Foundation
import RealmSwift
import Testing

/// Sets and maps of the type, and of its optional.
final class Assortment<Value: _Persistable & _RealmCollectionValueInsideOptional>: Object {
  @Persisted var set: MutableSet<Value>
  @Persisted var optionalSet: MutableSet<Value?>
  @Persisted var map: Map<String, Value>
  @Persisted var optionalMap: Map<String, Value?>

  override class func _realmObjectName() -> String? { "Assortment" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// One test for every line of the table of types that sets and maps can have.
@Suite struct CollectionTypesTests {
  private typealias Scalar = _Persistable & _RealmCollectionValueInsideOptional

  @Test func everyTypeIsStoredInSetsAndMaps() throws {
    try store([Int.min, .max], .int)
    try store([Int8.min, .max], .int)
    try store([Int16.min, .max], .int)
    try store([Int32.min, .max], .int)
    try store([Int64.min, .max], .int)
    try store([true, false], .bool)
    try store([Float(1.5), -.infinity], .float)
    try store([1.5, -.infinity], .double)
    try store(["", "héllo\0 wörld"], .string)
    try store([Data(), Data(repeating: 7, count: 10_000)], .data)
    try store([Date(timeIntervalSince1970: -1.25), .distantFuture], .date)
    try store([ObjectId.generate(), ObjectId()], .objectId)
    try store([UUID(), UUID()], .UUID)
    try store([Decimal128("-12.50"), "1E6000"], .decimal128)
    try store([Colour.green, .red], .int)
    try store([Word.second, .first], .string)
    try store([Metres(2.5), Metres(0)], .double)
    try store([Shout("hello"), Shout("")], .string)
  }

  private func store<Value: Scalar>(_ samples: [Value], _ type: PropertyType) throws {
    let file = TemporaryRealm([Assortment<Value>.self])
    let name = "\(Value.self)"
    try autoreleasepool {
      let realm = try file.open()
      checkSchema(realm.schema["Assortment"], type, name)
      let object = Assortment<Value>()
      fill(object, samples)
      check(object, samples, "unmanaged \(name)")
      try realm.write {
        realm.add(object)
        let managed = realm.create(Assortment<Value>.self)
        fill(managed, samples)
        realm.create(
          Assortment<Value>.self,
          value: [
            "set": samples, "optionalSet": samples.map(Optional.some) + [nil],
            "map": ["a": samples[0], "b": samples[1]],
            "optionalMap": ["a": samples[0], "b": samples[1], "c": nil],
          ] as [String: Any])
      }
    }
    let objects = try file.open().objects(Assortment<Value>.self)
    #expect(objects.count == 3)
    for object in objects {
      check(object, samples, name)
      check(object.freeze(), samples, "frozen \(name)")
    }
    try change(objects[0], samples, name)
  }

  private func checkSchema(_ schema: ObjectSchema?, _ type: PropertyType, _ name: String) {
    for property in ["set", "optionalSet", "map", "optionalMap"] {
      #expect(schema?[property]?.type == type, "\(name)")
      #expect(schema?[property]?.isSet == property.lowercased().hasSuffix("set"), "\(name)")
      #expect(schema?[property]?.isMap == property.lowercased().hasSuffix("map"), "\(name)")
      #expect(schema?[property]?.isOptional == property.hasPrefix("optional"), "\(name)")
    }
  }

  private func fill<Value: Scalar>(_ object: Assortment<Value>, _ samples: [Value]) {
    object.set.insert(objectsIn: samples + samples)
    object.optionalSet.insert(objectsIn: samples.map(Optional.some) + [nil, nil])
    object.map["a"] = samples[0]
    object.map["b"] = samples[1]
    object.optionalMap["a"] = samples[0]
    object.optionalMap["b"] = samples[1]
    object.optionalMap["c"] = .some(nil)
  }

  private func check<Value: Scalar>(
    _ object: Assortment<Value>, _ samples: [Value], _ name: String
  ) {
    #expect(Set(object.set) == Set(samples) && object.set.count == 2, "MutableSet<\(name)>")
    #expect(
      Set(object.optionalSet) == Set(samples.map(Optional.some) + [nil]), "MutableSet<\(name)?>")
    #expect(object.set.contains(samples[1]) && object.optionalSet.contains(nil), "\(name)")
    #expect(object.map.keys == ["a", "b"] && object.map.values == samples, "Map<\(name)>")
    #expect(
      object.optionalMap.values == [samples[0], samples[1], nil], "Map<\(name)?>")
    #expect(object.optionalMap["c"] == .some(nil) && object.map["c"] == nil, "\(name)")
  }

  private func change<Value: Scalar>(
    _ object: Assortment<Value>, _ samples: [Value], _ name: String
  ) throws {
    try object.realm!.write {
      object.set.remove(samples[0])
      object.optionalSet.remove(nil)
      object.map["a"] = nil
      object.optionalMap["a"] = .some(nil)
    }
    #expect(Array(object.set) == [samples[1]], "\(name)")
    #expect(object.optionalSet.count == 2, "\(name)")
    #expect(object.map.count == 1 && object.map["b"] == samples[1], "\(name)")
    #expect(object.optionalMap["a"] == .some(nil), "\(name)")
  }
}

// MARK: - Raw values that no case has

final class EarlierSignal: Object {
  @Persisted var colour: Int
  @Persisted var optional: Int?
  @Persisted var list: List<Int?>
  @Persisted var map: Map<String, Int?>
  @Persisted var text: String?
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
  override class func _realmObjectName() -> String? { "Signal" }
}

struct EvenLength: FailableCustomPersistable {
  var text: String
  init?(persistedValue: String) {
    if persistedValue.count % 2 == 1 { return nil }
    text = persistedValue
  }
  var persistableValue: String { text }
}

final class LaterSignal: Object {
  @Persisted var colour: Colour
  @Persisted var optional: Colour?
  @Persisted var list: List<Colour?>
  @Persisted var map: Map<String, Colour?>
  @Persisted var text: EvenLength?
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
  override class func _realmObjectName() -> String? { "Signal" }
}

@Suite struct UnknownRawValueTests {
  @Test func readNilWhereTheTypeIsOptional() throws {
    let file = TemporaryRealm([EarlierSignal.self])
    try autoreleasepool {
      let realm = try file.open()
      try realm.write {
        realm.create(
          EarlierSignal.self,
          value: [
            "colour": 77, "optional": 77, "list": [3, 77, nil], "map": ["a": 77, "b": 5],
            "text": "odd",
          ] as [String: Any])
      }
    }
    let realm = try Realm(
      configuration: TemporaryRealm.configuration(path: file.path, [LaterSignal.self]))
    let signal = try #require(realm.objects(LaterSignal.self).first)
    #expect(signal.colour == .red)
    #expect(signal.optional == nil && signal.text == nil)
    #expect(Array(signal.list) == [.red, nil, nil])
    #expect(signal.map["a"] == .some(nil) && signal.map["b"] == .green)
    try realm.write {
      signal.optional = .green
      signal.text = EvenLength(persistedValue: "even")
    }
    #expect(signal.optional == .green && signal.text?.text == "even")
  }

  @Test func aValueThatCannotBeConvertedIsRefused() async {
    await #expect(processExitsWith: .failure) {
      _ = LaterSignal(value: ["text": "odd"])
    }
  }
}

@Suite struct BridgingTests {
  @Test func valuesCrossAsWhatIsStored() {
    #expect(dynamicBridgeCast(fromSwift: Colour.green) as? Int == 5)
    #expect(dynamicBridgeCast(fromSwift: Metres(2.5)) as? Double == 2.5)
    #expect(dynamicBridgeCast(fromSwift: Int?.none) is NSNull)
    #expect(dynamicBridgeCast(fromSwift: "text") as? String == "text")
    let colour: Colour = dynamicBridgeCast(fromObjectiveC: 5)
    #expect(colour == .green)
    let none: Int? = dynamicBridgeCast(fromObjectiveC: NSNull())
    #expect(none == nil)
    let some: Int? = dynamicBridgeCast(fromObjectiveC: 7)
    #expect(some == 7)
    let array: [Int] = dynamicBridgeCast(fromObjectiveC: [1, 2])
    #expect(array == [1, 2])
  }

  @Test func boxesHoldValues() throws {
    let number = RealmProperty<Int?>()
    #expect(number.value == nil)
    number.value = 3
    let same = RealmProperty<Int?>()
    #expect(number != same)
    same.value = 3
    #expect(number == same)
    let any = RealmProperty<AnyRealmValue>()
    any.value = .string("a")
    #expect(any.value == .string("a"))
    let data = try JSONEncoder().encode([number])
    #expect(String(decoding: data, as: UTF8.self) == "[3]")
    #expect(try JSONDecoder().decode([RealmProperty<Int?>].self, from: data) == [number])
  }
}
