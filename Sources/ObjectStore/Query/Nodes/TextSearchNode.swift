import Storage

/// A full-text search in a string property of the objects themselves.
final class TextSearchNode: VectorNode {
  let column: ColumnInfo
  let isInverted = false
  let holdsForZero: Bool
  private let search: TextSearch
  var cost: Int { 512 }

  init(_ column: ColumnInfo, _ search: TextSearch) {
    self.column = column
    self.search = search
    holdsForZero = unsafe search.matches(UnsafeRawBufferPointer(start: nil, count: 0))
  }

  var probe: IndexProbe? {
    if search.wanted.isEmpty { return nil }
    return .words(search.wanted.map { TextTokens.range($0.word, isPrefix: $0.isPrefix) })
  }

  func test(
    _ vector: ColumnVector, _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    var found = Selection.none
    try (candidates & .first(vector.count)).forEach { (row) throws(StorageError) in
      if try testRow(vector, row, rows) { found.insert(row) }
    }
    return found
  }

  func testRow(
    _ vector: ColumnVector, _ row: Int, _ rows: ClusterRows
  ) throws(StorageError) -> Bool {
    unsafe search.matches(try rows.context.bytes(vector, row))
  }
}

/// The same in strings that are reached in another way.
final class RowSearchNode: RowNode {
  private let left: CompiledExpression
  private let search: TextSearch

  init(_ left: CompiledExpression, _ search: TextSearch) {
    self.left = left
    self.search = search
  }

  func holds(
    _ context: EvaluationContext, _ place: PathPlace
  ) throws(StorageError) -> Bool {
    try left.any(context, place) { (value) throws(StorageError) in
      guard case .string(let text) = value else { return false }
      return unsafe search.matches(text)
    }
  }
}
