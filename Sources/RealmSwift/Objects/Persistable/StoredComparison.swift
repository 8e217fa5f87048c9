import Foundation
public import ObjectStore

// When two values are one and the same in a realm. Collections without a realm go by that too, so
// that they hold what they will hold when they are added. Swift goes by other rules for strings
// that are composed differently, for what is no number, and for numbers of unlike types.

extension String {
  public var _rlmComparable: StoredValue? { .string(self) }
}

extension Double {
  public var _rlmComparable: StoredValue? { .double(self) }
}

extension Float {
  public var _rlmComparable: StoredValue? { .float(self) }
}

extension Date {
  public var _rlmComparable: StoredValue? { .date(timeIntervalSinceReferenceDate) }
}

extension PersistableEnum {
  public var _rlmComparable: StoredValue? { rawValue._rlmComparable }
}

extension _CustomPersistable {
  public var _rlmComparable: StoredValue? { persistableValue._rlmComparable }
}

extension RealmCollectionValue {
  /// Whether a realm would find the one when it looks for the other in a list.
  func isSame(as other: Self) -> Bool {
    guard let own = _rlmComparable, let theirs = other._rlmComparable else { return self == other }
    return own == theirs
  }
}

extension Sequence where Element: RealmCollectionValue {
  /// Whether both hold the same in the same order.
  func holdsSame(as other: some Sequence<Element>) -> Bool {
    elementsEqual(other) { $0.isSame(as: $1) }
  }
}
