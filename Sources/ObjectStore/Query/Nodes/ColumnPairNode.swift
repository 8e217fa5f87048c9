import CScan
import Storage

/// A numeric or date column of an object compared with another one of the same object, a vector at
/// a time.
///
/// Both are widened to 64 bits first, so one loop serves all widths; what cannot be compared
/// exactly that way goes row by row.
final class ColumnPairNode: PredicateNode {
  private let left: ColumnInfo
  private let right: ColumnInfo
  private let comparison: QueryComparison
  /// Whether both are compared as integers; else as doubles.
  private let areIntegers: Bool
  private let byRow: RowCompareNode
  var cost: Int { 4 }

  /// Nil if the columns are of kinds that are not compared so.
  init?(
    _ left: ColumnInfo, _ comparison: QueryComparison, _ right: ColumnInfo, byRow: RowCompareNode
  ) {
    let areDates = left.kind == .date && right.kind == .date
    guard
      areDates || (left.kind == .bool && right.kind == .bool)
        || (Self.isNumber(left.kind) && Self.isNumber(right.kind))
    else { return nil }
    self.left = left
    self.right = right
    self.comparison = comparison
    self.byRow = byRow
    areIntegers = Self.isInteger(left.kind) && Self.isInteger(right.kind)
  }

  private static func isInteger(_ kind: ValueKind) -> Bool { kind == .int || kind == .bool }

  private static func isNumber(_ kind: ValueKind) -> Bool {
    kind == .int || kind == .float || kind == .double
  }

  func holds(_ rows: ClusterRows, _ row: Int) throws(StorageError) -> Bool {
    try byRow.holds(rows, row)
  }

  func select(
    _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    let first = try rows.cluster.vector(left.key, of: left.kind, in: rows.context.source)
    let second = try rows.cluster.vector(right.key, of: right.kind, in: rows.context.source)
    if !areIntegers && !(isExact(first, left) && isExact(second, right)) {
      return try byRow.select(rows, candidates)
    }
    let isSwapped = comparison == .greater || comparison == .greaterOrEqual
    guard
      let found = compare(
        isSwapped ? second : first, isSwapped ? first : second, rows.count, isSwapped)
    else { return try byRow.select(rows, candidates) }
    let firstValid = valid(first, left, rows.count)
    let secondValid = valid(second, right, rows.count)
    let both = found & firstValid & secondValid
    if comparison == .less || comparison == .greater { return candidates & both }
    // Null equals null.
    let neither = Selection.first(rows.count).subtracting(firstValid | secondValid)
    let equal = both | neither
    return comparison == .notEqual ? candidates.subtracting(equal) : candidates & equal
  }

  /// Whether all of the column's values here are doubles without loss.
  private func isExact(_ vector: ColumnVector, _ column: ColumnInfo) -> Bool {
    !Self.isInteger(column.kind) || vector.width <= 32
  }

  /// The rows that hold a value; rows that the vector does not have hold zero, or null.
  private func valid(_ vector: ColumnVector, _ column: ColumnInfo, _ count: Int) -> Selection {
    if !column.isOptional { return .first(count) }
    guard vector.count > 0 else { return .none }
    guard let validity = unsafe vector.validity else { return .first(vector.count) }
    return unsafe .load(validity, count: vector.count)
  }

  /// The rows whose value in `a` is in the relation to that in `b`, whatever validity says. Nil if
  /// there is not-a-number among them, which has a place of its own among numbers.
  private func compare(
    _ a: ColumnVector, _ b: ColumnVector, _ count: Int, _ isSwapped: Bool
  ) -> Selection? {
    let relation: Int32 =
      switch comparison {
      case .equal, .notEqual: 0
      case .less, .greater: 1
      case .lessOrEqual, .greaterOrEqual: 2
      }
    var found = Selection.none
    var areNumbers = true
    // 256 rows of 8 bytes each, twice.
    unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 64) { scratch in
      let first = unsafe scratch.baseAddress.unsafelyUnwrapped
      let second = unsafe first + 2048
      unsafe widen(a, isSwapped ? right : left, count, to: first)
      unsafe widen(b, isSwapped ? left : right, count, to: second)
      if areIntegers {
        found = unsafe Self.collect { unsafe scan_pair_i64(first, second, count, relation, $0) }
        return
      }
      found = unsafe Self.collect { unsafe scan_pair_f64(first, second, count, relation, $0) }
      let all = Selection.first(count)
      let firstNumbers = unsafe Self.collect { unsafe scan_pair_f64(first, first, count, 0, $0) }
      let secondNumbers = unsafe Self.collect { unsafe scan_pair_f64(second, second, count, 0, $0) }
      areNumbers = firstNumbers == all && secondNumbers == all
    }
    return areNumbers ? found : nil
  }

  @inline(__always)
  private static func collect(_ body: (UnsafeMutablePointer<UInt64>) -> Void) -> Selection {
    var words = SIMD4<UInt64>()
    unsafe withUnsafeMutablePointer(to: &words) { pointer in
      unsafe pointer.withMemoryRebound(to: UInt64.self, capacity: 4) { unsafe body($0) }
    }
    return Selection(words: words)
  }

  private func widen(
    _ vector: ColumnVector, _ column: ColumnInfo, _ count: Int, to out: UnsafeMutableRawPointer
  ) {
    let rows = min(vector.count, count)
    switch column.kind {
    case .double, .date: unsafe out.copyMemory(from: vector.elements, byteCount: rows * 8)
    case .float: unsafe scan_widen_f32(vector.elements, rows, out)
    default:
      if areIntegers {
        unsafe scan_widen_i64(vector.elements, Int32(vector.width), rows, out)
      } else {
        unsafe scan_widen_f64(vector.elements, Int32(vector.width), rows, out)
      }
    }
    unsafe (out + rows * 8).initializeMemory(
      as: UInt8.self, repeating: 0, count: (count - rows) * 8)
  }
}
