import Foundation
import RealmSwift
import TestSupport

/// A value of any kind, in the plainest form. Numbers are multiples of a half, which all kinds
/// hold.
enum PlainMixed {
  case none
  case bool(Bool)
  case int(Int)
  case float(Float)
  case double(Double)
  case decimal(Double)
  case text(String)
  case day(Int)

  init(_ random: inout SeededGenerator) {
    let half = Double(random.below(13) - 6) / 2
    switch random.below(9) {
    case 0: self = .none
    case 1: self = .bool(random.below(2) == 0)
    case 2, 3: self = .int(random.below(7) - 3)
    case 4: self = .float(Float(half))
    case 5: self = .double(random.below(12) == 0 ? .nan : half)
    case 6: self = .decimal(half)
    case 7: self = .text(PlainItem.texts[random.below(PlainItem.texts.count)])
    default: self = .day(random.below(10))
    }
  }

  var value: AnyRealmValue {
    switch self {
    case .none: .none
    case .bool(let value): .bool(value)
    case .int(let value): .int(value)
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .decimal(let value): .decimal128(Decimal128(floatLiteral: value))
    case .text(let value): .string(value)
    case .day(let day): .date(Self.date(day))
    }
  }

  private static func date(_ day: Int) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(day) * 86_400)
  }

  /// In a predicate's string.
  var literal: String {
    switch self {
    case .none: "nil"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value), .decimal(let value): value.isNaN ? "nan" : "\(value)"
    case .text(let value): "'\(value)'"
    case .day(let day): "T\(day * 86_400 + 978_307_200):0"
    }
  }

  private var number: Double? {
    switch self {
    case .int(let value): Double(value)
    case .float(let value): Double(value)
    case .double(let value), .decimal(let value): value
    default: nil
    }
  }

  /// Below, equal to or above zero; nil for values that do not compare. What is no number equals
  /// itself and is below all numbers.
  func order(_ other: PlainMixed) -> Int? {
    func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
      left < right ? -1 : left == right ? 0 : 1
    }
    if let left = number, let right = other.number {
      if left.isNaN || right.isNaN { return order(left.isNaN ? 0 : 1, right.isNaN ? 0 : 1) }
      return order(left, right)
    }
    switch (self, other) {
    case (.none, .none): return 0
    case (.bool(let left), .bool(let right)): return order(left ? 1 : 0, right ? 1 : 0)
    case (.day(let left), .day(let right)): return order(left, right)
    case (.text(let left), .text(let right)):
      if Array(left.utf8) == Array(right.utf8) { return 0 }
      return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    default: return nil
    }
  }
}

extension RandomConditions.Operator {
  func holds(_ left: PlainMixed, _ right: PlainMixed) -> Bool {
    guard let order = left.order(right) else { return self == .notEqual }
    if case .none = left { return holds(nil as Int?, nil) }
    return holds(order, 0)
  }
}

extension RandomConditions {
  /// On values of any kind.
  mutating func mixedLeaf() -> RandomCondition {
    let o = Operator.allCases[random.below(Operator.allCases.count)]
    let (value, other) = (PlainMixed(&random), PlainMixed(&random))
    switch random.below(6) {
    case 0:
      return RandomCondition(
        text: "mixed IN {\(value.literal), nil, \(other.literal), 1}",
        query: { $0.mixed.in([value.value, .none, other.value, .int(1)]) }
      ) { item in
        [value, .none, other, .int(1)].contains { Operator.equal.holds(item.mixed, $0) }
      }
    case 1:
      return RandomCondition(
        text: "mixed BETWEEN {\(value.literal), \(other.literal)}",
        query: { $0.mixed >= value.value && $0.mixed <= other.value }
      ) {
        Operator.greaterOrEqual.holds($0.mixed, value)
          && Operator.lessOrEqual.holds($0.mixed, other)
      }
    case 2:
      return RandomCondition(text: "other.mixed \(o.rawValue) \(value.literal)") {
        [items] in o.holds($0.other.map { items[$0].mixed } ?? .none, value)
      }
    default:
      return RandomCondition(
        text: "mixed \(o.rawValue) \(value.literal)", query: { o.query($0.mixed, value.value) }
      ) { o.holds($0.mixed, value) }
    }
  }
}
