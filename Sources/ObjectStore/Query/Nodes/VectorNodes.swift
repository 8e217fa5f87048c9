import Storage

/// A comparison of a plain column with constants, made for a whole vector at a time.
///
/// A row without a value (null) never satisfies the test itself; rows that the vector does not have
/// hold null, or zero where null is impossible.
class VectorNode: PredicateNode, @unchecked Sendable {
  let column: ColumnInfo
  /// What an index could be asked instead.
  var probe: IndexProbe? { nil }
  /// Whether the predicate holds where the test does not, null included.
  let isInverted: Bool
  /// Whether the test holds for the zero (or empty) value.
  let holdsForZero: Bool

  init(_ column: ColumnInfo, isInverted: Bool, holdsForZero: Bool) {
    self.column = column
    self.isInverted = isInverted
    self.holdsForZero = holdsForZero
  }

  /// The rows of the vector that pass, whatever validity says; the vector has at least one row.
  func test(
    _ vector: ColumnVector, _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    .none
  }

  override final func select(
    _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    let vector = try rows.cluster.vector(column.key, of: column.kind, in: rows.context.source)
    var found = Selection.none
    if vector.count > 0 {
      found = try test(vector, rows, candidates)
      if let validity = vector.validity, column.isOptional {
        found = found & .load(validity, count: vector.count)
      }
    }
    if vector.count < rows.count && holdsForZero && !column.isOptional {
      found = found | Selection.first(rows.count).subtracting(.first(vector.count))
    }
    return isInverted ? candidates.subtracting(found) : candidates & found
  }

  /// Whether one row of the vector, which has a value, passes.
  func testRow(
    _ vector: ColumnVector, _ row: Int, _ rows: ClusterRows
  ) throws(StorageError) -> Bool {
    try test(vector, rows, .row(row)).contains(row)
  }

  override final func holds(_ rows: ClusterRows, _ row: Int) throws(StorageError) -> Bool {
    let vector = try rows.cluster.vector(column.key, of: column.kind, in: rows.context.source)
    if row >= vector.count { return (holdsForZero && !column.isOptional) != isInverted }
    if column.isOptional, !vector.hasValue(row) { return isInverted }
    return try testRow(vector, row, rows) != isInverted
  }
}

/// An integer, boolean or link within bounds.
final class IntegerRangeNode: VectorNode, @unchecked Sendable {
  let range: ClosedRange<Int64>

  init(_ column: ColumnInfo, _ range: ClosedRange<Int64>, isInverted: Bool = false) {
    self.range = range
    super.init(column, isInverted: isInverted, holdsForZero: range.contains(0))
  }

  override var probe: IndexProbe? {
    isInverted || column.kind == .object ? nil : .range(range)
  }

  override func test(
    _ vector: ColumnVector, _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    ColumnScan.integers(vector.elements, width: vector.width, count: vector.count, in: range)
  }

  override func testRow(
    _ vector: ColumnVector, _ row: Int, _ rows: ClusterRows
  ) throws(StorageError) -> Bool {
    range.contains(vector.integer(row))
  }
}

/// An integer that is one of many.
final class IntegerSetNode: VectorNode, @unchecked Sendable {
  let values: Set<Int64>
  override var cost: Int { 8 }

  init(_ column: ColumnInfo, _ values: Set<Int64>) {
    self.values = values
    super.init(column, isInverted: false, holdsForZero: values.contains(0))
  }

  override var probe: IndexProbe? {
    column.kind == .object ? nil : .values(values.sorted().map { .int($0) })
  }

  override func test(
    _ vector: ColumnVector, _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    var found = Selection.none
    (candidates & .first(vector.count)).forEach { row in
      if values.contains(vector.integer(row)) { found.insert(row) }
    }
    return found
  }
}

/// A double or date within bounds.
final class DoubleRangeNode: VectorNode, @unchecked Sendable {
  let lower: Double
  let upper: Double

  init(_ column: ColumnInfo, _ lower: Double, _ upper: Double, isInverted: Bool = false) {
    self.lower = lower
    self.upper = upper
    super.init(column, isInverted: isInverted, holdsForZero: lower <= 0 && 0 <= upper)
  }

  override var probe: IndexProbe? {
    guard !isInverted, column.kind == .date, lower <= upper else { return nil }
    return .range(IndexValue.ordered(lower)...IndexValue.ordered(upper))
  }

  override func test(
    _ vector: ColumnVector, _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    ColumnScan.doubles(vector.elements, count: vector.count, lower: lower, upper: upper)
  }

  override func testRow(
    _ vector: ColumnVector, _ row: Int, _ rows: ClusterRows
  ) throws(StorageError) -> Bool {
    let value = vector.double(row)
    return lower <= value && value <= upper
  }
}

final class FloatRangeNode: VectorNode, @unchecked Sendable {
  let lower: Float
  let upper: Float

  init(_ column: ColumnInfo, _ lower: Float, _ upper: Float, isInverted: Bool = false) {
    self.lower = lower
    self.upper = upper
    super.init(column, isInverted: isInverted, holdsForZero: lower <= 0 && 0 <= upper)
  }

  override func test(
    _ vector: ColumnVector, _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    ColumnScan.floats(vector.elements, count: vector.count, lower: lower, upper: upper)
  }

  override func testRow(
    _ vector: ColumnVector, _ row: Int, _ rows: ClusterRows
  ) throws(StorageError) -> Bool {
    let value = vector.float(row)
    return lower <= value && value <= upper
  }
}

