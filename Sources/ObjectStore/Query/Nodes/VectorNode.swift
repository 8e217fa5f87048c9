import Storage

/// A comparison of a plain column with constants, made for a whole vector at a time.
///
/// A row without a value (null) never satisfies the test itself; rows that the vector does not have
/// hold null, or zero where null is impossible.
protocol VectorNode: PredicateNode {
  var column: ColumnInfo { get }
  /// Whether the predicate holds where the test does not, null included.
  var isInverted: Bool { get }
  /// Whether the test holds for the zero (or empty) value.
  var holdsForZero: Bool { get }

  /// The rows of the vector that pass, whatever validity says; the vector has at least one row.
  func test(
    _ vector: ColumnVector, _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection

  /// Whether one row of the vector, which has a value, passes.
  func testRow(
    _ vector: ColumnVector, _ row: Int, _ rows: ClusterRows
  ) throws(StorageError) -> Bool
}

extension VectorNode {
  var cost: Int { 1 }
  var probedColumn: ColumnKey? { column.key }

  var scannedColumns: ContiguousArray<ScannedColumn> { [ScannedColumn(column)] }

  func select(
    _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    let vector = try rows.cluster.vector(column.key, of: column.kind, in: rows.context.source)
    var found = Selection.none
    if vector.count > 0 {
      found = try test(vector, rows, candidates)
      if let validity = unsafe vector.validity, column.isOptional {
        found = unsafe found & .load(validity, count: vector.count)
      }
    }
    if vector.count < rows.count && holdsForZero && !column.isOptional {
      found = found | Selection.first(rows.count).subtracting(.first(vector.count))
    }
    return isInverted ? candidates.subtracting(found) : candidates & found
  }

  func testRow(
    _ vector: ColumnVector, _ row: Int, _ rows: ClusterRows
  ) throws(StorageError) -> Bool {
    try test(vector, rows, .row(row)).contains(row)
  }

  func holds(_ rows: ClusterRows, _ row: Int) throws(StorageError) -> Bool {
    let vector = try rows.cluster.vector(column.key, of: column.kind, in: rows.context.source)
    if row >= vector.count { return (holdsForZero && !column.isOptional) != isInverted }
    if column.isOptional, !vector.hasValue(row) { return isInverted }
    return try testRow(vector, row, rows) != isInverted
  }
}
