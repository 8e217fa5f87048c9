import Platform
import Storage

/// A string or data against a constant, byte by byte.
final class BytesNode: VectorNode {
  let column: ColumnInfo
  let isInverted: Bool
  let holdsForZero: Bool
  private let scan: ColumnScan.BytesTest
  private let matcher: TextMatcher
  private let value: [UInt8]
  var cost: Int { 4 }

  init(
    _ column: ColumnInfo, _ scan: ColumnScan.BytesTest, _ test: TextMatcher.Test,
    _ value: [UInt8], isInverted: Bool
  ) {
    self.scan = scan
    self.value = value
    matcher = unsafe value.withUnsafeBytes { unsafe TextMatcher(test, $0, []) }
    var scratch = TextScratch()
    let empty = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    self.column = column
    self.isInverted = isInverted
    holdsForZero = unsafe matcher.matches(empty, scratch: &scratch)
  }

  var probe: IndexProbe? {
    guard !isInverted, scan == .equal, column.kind == .string else { return nil }
    return .values([.string(String(decoding: value, as: UTF8.self))])
  }

  func test(
    _ vector: ColumnVector, _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    var found = unsafe value.withUnsafeBufferPointer {
      unsafe ColumnScan.bytes(vector, scan, $0, heap: vector.heap)
    }
    guard vector.hasLargeValues, let node = vector.node else { return found }
    let bitmap = unsafe ByteVector.largeBitmap(node).assumingMemoryBound(to: UInt64.self)
    let large = unsafe Selection.load(bitmap, count: vector.count)
    found = found.subtracting(large)
    var left = large & candidates
    while let row = left.popFirst() {
      let bytes = try unsafe rows.context.bytes(vector, row)
      if unsafe matcher.matches(bytes, scratch: &rows.context.scratch) { found.insert(row) }
    }
    return found
  }

  func testRow(
    _ vector: ColumnVector, _ row: Int, _ rows: ClusterRows
  ) throws(StorageError) -> Bool {
    unsafe matcher.matches(try rows.context.bytes(vector, row), scratch: &rows.context.scratch)
  }
}

/// A string or data that is one of many.
final class BytesSetNode: VectorNode {
  let column: ColumnInfo
  let isInverted: Bool
  let holdsForZero: Bool
  /// In their order.
  private let values: [[UInt8]]
  var cost: Int { 16 }

  init(_ column: ColumnInfo, _ values: Set<[UInt8]>) {
    self.values = values.sorted { $0.lexicographicallyPrecedes($1) }
    self.column = column
    self.isInverted = false
    holdsForZero = values.contains([])
  }

  var probe: IndexProbe? {
    guard column.kind == .string else { return nil }
    return .values(values.map { .string(String(decoding: $0, as: UTF8.self)) })
  }

  func test(
    _ vector: ColumnVector, _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    var found = Selection.none
    try (candidates & .first(vector.count)).forEach { (row) throws(StorageError) in
      if unsafe contains(try rows.context.bytes(vector, row)) { found.insert(row) }
    }
    return found
  }

  private func contains(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // The place that is found has been compared, unless it is the end.
    var isEqual = false
    _ = values.indices.partitionPoint { index in
      let order = unsafe values[index].withUnsafeBytes { unsafe ByteOrder.compare($0, bytes) }
      if order == .equal { isEqual = true }
      return order == .less
    }
    return isEqual
  }
}