/// An ObjectId or UUID that equals a constant.
final class FixedEqualNode: VectorNode, @unchecked Sendable {
  private let bytes: [UInt8]

  init(_ column: ColumnInfo, _ bytes: [UInt8], isInverted: Bool) {
    self.bytes = bytes
    super.init(column, isInverted: isInverted, holdsForZero: bytes.allSatisfy { $0 == 0 })
  }

  override var probe: IndexProbe? {
    if isInverted { return nil }
    return bytes.withUnsafeBytes { bytes in
      column.kind == .uuid
        ? .values([.uuid(FixedVector.uuid(bytes.baseAddress.unsafelyUnwrapped, 0))])
        : .values([.objectId(FixedVector.objectId(bytes.baseAddress.unsafelyUnwrapped, 0))])
    }
  }

  override func test(
    _ vector: ColumnVector, _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    bytes.withUnsafeBytes {
      ColumnScan.fixed(
        vector.elements, stride: $0.count, count: vector.count,
        equal: $0.baseAddress.unsafelyUnwrapped)
    }
  }
}

/// A string or data against a constant, byte by byte.
final class BytesNode: VectorNode, @unchecked Sendable {
  private let scan: ColumnScan.BytesTest
  private let matcher: TextMatcher
  private let value: [UInt8]
  override var cost: Int { 4 }

  init(
    _ column: ColumnInfo, _ scan: ColumnScan.BytesTest, _ test: TextMatcher.Test,
    _ value: [UInt8], isInverted: Bool
  ) {
    self.scan = scan
    self.value = value
    matcher = value.withUnsafeBytes { TextMatcher(test, $0, []) }
    var scratch: [UInt8] = []
    let empty = UnsafeRawBufferPointer(start: nil, count: 0)
    super.init(
      column, isInverted: isInverted,
      holdsForZero: matcher.matches(empty, scratch: &scratch))
  }

  override var probe: IndexProbe? {
    guard !isInverted, scan == .equal, column.kind == .string else { return nil }
    return .values([.string(String(decoding: value, as: UTF8.self))])
  }

  override func test(
    _ vector: ColumnVector, _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    var found = value.withUnsafeBufferPointer {
      ColumnScan.bytes(vector, scan, $0, heap: vector.heap)
    }
    guard vector.hasLargeValues, let node = vector.node else { return found }
    let bitmap = ByteVector.largeBitmap(node).assumingMemoryBound(to: UInt64.self)
    let large = Selection.load(bitmap, count: vector.count)
    found = found.subtracting(large)
    var left = large & candidates
    while let row = left.popFirst() {
      let bytes = try rows.context.bytes(vector, row)
      if matcher.matches(bytes, scratch: &rows.context.scratch) { found.insert(row) }
    }
    return found
  }

  override func testRow(
    _ vector: ColumnVector, _ row: Int, _ rows: ClusterRows
  ) throws(StorageError) -> Bool {
    matcher.matches(try rows.context.bytes(vector, row), scratch: &rows.context.scratch)
  }
}

/// A string or data that is one of many.
final class BytesSetNode: VectorNode, @unchecked Sendable {
  /// In their order.
  private let values: [[UInt8]]
  override var cost: Int { 16 }

  init(_ column: ColumnInfo, _ values: Set<[UInt8]>) {
    self.values = values.sorted { $0.lexicographicallyPrecedes($1) }
    super.init(column, isInverted: false, holdsForZero: values.contains([]))
  }

  override var probe: IndexProbe? {
    guard column.kind == .string else { return nil }
    return .values(values.map { .string(String(decoding: $0, as: UTF8.self)) })
  }

  override func test(
    _ vector: ColumnVector, _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    var found = Selection.none
    try (candidates & .first(vector.count)).forEach { (row) throws(StorageError) in
      if contains(try rows.context.bytes(vector, row)) { found.insert(row) }
    }
    return found
  }

  private func contains(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var low = 0
    var high = values.count
    while low < high {
      let middle = (low + high) / 2
      switch values[middle].withUnsafeBytes({ ByteOrder.compare($0, bytes) }) {
      case .less: low = middle + 1
      case .equal: return true
      default: high = middle
      }
    }
    return false
  }
}

/// Null, in a column that may hold it. Links are null without a target.
final class NullNode: VectorNode, @unchecked Sendable {
  init(_ column: ColumnInfo, isNull: Bool) {
    super.init(column, isInverted: isNull, holdsForZero: true)
  }

  override var probe: IndexProbe? {
    isInverted && column.isOptional && column.kind != .object ? .values([.null]) : nil
  }

  /// The rows that are not null.
  override func test(
    _ vector: ColumnVector, _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    if column.kind == .any { return try encoded(vector) }
    guard column.kind == .object else { return .first(vector.count) }
    return ColumnScan.integers(
      vector.elements, width: vector.width, count: vector.count, in: 1...Int64.max)
  }

  /// Values of any kind are null where they have no bytes.
  private func encoded(_ vector: ColumnVector) throws(StorageError) -> Selection {
    var found = Selection.none
    for row in 0..<vector.count {
      if vector.ends[row + 1] != vector.ends[row] { found.insert(row) }
    }
    if vector.hasLargeValues, let node = vector.node {
      let bitmap = ByteVector.largeBitmap(node).assumingMemoryBound(to: UInt64.self)
      found = found | .load(bitmap, count: vector.count)
    }
    return found
  }
}
