import CScan

/// What a comparison of two values came to.
package enum Ordering: Sendable {
  case less, equal, greater
  /// Neither is less, and they are not equal: values of unlike kinds, null with anything else.
  case different

  @inline(__always)
  func satisfies(_ comparison: QueryComparison) -> Bool {
    switch comparison {
    case .equal: self == .equal
    case .notEqual: self != .equal
    case .less: self == .less
    case .lessOrEqual: self == .less || self == .equal
    case .greater: self == .greater
    case .greaterOrEqual: self == .greater || self == .equal
    }
  }

  var reversed: Ordering {
    switch self {
    case .less: .greater
    case .greater: .less
    case .equal, .different: self
    }
  }

  /// The order of numbers in which what is no number equals itself and comes before all others.
  @inline(__always)
  static func ofReals<T: BinaryFloatingPoint>(_ left: T, _ right: T) -> Ordering {
    if left < right { return .less }
    if left > right { return .greater }
    return left == right ? .equal : .of(left.isNaN ? 0 : 1, right.isNaN ? 0 : 1)
  }

  @inline(__always)
  static func of<T: Comparable>(_ left: T, _ right: T) -> Ordering {
    left < right ? .less : left == right ? .equal : left > right ? .greater : .different
  }
}

/// The order of byte strings, which is also that of UTF-8 strings by their scalars.
enum ByteOrder {
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Ordering {
    let order = unsafe scan_compare(left.baseAddress, left.count, right.baseAddress, right.count)
    return order < 0 ? .less : order == 0 ? .equal : .greater
  }

  static func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    unsafe left.count == right.count && compare(left, right) == .equal
  }

  static func contains(_ text: UnsafeRawBufferPointer, _ needle: UnsafeRawBufferPointer) -> Bool {
    unsafe scan_contains(text.baseAddress, text.count, needle.baseAddress, needle.count) != 0
  }
}
