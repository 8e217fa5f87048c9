import EngineLab
import Foundation
import ObjectStore
import RealmSwift
import Storage
import TestSupport
import Testing

private protocol MixedRow: Object {
  var id: Int { get }
  var value: AnyRealmValue { get set }
  static func query(_ rows: Results<Self>, _ condition: MixedCondition) -> Results<Self>
}

/// One class in the file, whose index comes and goes with the generation that opens it.
private final class KeyedRow: Object, MixedRow {
  @Persisted var id: Int
  @Persisted(indexed: true) var value: AnyRealmValue

  override class func _realmObjectName() -> String? { "MixedRow" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  static func query(
    _ rows: Results<KeyedRow>, _ condition: MixedCondition
  ) -> Results<KeyedRow> {
    rows.where { condition.query($0.value) }
  }
}

private final class BareRow: Object, MixedRow {
  @Persisted var id: Int
  @Persisted var value: AnyRealmValue

  override class func _realmObjectName() -> String? { "MixedRow" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  static func query(_ rows: Results<BareRow>, _ condition: MixedCondition) -> Results<BareRow> {
    rows.where { condition.query($0.value) }
  }
}

/// The same rows in a class that never has an index.
private final class TwinRow: Object, MixedRow {
  @Persisted var id: Int
  @Persisted var value: AnyRealmValue

  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  static func query(_ rows: Results<TwinRow>, _ condition: MixedCondition) -> Results<TwinRow> {
    rows.where { condition.query($0.value) }
  }
}

private final class MixedTarget: Object {
  @Persisted(primaryKey: true) var id: Int

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private struct MixedCondition {
  enum Kind: Int, CaseIterable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, oneOf, between, outside
  }

  let kind: Kind
  let first: AnyRealmValue
  let second: AnyRealmValue

  func query(_ value: Query<AnyRealmValue>) -> Query<Bool> {
    switch kind {
    case .equal: value == first
    case .notEqual: value != first
    case .less: value < first
    case .lessOrEqual: value <= first
    case .greater: value > first
    case .greaterOrEqual: value >= first
    case .oneOf: value.in([first, second, .none])
    case .between: value >= first && value < second
    case .outside: value < first || value == second
    }
  }

  /// The same as a string with arguments.
  var text: (String, [Any]) {
    let first = first as Any
    let second = second as Any
    return switch kind {
    case .equal: ("value == %@", [first])
    case .notEqual: ("value != %@", [first])
    case .less: ("value < %@", [first])
    case .lessOrEqual: ("value <= %@", [first])
    case .greater: ("value > %@", [first])
    case .greaterOrEqual: ("value >= %@", [first])
    case .oneOf: ("value IN %@", [[first, second, AnyRealmValue.none]])
    case .between: ("value >= %@ AND value < %@", [first, second])
    case .outside: ("value < %@ OR value == %@", [first, second])
    }
  }
}

/// Values that an index could confuse: whole and broken numbers of all kinds that are equal, nearly
/// equal or at the ends of their kinds, and bytes that are a string's and data.
private enum AwkwardValues {
  static let reals: [Double] = [
    0, -0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, 0.1,
    -0.1, 1, -1, 1.5, 2,
    16_777_216, 16_777_217, 8_388_607.5, 0x1p46, 0x1p46 - 0.5, 0x1p46 + 1, 0x1p53, 0x1p53 + 2,
    0x1p60, 0x1p63, -0x1p63, 1e22, 1e300, .greatestFiniteMagnitude, 1.1, 3.3, 1.0000001,
  ]
  static let integers = [
    0, 1, -1, 2, 16_777_217, 1 << 46, 1 << 46 + 1, 1 << 46 - 1, 1 << 53, 1 << 53 + 1, 1 << 60,
    .max, .max - 1, .min, .min + 1,
  ]
  static let decimals = [
    "0", "-0", "0.1", "1.1", "1.10000000000000001", "1.0000000000000000000000000000000001",
    "1E-400",
    "-1E-400", "1E+400", "0.30000001", "16777217", "1152921504606846976", "9007199254740993", "NaN",
    "Infinity", "-Infinity", "3.3", "1.0000001", "2.0000000000000000001", "-1.0000000000000000001",
    "70368744177664", "70368744177663.5",
  ]
  static let texts = ["", "a", "A", "\u{e9}", "e\u{301}", "b", "1", "value"]

