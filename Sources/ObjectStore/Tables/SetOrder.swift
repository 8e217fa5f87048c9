import Platform
import Storage

/// The order of a set's elements, in which none equals another one: null, booleans, numbers by
/// value whatever their kinds, strings and data by their bytes, dates, identifiers, links.
///
/// Not-a-number equals itself and comes before all numbers, so that a set can find it. Queries take
/// more for equal, a float and the decimal of its first seven digits for example, and so a third
/// value for equal to two that differ: a set could not find what is in it.
package enum SetOrder {
  package enum Order { case less, equal, greater }

  package static func compare(_ left: StoredValue, _ right: StoredValue) -> Order {
    switch (left, right) {
    case (.int(let left), .int(let right)): return order(left, right)
    case (.string(let left), .string(let right)): return bytes(left.utf8, right.utf8)
    case (.link(let leftTable, let left), .link(let rightTable, let right)):
      return order(
        (leftTable.rawValue, left.rawValue), (rightTable.rawValue, right.rawValue))
    case (.objectId(let left), .objectId(let right)): return order(left, right)
    case (.uuid(let left), .uuid(let right)): return order(left, right)
    case (.data(let left), .data(let right)): return bytes(left, right)
    case (.date(let left), .date(let right)): return numbers(.double(left), .double(right))
    default: break
    }
    let (leftRank, rightRank) = (rank(left), rank(right))
    if leftRank != rightRank { return order(leftRank, rightRank) }
    switch (left, right) {
    case (.bool(let left), .bool(let right)): return order(left ? 1 : 0, right ? 1 : 0)
    case (.null, _): return .equal
    default: return numbers(exact(left), exact(right))
    }
  }

  /// Whether queries take values for equal; not-a-number for itself.
  static func areEqualInQueries(_ left: StoredValue, _ right: StoredValue) -> Bool {
    let areNumbers = rank(left) == numberRank && rank(right) == numberRank
    if areNumbers { return numbers(number(left), number(right)) == .equal }
    return compare(left, right) == .equal
  }

  /// Where the value is, or would have to be, in a set.
  package static func place(
    of value: StoredValue, in set: ListView
  ) throws(StorageError) -> (index: Int, isFound: Bool) {
    // The place that is found has been compared, unless it is the end.
    var isEqual = false
    let place = try (0..<set.count).partitionPoint { (index) throws(StorageError) in
      let order = compare(try set.value(at: index), value)
      if order == .equal { isEqual = true }
      return order == .less
    }
    return (place, isEqual)
  }

  private static let numberRank = 2

  private static func rank(_ value: StoredValue) -> Int {
    switch value {
    case .null: 0
    case .bool: 1
    case .int, .float, .double, .decimal128: numberRank
    case .string: 3
    case .data: 4
    case .date: 5
    case .objectId: 6
    case .uuid: 7
    case .link: 8
    }
  }

  private static func order<T: Comparable>(_ left: T, _ right: T) -> Order {
    left < right ? .less : left == right ? .equal : .greater
  }

  private static func order(
    _ left: (UInt32, Int64), _ right: (UInt32, Int64)
  ) -> Order {
    left < right ? .less : left == right ? .equal : .greater
  }

  private static func bytes(
    _ left: some Collection<UInt8>, _ right: some Collection<UInt8>
  ) -> Order {
    if left.lexicographicallyPrecedes(right) { return .less }
    return left.elementsEqual(right) ? .equal : .greater
  }

  private static func numbers(_ left: RowValue, _ right: RowValue) -> Order {
    switch RowValue.compare(left, right) {
    case .less: .less
    case .equal: .equal
    case .greater: .greater
    case .different: order(isNumber(left) ? 1 : 0, isNumber(right) ? 1 : 0)
    }
  }

  private static func isNumber(_ value: RowValue) -> Bool {
    RowValue.compare(value, value) == .equal
  }

  /// A number as sets compare it: a float as the double that it is, and what is a whole number as
  /// that. With a decimal a double is compared by the shortest digits that it is read from: of
  /// those that are no integers these have one order, and each has others.
  private static func exact(_ value: StoredValue) -> RowValue {
    let real: Double
    switch value {
    case .float(let value): real = Double(value)
    case .double(let value): real = value
    default: return number(value)
    }
    return Int64(exactly: real).map { .int($0) } ?? .double(real)
  }

  private static func number(_ value: StoredValue) -> RowValue {
    switch value {
    case .int(let value): .int(value)
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .decimal128(let bits): .decimal128(bits)
    default: preconditionFailure("Only numbers are compared as such.")
    }
  }
}
