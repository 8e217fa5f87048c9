import Foundation
import RealmSwift

/// A type that properties and elements of collections can have, with values to try.
protocol KindValue: _Persistable, _RealmCollectionValueInsideOptional, Sendable {
  /// Different ones, in their order. The first is no default.
  static var samples: [Self] { get }
  /// What a property has that was not given a value.
  static var initial: Self? { get }
}

/// One that has a smallest and a largest value.
protocol KindBounded: KindValue where PersistedType: MinMaxType {}

/// One that can be added up.
protocol KindAddable: KindBounded where PersistedType: AddableType {
  /// About the value.
  var real: Double { get }
}

/// A class with every kind of property of a type.
final class KindBox<Value: KindValue>: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var plain: Value
  @Persisted var maybe: Value?
  @Persisted var list: List<Value>
  @Persisted var maybes: List<Value?>
  @Persisted var set: MutableSet<Value>
  @Persisted var map: Map<String, Value>
  @Persisted var maybeMap: Map<String, Value?>

  override class func _realmObjectName() -> String? { "Box" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  /// One with the value everywhere.
  convenience init(_ id: Int, _ value: Value) {
    self.init()
    self.id = id
    fill(value)
  }

  func fill(_ value: Value) {
    plain = value
    maybe = value
    list.append(value)
    maybes.append(objectsIn: [value, nil])
    set.insert(value)
    map["key"] = value
    maybeMap["key"] = value
    maybeMap["none"] = .some(nil)
  }

  /// Whether it has the value everywhere, and only that.
  func holds(_ value: Value) -> Bool {
    plain == value && maybe == value && Array(list) == [value] && Array(maybes) == [value, nil]
      && Array(set) == [value] && map.keys == ["key"] && map["key"] == value
      && maybeMap["key"] == .some(value) && maybeMap["none"] == .some(.none)
      && maybeMap.count == 2
  }
}

/// The next generation of the class: what could be nil cannot, and the other way round.
final class NextKindBox<Value: KindValue>: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var plain: Value?
  @Persisted var maybe: Value
  @Persisted var list: List<Value?>
  @Persisted var set: MutableSet<Value?>
  @Persisted var renamed: Map<String, Value>
  @Persisted var any: AnyRealmValue

  override class func _realmObjectName() -> String? { "Box" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

enum KindWord: String, PersistableEnum, Codable { case alpha, beta, gamma }
enum KindNumber: Int, PersistableEnum, Codable { case one = 1, two, three }

struct KindMetres: CustomPersistable, Hashable, Codable {
  typealias PersistedType = Double
  var metres: Double
  init(_ metres: Double) { self.metres = metres }
  init(persistedValue: Double) { metres = persistedValue }
  var persistableValue: Double { metres }
}

struct KindName: FailableCustomPersistable, Hashable, Codable {
  typealias PersistedType = String
  var name: String
  init(_ name: String) { self.name = name }
  init?(persistedValue: String) {
    if persistedValue == "nobody" { return nil }
    name = persistedValue
  }
  var persistableValue: String { name }
}

// MARK: - The kinds

protocol KindInteger: KindAddable, FixedWidthInteger where PersistedType: MinMaxType {}
extension KindInteger {
  static var samples: [Self] { [.min, 1, 100, .max] }
  static var initial: Self? { 0 }
  var real: Double { Double(self) }
}
extension Int: KindInteger {
  // Sums of its bounds do not fit.
  static var samples: [Int] { [-1 << 40, 1, 100, 1 << 50] }
}
extension Int8: KindInteger {}
extension Int16: KindInteger {}
extension Int32: KindInteger {}
extension Int64: KindInteger {
  static var samples: [Int64] { [-1 << 60, 1, 100, 1 << 61] }
}

extension Bool: KindValue {
  static var samples: [Bool] { [false, true] }
  static var initial: Bool? { false }
}

extension Float: KindAddable {
  static var samples: [Float] { [-1.5, 0.25, 3e38] }
  static var initial: Float? { 0 }
  var real: Double { Double(self) }
}

extension Double: KindAddable {
  static var samples: [Double] { [-1.5, 0.1, 1e300] }
  static var initial: Double? { 0 }
  var real: Double { self }
}

extension Decimal128: KindAddable {
  static var samples: [Decimal128] { ["-1.5", "0.1", "9.999999999999999999999999999999999E+100"] }
  static var initial: Decimal128? { 0 }
  var real: Double { doubleValue }
}

extension String: KindValue {
  static var samples: [String] { ["A", "a string of more than sixteen bytes", "é", "日本 😀"] }
  static var initial: String? { "" }
}

extension Data: KindValue {
  static var samples: [Data] { [Data([0]), Data([0, 255]), Data(repeating: 7, count: 5000)] }
  static var initial: Data? { Data() }
}

extension Date: KindBounded {
  static var samples: [Date] {
    [-1e9, 0.5, 1e9].map { Date(timeIntervalSinceReferenceDate: $0) }
  }
  // Now.
  static var initial: Date? { nil }
}

extension ObjectId: KindValue {
  static var samples: [ObjectId] {
    [ObjectId("000000000000000000000001"), ObjectId("0123456789abcdef01234567")]
  }
  static var initial: ObjectId? { nil }
}

extension UUID: KindValue {
  static var samples: [UUID] {
    ["00000000-0000-0000-0000-000000000001", "6FA459EA-EE8A-3CA4-894E-DB77E160355E"]
      .map { UUID(uuidString: $0)! }
  }
  static var initial: UUID? { nil }
}

extension KindWord: KindValue {
  static var samples: [KindWord] { [.beta, .gamma] }
  static var initial: KindWord? { .alpha }
}

extension KindNumber: KindValue {
  static var samples: [KindNumber] { [.two, .three] }
  static var initial: KindNumber? { .one }
}

extension KindMetres: KindAddable {
  static var samples: [KindMetres] { [KindMetres(-2), KindMetres(8.5)] }
  static var initial: KindMetres? { KindMetres(0) }
  var real: Double { metres }
}

extension KindName: KindValue {
  static var samples: [KindName] { [KindName("Ann"), KindName("Bo")] }
  static var initial: KindName? { KindName("") }
}
