import Storage

/// What rows are sorted by, gathered from the store into flat arrays: one sort key of every row.
struct SortColumn {
  /// How the values are kept.
  enum Values {
    /// In the order of the bits.
    case bits([UInt64])
    /// Byte strings in the version that was read, or in the context's memory.
    case bytes([UnsafeRawBufferPointer])
    /// Compared one by one.
    case values([RowValue])
  }

  let path: CompiledPath
  let ascending: Bool
  var values: Values
  /// Rows that hold null; empty if there are none.
  var nulls: [Bool] = []
  private var hasNulls = false

  init(_ path: CompiledPath, ascending: Bool) {
    self.path = path
    self.ascending = ascending
    switch path.kind {
    case .int, .bool, .float, .double, .date: values = .bits([])
    case .string, .data: values = .bytes([])
    case .objectId, .uuid, .decimal128, .any, .object: values = .values([])
    }
  }

  private var plainColumn: ColumnInfo? {
    guard path.hops.isEmpty, case .value(let column) = path.end else { return nil }
    return column
  }

  /// Adds the values of the selected rows of a cluster.
  mutating func gather(_ rows: ClusterRows, _ selection: Selection) throws(StorageError) {
    var left = selection
    guard let column = plainColumn else {
      while let row = left.popFirst() {
        var value = RowValue.null
        _ = try path.any(rows.context, from: rows.place(row)) { (found) throws(StorageError) in
          value = found
          return true
        }
        append(value)
      }
      return
    }
    let vector = try rows.cluster.vector(column.key, in: rows.context.source)
    switch values {
    case .bits(var bits) where !column.isOptional:
      values = .bits([])
      Self.gather(vector, column.kind, left, into: &bits)
      values = .bits(bits)
    case .bytes(var list) where !column.isOptional:
      values = .bytes([])
      try left.forEach { (row) throws(StorageError) in
        list.append(try rows.context.bytes(vector, row))
      }
      values = .bytes(list)
    default:
      try left.forEach { (row) throws(StorageError) in
        append(try rows.context.read(vector, row, column))
      }
    }
  }

  private static func gather(
    _ vector: ColumnVector, _ kind: ValueKind, _ selection: Selection, into bits: inout [UInt64]
  ) {
    switch kind {
    case .double, .date: selection.forEach { bits.append(SortBits.of(vector.double($0))) }
    case .float: selection.forEach { bits.append(SortBits.of(Double(vector.float($0)))) }
    default: selection.forEach { bits.append(SortBits.of(vector.integer($0))) }
    }
  }

  /// Keeps only some of the rows, in the given order.
  mutating func keep(_ rows: [UInt32]) {
    if hasNulls { nulls = rows.map { nulls[Int($0)] } }
    switch values {
    case .bits(let list): values = .bits(rows.map { list[Int($0)] })
    case .bytes(let list): values = .bytes(rows.map { list[Int($0)] })
    case .values(let list): values = .values(rows.map { list[Int($0)] })
    }
  }

  private mutating func append(_ value: RowValue) {
    if value.isNull && !hasNulls {
      hasNulls = true
      nulls = Array(repeating: false, count: count)
    }
    if hasNulls { nulls.append(value.isNull) }
    switch values {
    case .bits(var bits):
      values = .bits([])
      bits.append(Self.bits(of: value))
      values = .bits(bits)
    case .bytes(var list):
      values = .bytes([])
      list.append(Self.bytes(of: value))
      values = .bytes(list)
    case .values(var list):
      values = .values([])
      list.append(value)
      values = .values(list)
    }
  }

  var count: Int {
    switch values {
    case .bits(let list): list.count
    case .bytes(let list): list.count
    case .values(let list): list.count
    }
  }

  static func bits(of value: RowValue) -> UInt64 {
    switch value {
    case .int(let value): SortBits.of(value)
    case .bool(let value): SortBits.of(Int64(value ? 1 : 0))
    case .float(let value): SortBits.of(Double(value))
    case .double(let value), .date(let value): SortBits.of(value)
    default: 0
    }
  }

  private static func bytes(of value: RowValue) -> UnsafeRawBufferPointer {
    switch value {
    case .string(let bytes), .data(let bytes): bytes
    default: UnsafeRawBufferPointer(start: nil, count: 0)
    }
  }
}
