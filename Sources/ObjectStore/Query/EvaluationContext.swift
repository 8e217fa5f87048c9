import Storage

/// What one evaluation on one version works with: tables that were looked up, and memory to reuse.
///
/// Made for one evaluation on one thread. Rows that it has read may point into its memory, so it
/// lives as long as they are looked at.
@safe final class EvaluationContext {
  let view: StoreView
  var source: NodeSource { view.source }
  /// For texts; knows how much work may still be done.
  var scratch = TextScratch()
  /// The table that was asked for first, which is mostly the only one.
  private var firstTable: Table?
  private var tables: [Lookup] = []
  /// The classes of lists and maps among values of any kind.
  private(set) lazy var nestedClasses = NestedClass.all(in: view.schema)
  private var gathered: [UnsafeMutableRawBufferPointer] = unsafe []
  private var folding: UnsafeMutablePointer<UInt8>?
  /// The objects whose subqueries are being counted, outermost first.
  private var outerPlaces: [PathPlace] = []

  private enum Lookup {
    case unknown
    case known(Table?)
  }

  /// - Parameter rows: how many rows may be looked at, more or less.
  init(_ view: StoreView, rows: Int = .max) {
    self.view = view
    scratch.left = rows
  }

  /// How many more rows may be looked at; below zero when it was too many.
  var rowsLeft: Int { scratch.left }

  /// Notes that rows are looked at.
  ///
  /// - Throws: `.beyondLimit` if these, or what was done before, are too many.
  @inline(__always)
  func spend(_ rows: Int) throws(StorageError) {
    scratch.left &-= rows
    if scratch.left < 0 { throw tooManyRows }
  }

  private var tooManyRows: StorageError {
    StorageError(.beyondLimit, path: source.path, "the query looks at more rows than it may")
  }

  /// For the elements of a list, nothing of which is looked into.
  init(_ list: ListView) {
    view = StoreView(source: list.source, root: .none, schema: SchemaDescription(classes: []))
  }

  deinit {
    unsafe gathered.forEach { unsafe $0.deallocate() }
    unsafe folding?.deallocate()
  }

  func enterSubquery(of place: PathPlace) { outerPlaces.append(place) }
  func leaveSubquery() { outerPlaces.removeLast() }
  /// The object so many subqueries further out, at least one.
  func outerPlace(_ levels: Int) -> PathPlace { outerPlaces[outerPlaces.count - levels] }

  /// Memory for the folded heap of a byte vector, whose ends have 16 bits.
  func foldingHeap() -> UnsafeMutablePointer<UInt8> {
    if let folding = unsafe folding { return unsafe folding }
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 16)
    unsafe folding = memory
    return unsafe memory
  }

  /// The table with that key, or nil if this version has none.
  func table(_ key: TableKey) throws(StorageError) -> Table? {
    if let firstTable, firstTable.key == key { return firstTable }
    let index = Int(key.rawValue)
    if index < tables.count, case .known(let table) = tables[index] { return table }
    let table = try view.table(key)
    if firstTable == nil, let table {
      firstTable = table
      return table
    }
    while tables.count <= index { tables.append(.unknown) }
    tables[index] = .known(table)
    return table
  }

  /// The value of `column` in a row of its vector.
  @inline(__always)
  func read(
    _ vector: ColumnVector, _ row: Int, _ column: ColumnInfo
  ) throws(StorageError) -> RowValue {
    if column.kind == .object {
      let value = vector.integer(row)
      return value == 0 ? .null : .link(column.target, ObjectKey(rawValue: value &- 1))
    }
    if column.isOptional && column.kind != .any && !vector.hasValue(row) { return .null }
    switch column.kind {
    case .int: return .int(vector.integer(row))
    case .bool: return .bool(vector.integer(row) != 0)
    case .double: return .double(vector.double(row))
    case .date: return .date(vector.double(row))
    case .float: return .float(vector.float(row))
    case .string: return unsafe .string(try bytes(vector, row))
    case .data: return unsafe .data(try bytes(vector, row))
    case .objectId: return .objectId(vector.objectId(row))
    case .uuid: return .uuid(vector.uuid(row))
    case .decimal128: return .decimal128(vector.decimal128(row))
    case .any: return unsafe RowValue(encoded: try bytes(vector, row))
    case .object: return .null
    }
  }

  /// The bytes in a row, also of values that are kept in several pieces.
  func bytes(_ vector: ColumnVector, _ row: Int) throws(StorageError) -> UnsafeRawBufferPointer {
    guard let node = vector.node, row < vector.count else {
      return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
    if !ByteVector.isLarge(node, row) { return unsafe ByteVector.inlineBytes(node, row) }
    let reference = node.reference(ByteVector.largeRank(node, row))
    let blob = try source.node(reference)
    if blob.kind == .blob {
      return unsafe UnsafeRawBufferPointer(start: blob.data, count: blob.count)
    }
    let joined = try ByteVector.joined(blob, reference, in: source)
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: joined.count, alignment: 8)
    unsafe copy.copyBytes(from: joined)
    unsafe gathered.append(copy)
    return UnsafeRawBufferPointer(copy)
  }
}

/// What a query needs to know of a column.
struct ColumnInfo: Hashable, Sendable {
  var key: ColumnKey
  var kind: ValueKind
  var isOptional: Bool
  /// Where links go.
  var target: TableKey

  init(_ property: PropertyDescription) {
    key = property.columnKey
    kind = property.kind
    isOptional = property.isOptional
    target = property.targetTable
  }
}

extension RowValue {
  /// A value of a column of any kind; null if the bytes make no sense.
  init(encoded bytes: UnsafeRawBufferPointer) {
    guard let first = unsafe bytes.first, let tag = ValueCodec.Tag(rawValue: first) else {
      self = .null
      return
    }
    let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[1...])
    switch tag {
    case .string: self = unsafe .string(rest)
    case .data: self = unsafe .data(rest)
    default: self = unsafe RowValue(unboxed: ValueCodec.decode(bytes))
    }
  }

  /// A value that has no bytes of its own.
  init(unboxed stored: StoredValue) {
    switch stored {
    case .null, .string, .data: self = .null
    case .int(let value): self = .int(value)
    case .bool(let value): self = .bool(value)
    case .float(let value): self = .float(value)
    case .double(let value): self = .double(value)
    case .date(let value): self = .date(value)
    case .objectId(let value): self = .objectId(value)
    case .uuid(let value): self = .uuid(value)
    case .decimal128(let value): self = .decimal128(value)
    case .link(let table, let object): self = .link(table, object)
    }
  }
}