  static func one(_ random: inout SeededGenerator, _ targets: [MixedTarget]) -> AnyRealmValue {
    switch random.below(14) {
    case 0: return .none
    case 1: return .bool(random.below(2) == 0)
    case 2, 3: return .int(integers[random.below(integers.count)])
    case 4: return .float(Float(reals[random.below(reals.count)]))
    case 5, 6: return .double(reals[random.below(reals.count)])
    case 7, 8:
      return .decimal128(try! Decimal128(string: decimals[random.below(decimals.count)]))
    case 9: return .string(texts[random.below(texts.count)])
    case 10: return .data(Data(texts[random.below(texts.count)].utf8))
    case 11:
      return .date(Date(timeIntervalSince1970: Double(random.below(4)) / 3 + 0x1p31))
    case 12:
      return random.below(2) == 0
        ? .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, UInt8(random.below(3)))))
        : .objectId(try! ObjectId(string: "00000000000000000000000\(random.below(3))"))
    default:
      return targets.isEmpty ? .none : .object(targets[random.below(targets.count)])
    }
  }
}

/// Random histories of rows with an index on values of any kind beside the same rows without one.
@Suite struct AnyIndexHistoryTests {
  private static var rounds: Int {
    ProcessInfo.processInfo.environment["HOLDFAST_ANY_INDEX_ROUNDS"].flatMap { Int($0) } ?? 2
  }

  private func realm<Row: Object>(_ file: TemporaryRealm, _ type: Row.Type) throws -> Realm {
    var configuration = file.configuration
    configuration.objectTypes = [type, TwinRow.self, MixedTarget.self]
    return try Realm(configuration: configuration)
  }

  private func change<Row: MixedRow>(
    _ type: Row.Type, _ realm: Realm, _ random: inout SeededGenerator
  ) throws {
    try realm.write {
      for _ in 0..<1 + random.below(30) {
        let rows = realm.objects(type)
        let targets = Array(realm.objects(MixedTarget.self))
        let chosen = rows.isEmpty ? nil : random.below(rows.count)
        switch random.below(12) {
        case 0, 1, 2:
          let id = (rows.max(of: \.id) ?? 0) + 1
          let value = AwkwardValues.one(&random, targets)
          realm.create(type, value: ["id": id]).value = value
          realm.create(TwinRow.self, value: ["id": id]).value = value
        case 3:
          guard let chosen else { break }
          let id = rows[chosen].id
          realm.delete(rows[chosen])
          realm.delete(realm.objects(TwinRow.self).where { $0.id == id })
        case 4: realm.create(MixedTarget.self, value: [random.below(6)], update: .all)
        case 5: if let target = targets.randomElement(using: &random) { realm.delete(target) }
        case 6, 7:
          guard let chosen else { break }
          nest(rows[chosen], realm, &random)
        default:
          guard let chosen else { break }
          let value = AwkwardValues.one(&random, targets)
          rows[chosen].value = value
          twin(of: rows[chosen], realm).value = value
        }
      }
    }
  }

  private func twin(of row: some MixedRow, _ realm: Realm) -> TwinRow {
    let id = row.id
    return realm.objects(TwinRow.self).where { $0.id == id }.first!
  }

  private func nest(_ row: some MixedRow, _ realm: Realm, _ random: inout SeededGenerator) {
    let number = random.below(5)
    if random.below(2) == 0 {
      row.value = .fromArray([.int(number), .string("a")])
      twin(of: row, realm).value = .fromArray([.int(number), .string("a")])
    } else {
      row.value = .fromDictionary(["a": .int(number)])
      twin(of: row, realm).value = .fromDictionary(["a": .int(number)])
    }
  }

