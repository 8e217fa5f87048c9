import CScan
import Storage

/// A string against a constant with folding, or a pattern.
///
/// ASCII, whose folding is that of its letters one by one, is folded for a whole vector at a time
/// and then compared as bytes; only the strings with anything else in them go through
/// `TextMatcher`.
final class TextNode: VectorNode {
  let column: ColumnInfo
  let isInverted: Bool
  let holdsForZero: Bool
  private let matcher: TextMatcher
  /// What folded bytes are tested for; nil for patterns.
  private let scan: ColumnScan.BytesTest?
  var cost: Int { scan == nil ? 64 : 16 }

  init(_ column: ColumnInfo, _ matcher: TextMatcher, isInverted: Bool) {
    self.matcher = matcher
    scan = ColumnScan.BytesTest(matcher.test)
    var scratch = TextScratch()
    let empty = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    self.column = column
    self.isInverted = isInverted
    holdsForZero = unsafe matcher.matches(empty, scratch: &scratch)
  }

  func test(
    _ vector: ColumnVector, _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    let wanted = candidates & .first(vector.count)
    guard let scan else { return try matches(vector, rows, wanted) }
    let heapSize = unsafe Int(vector.ends[vector.count])
    var heap = unsafe vector.heap
    var isASCII = false
    if matcher.options.contains(.caseInsensitive) {
      let folded = unsafe rows.context.foldingHeap()
      isASCII = unsafe scan_lower_ascii(heap, heapSize, folded) != 0
      unsafe heap = UnsafePointer(folded)
    }
    let found = unsafe matcher.needle.withUnsafeBufferPointer {
      unsafe ColumnScan.bytes(vector, scan, $0, heap: heap)
    }
    var others = isASCII ? Selection.none : ColumnScan.beyondASCII(vector)
    if vector.hasLargeValues, let node = vector.node {
      let bitmap = unsafe ByteVector.largeBitmap(node).assumingMemoryBound(to: UInt64.self)
      others = unsafe others | .load(bitmap, count: vector.count)
    }
    if others.isEmpty { return found }
    return found.subtracting(others) | (try matches(vector, rows, wanted & others))
  }

  private func matches(
    _ vector: ColumnVector, _ rows: ClusterRows, _ wanted: Selection
  ) throws(StorageError) -> Selection {
    var found = Selection.none
    try wanted.forEach { (row) throws(StorageError) in
      if try testRow(vector, row, rows) { found.insert(row) }
    }
    return found
  }

  func testRow(
    _ vector: ColumnVector, _ row: Int, _ rows: ClusterRows
  ) throws(StorageError) -> Bool {
    unsafe matcher.matches(try rows.context.bytes(vector, row), scratch: &rows.context.scratch)
  }
}

extension ColumnScan.BytesTest {
  /// The same test of bytes; nil for patterns and for "not equal", which is the inverse of "equal".
  init?(_ test: TextMatcher.Test) {
    switch test {
    case .compare(.equal): self = .equal
    case .compare(.less): self = .less
    case .compare(.lessOrEqual): self = .lessOrEqual
    case .compare(.greater): self = .greater
    case .compare(.greaterOrEqual): self = .greaterOrEqual
    case .text(.contains): self = .contains
    case .text(.begins): self = .begins
    case .text(.ends): self = .ends
    case .compare(.notEqual), .text(.like): return nil
    }
  }
}
