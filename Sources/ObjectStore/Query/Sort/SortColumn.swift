import Storage

/// What rows are sorted by, gathered from the store into flat arrays: one sort key of every row.
/// Used while the version is pinned and the context is there.
@safe struct SortColumn {
  /// How the values are kept; one of the three arrays below is in use.
  enum Form {
    case bits, bytes, values
  }

  let path: CompiledPath
  let ascending: Bool
  let form: Form
  private let plainColumn: ColumnInfo?
  /// Values in the order of these numbers.
  private(set) var bits: [UInt64] = []
  /// Byte strings in the version that was read, or in the context's memory.
  private(set) var bytes: [UnsafeRawBufferPointer] = unsafe []
  /// Values that are compared one by one.
  private(set) var values: [RowValue] = []
  /// Whether a row has a value.
  enum Presence: UInt8 {
    case null, value
    /// A link on the way leads to nothing.
    case unreachable
  }

  /// Of each row, in the order in which they are sorted; empty if all rows have values.
  private(set) var presences: [Presence] = []

  /// - Parameter capacity: how many rows there will be at least.
  init(_ path: CompiledPath, ascending: Bool, capacity: Int = 0) {
    self.path = path
    self.ascending = ascending
    switch path.kind {
    case .int, .bool, .float, .double, .date: form = .bits
    case .string, .data: form = .bytes
    case .objectId, .uuid, .decimal128, .any, .object: form = .values
    }
    if path.hops.isEmpty, case .value(let column) = path.end {
      plainColumn = column
    } else {
      plainColumn = nil
    }
    switch form {
    case .bits: bits.reserveCapacity(capacity)
    case .bytes: unsafe bytes.reserveCapacity(capacity)
    case .values: values.reserveCapacity(capacity)
    }
  }

  /// Adds the values of the selected rows of a cluster.
  mutating func gather(_ rows: ClusterRows, _ selection: Selection) throws(StorageError) {
    guard let column = plainColumn else { return try gatherAlongPath(rows, selection) }
    let vector = try rows.cluster.vector(column.key, of: column.kind, in: rows.context.source)
    if form == .bits && !column.isOptional { return gather(vector, column.kind, selection) }
    try selection.forEach { (row) throws(StorageError) in
      append(try rows.context.read(vector, row, column))
    }
  }

  private mutating func gather(
    _ vector: ColumnVector, _ kind: ValueKind, _ selection: Selection
  ) {
    switch kind {
    case .double, .date: selection.forEach { bits.append(SortBits.of(vector.double($0))) }
    case .float: selection.forEach { bits.append(SortBits.of(Double(vector.float($0)))) }
    default: selection.forEach { bits.append(SortBits.of(vector.integer($0))) }
    }
  }

  private mutating func gatherAlongPath(
    _ rows: ClusterRows, _ selection: Selection
  ) throws(StorageError) {
    try selection.forEach { (row) throws(StorageError) in
      append(try path.single(rows.context, from: rows.place(row)))
    }
  }

  @inline(__always)
  private mutating func append(_ found: RowValue?) {
    let value = found ?? .null
    if value.isNull || !presences.isEmpty {
      append(found == nil ? .unreachable : value.isNull ? .null : .value)
    }
    switch form {
    case .bits: bits.append(Self.bits(of: value))
    case .bytes: unsafe bytes.append(Self.bytes(of: value))
    case .values: values.append(value)
    }
  }

  /// The list begins with the first row that has no value.
  private mutating func append(_ presence: Presence) {
    if presences.isEmpty { presences = Array(repeating: .value, count: count) }
    presences.append(presence)
  }

  func presence(_ row: Int) -> Presence { presences.isEmpty ? .value : presences[row] }

  /// Keeps only some of the rows, in the given order.
  mutating func keep(_ rows: [UInt32]) {
    if !presences.isEmpty { presences = rows.map { presences[Int($0)] } }
    switch form {
    case .bits: bits = rows.map { bits[Int($0)] }
    case .bytes: unsafe bytes = rows.map { unsafe bytes[Int($0)] }
    case .values: values = rows.map { values[Int($0)] }
    }
  }

  var count: Int {
    switch form {
    case .bits: bits.count
    case .bytes: unsafe bytes.count
    case .values: values.count
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
    case .string(let bytes), .data(let bytes): unsafe bytes
    default: unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
  }

  /// How two rows compare in this column, ascending.
  func compare(_ left: Int, _ right: Int) -> Ordering {
    if !presences.isEmpty, presences[left] != .value || presences[right] != .value {
      return .of(presences[left].rawValue, presences[right].rawValue)
    }
    switch form {
    case .bits: return .of(bits[left], bits[right])
    case .bytes: return unsafe ByteOrder.compare(bytes[left], bytes[right])
    case .values: return SortOrder.compare(values[left], values[right])
    }
  }

  /// The value in a row that is not null, as a constant for comparisons; nil for kinds without.
  func value(_ row: Int) -> StoredValue? {
    switch path.kind {
    case .int, .bool: .int(Int64(bitPattern: bits[row] ^ (1 << 63)))
    case .double: .double(SortBits.double(bits[row]))
    case .date: .date(SortBits.double(bits[row]))
    case .float: .float(Float(SortBits.double(bits[row])))
    case .string: unsafe .string(String(decoding: bytes[row], as: UTF8.self))
    case .data: unsafe .data(Array(bytes[row]))
    default: nil
    }
  }
}