  private func compare<Row: MixedRow>(
    _ type: Row.Type, _ realm: Realm, _ random: inout SeededGenerator, _ note: String
  ) {
    let rows = realm.objects(type)
    let targets = Array(realm.objects(MixedTarget.self))
    compareWhole(rows, realm.objects(TwinRow.self), note)
    for _ in 0..<60 {
      let condition = MixedCondition(
        kind: MixedCondition.Kind.allCases[random.below(MixedCondition.Kind.allCases.count)],
        first: AwkwardValues.one(&random, targets), second: AwkwardValues.one(&random, targets))
      let plain = TwinRow.query(realm.objects(TwinRow.self), condition).map(\.id)
      let keyed = Row.query(rows, condition)
      let text = condition.text
      let filtered = rows.filter(
        NSPredicate(format: text.0, argumentArray: text.1))
      let wanted = Array(plain).sorted()
      let found = keyed.map(\.id).sorted()
      let foundByText = filtered.map(\.id).sorted()
      let foundOfSome = Row.query(rows.where { $0.id > 3 }, condition).map(\.id).sorted()
      if found != wanted || foundByText != wanted || foundOfSome != wanted.filter({ $0 > 3 })
        || Row.query(rows, condition).count != wanted.count
        || Row.query(rows, condition).isEmpty != wanted.isEmpty
        || Row.query(rows, condition).sorted(by: \.id).first?.id != wanted.first
      {
        Issue.record(
          """
          \(note): \(condition): \(found), \(foundByText) and \(foundOfSome), not \(wanted): \
          \(keyed.explain())
          """)
        return
      }
    }
  }

  private func compareWhole<Row: MixedRow>(
    _ rows: Results<Row>, _ twins: Results<TwinRow>, _ note: String
  ) {
    for ascending in [true, false] {
      let order = rows.sorted(byKeyPath: "value", ascending: ascending).map(\.id)
      #expect(
        Array(order) == twins.sorted(byKeyPath: "value", ascending: ascending).map(\.id),
        "\(note): sorted")
    }
    let distinct = rows.distinct(by: ["value"]).map(\.id)
    #expect(Array(distinct) == twins.distinct(by: ["value"]).map(\.id), "\(note): distinct")
    #expect(
      text(rows.min(of: \.value), rows.max(of: \.value), rows.sum(of: \.value))
        == text(twins.min(of: \.value), twins.max(of: \.value), twins.sum(of: \.value)),
      "\(note): aggregates")
  }

  private func text(_ values: AnyRealmValue?...) -> [String] {
    values.map { value in
      switch value {
      // Each is its own object.
      case .list(let list): "\(Array(list))"
      case .dictionary(let map): "\(map.keys) \(map.values)"
      default: "\(value as Any)"
      }
    }
  }

  @Test(arguments: [false, true])
  func queriesFindWhatTheyFindWithoutAnIndex(isEncrypted: Bool) throws {
    for seed in 1...UInt64(Self.rounds) {
      let file = TemporaryRealm(nil, key: isEncrypted ? Data(0..<64) : nil)
      var random = SeededGenerator(seed: seed &* 77 &+ (isEncrypted ? 1 : 0))
      for round in 0..<12 {
        try autoreleasepool {
          if random.below(3) > 0 {
            try live(KeyedRow.self, file, &random, "seed \(seed) round \(round) keyed")
          } else {
            try live(BareRow.self, file, &random, "seed \(seed) round \(round) bare")
          }
        }
        try check(file, "seed \(seed) round \(round)")
      }
    }
  }

  /// What one generation does with the file until it is closed.
  private func live<Row: MixedRow>(
    _ type: Row.Type, _ file: TemporaryRealm, _ random: inout SeededGenerator, _ note: String
  ) throws {
    let realm = try realm(file, type)
    compare(type, realm, &random, note + " opened")
    let frozen = realm.freeze()
    for _ in 0..<3 { try change(type, realm, &random) }
    compare(type, realm, &random, note)
    compare(type, frozen, &random, note + " frozen")
    if random.below(3) == 0 {
      realm.beginWrite()
      for row in realm.objects(type) where row.id % 2 == 0 { row.value = .int(7) }
      realm.cancelWrite()
      compare(type, realm, &random, note + " cancelled")
    }
  }

  private func check(_ file: TemporaryRealm, _ note: String) throws {
    var options = DatabaseOptions()
    options.encryptionKey = file.configuration.encryptionKey.flatMap { EncryptionKey($0) }
    let database = try Database.open(path: file.path, options: options)
    #expect(try database.verify().findings == [], "\(note)")
    #expect(try database.pinNewest().storeFindings().isEmpty, "\(note)")
  }
}
