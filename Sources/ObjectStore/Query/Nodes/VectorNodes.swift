import Storage

/// An integer, boolean or link within bounds.
final class IntegerRangeNode: VectorNode {
  let column: ColumnInfo
  let isInverted: Bool
  let holdsForZero: Bool
  let range: ClosedRange<Int64>

  init(_ column: ColumnInfo, _ range: ClosedRange<Int64>, isInverted: Bool = false) {
    self.range = range
    self.column = column
    self.isInverted = isInverted
    holdsForZero = range.contains(0)
  }

  var probe: IndexProbe? {
    isInverted || column.kind == .object ? nil : .range(range)
  }

  func test(
    _ vector: ColumnVector, _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    unsafe ColumnScan.integers(vector.elements, width: vector.width, count: vector.count, in: range)
  }

  func testRow(
    _ vector: ColumnVector, _ row: Int, _ rows: ClusterRows
  ) throws(StorageError) -> Bool {
    range.contains(vector.integer(row))
  }
}

/// An integer that is one of many.
final class IntegerSetNode: VectorNode {
  let column: ColumnInfo
  let isInverted: Bool
  let holdsForZero: Bool
  let values: Set<Int64>
  var cost: Int { 8 }

  init(_ column: ColumnInfo, _ values: Set<Int64>) {
    self.values = values
    self.column = column
    self.isInverted = false
    holdsForZero = values.contains(0)
  }

  var probe: IndexProbe? {
    column.kind == .object ? nil : .values(values.sorted().map { .int($0) })
  }

  func test(
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
final class DoubleRangeNode: VectorNode {
  let column: ColumnInfo
  let isInverted: Bool
  let holdsForZero: Bool
  let lower: Double
  let upper: Double

  init(_ column: ColumnInfo, _ lower: Double, _ upper: Double, isInverted: Bool = false) {
    self.lower = lower
    self.upper = upper
    self.column = column
    self.isInverted = isInverted
    holdsForZero = lower <= 0 && 0 <= upper
  }

  var probe: IndexProbe? {
    guard !isInverted, column.kind == .date, lower <= upper else { return nil }
    return .range(IndexValue.ordered(lower)...IndexValue.ordered(upper))
  }

  func test(
    _ vector: ColumnVector, _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    unsafe ColumnScan.doubles(vector.elements, count: vector.count, lower: lower, upper: upper)
  }

  func testRow(
    _ vector: ColumnVector, _ row: Int, _ rows: ClusterRows
  ) throws(StorageError) -> Bool {
    let value = vector.double(row)
    return lower <= value && value <= upper
  }
}

final class FloatRangeNode: VectorNode {
  let column: ColumnInfo
  let isInverted: Bool
  let holdsForZero: Bool
  let lower: Float
  let upper: Float

  init(_ column: ColumnInfo, _ lower: Float, _ upper: Float, isInverted: Bool = false) {
    self.lower = lower
    self.upper = upper
    self.column = column
    self.isInverted = isInverted
    holdsForZero = lower <= 0 && 0 <= upper
  }

  func test(
    _ vector: ColumnVector, _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    unsafe ColumnScan.floats(vector.elements, count: vector.count, lower: lower, upper: upper)
  }

  func testRow(
    _ vector: ColumnVector, _ row: Int, _ rows: ClusterRows
  ) throws(StorageError) -> Bool {
    let value = vector.float(row)
    return lower <= value && value <= upper
  }
}

/// An ObjectId or UUID that equals a constant.
final class FixedEqualNode: VectorNode {
  let column: ColumnInfo
  let isInverted: Bool
  let holdsForZero: Bool
  private let bytes: [UInt8]

  init(_ column: ColumnInfo, _ bytes: [UInt8], isInverted: Bool) {
    self.bytes = bytes
    self.column = column
    self.isInverted = isInverted
    holdsForZero = bytes.allSatisfy { $0 == 0 }
  }

  var probe: IndexProbe? {
    if isInverted { return nil }
    return unsafe bytes.withUnsafeBytes { bytes in
      unsafe column.kind == .uuid
        ? .values([.uuid(FixedVector.uuid(bytes.baseAddress.unsafelyUnwrapped, 0))])
        : .values([.objectId(FixedVector.objectId(bytes.baseAddress.unsafelyUnwrapped, 0))])
    }
  }

  func test(
    _ vector: ColumnVector, _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    unsafe bytes.withUnsafeBytes {
      unsafe ColumnScan.fixed(
        vector.elements, stride: $0.count, count: vector.count,
        equal: $0.baseAddress.unsafelyUnwrapped)
    }
  }
}

/// Null, in a column that may hold it. Links are null without a target.
final class NullNode: VectorNode {
  let column: ColumnInfo
  let isInverted: Bool
  let holdsForZero: Bool
  init(_ column: ColumnInfo, isNull: Bool) {
    self.column = column
    self.isInverted = isNull
    holdsForZero = true
  }

  var probe: IndexProbe? {
    isInverted && column.isOptional && column.kind != .object ? .values([.null]) : nil
  }

  /// The rows that are not null.
  func test(
    _ vector: ColumnVector, _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    if column.kind == .any { return try encoded(vector) }
    guard column.kind == .object else { return .first(vector.count) }
    return unsafe ColumnScan.integers(
      vector.elements, width: vector.width, count: vector.count, in: 1...Int64.max)
  }

  /// Values of any kind are null where they have no bytes.
  private func encoded(_ vector: ColumnVector) throws(StorageError) -> Selection {
    var found = Selection.none
    for row in 0..<vector.count {
      if unsafe vector.ends[row + 1] != vector.ends[row] { found.insert(row) }
    }
    if vector.hasLargeValues, let node = vector.node {
      let bitmap = unsafe ByteVector.largeBitmap(node).assumingMemoryBound(to: UInt64.self)
      found = unsafe found | .load(bitmap, count: vector.count)
    }
    return found
  }
}
