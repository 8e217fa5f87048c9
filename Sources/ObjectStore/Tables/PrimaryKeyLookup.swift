import Storage

/// Equality through an index that may be of hashes: candidates are compared with the column.
enum PrimaryKeyLookup {
  /// The objects whose value in `column` is `value`, found through the index tree `values`.
  static func candidates(
    _ value: StoredValue, column: ColumnKey, values: NodeReference, table: Table,
    limit: Int
  ) throws(StorageError) -> [ObjectKey] {
    var found: [ObjectKey] = []
    let hash: Int64
    switch value {
    case .string(var text):
      let result = text.withUTF8 { utf8 in unsafe IndexValue.hash(UnsafeRawBufferPointer(utf8)) }
      hash = result
    case .objectId(let value): hash = IndexValue.hash(value)
    case .uuid(let value): hash = IndexValue.hash(value)
    default: return []
    }
    try PairTree.forEachKey(values, from: hash, through: hash, in: table.source) {
      (key) throws(StorageError) in
      let key = ObjectKey(rawValue: key)
      guard let position = try table.find(key) else { return false }
      if try holds(value, column, table, position) { found.append(key) }
      return found.count >= limit
    }
    return found
  }

  private static func holds(
    _ value: StoredValue, _ column: ColumnKey, _ table: Table, _ position: ObjectPosition
  ) throws(StorageError) -> Bool {
    switch value {
    case .string(var text):
      return try unsafe table.withBytes(column, at: position) { bytes in
        text.withUTF8 { unsafe ByteOrder.equal(UnsafeRawBufferPointer($0), bytes) }
      }
    case .objectId(let value): return try table.objectId(column, at: position) == value
    case .uuid(let value): return try table.uuid(column, at: position) == value
    default: return false
    }
  }
}

extension Table {
  /// The object whose primary key is `value`, or nil. `property` is the class's primary key.
  public func find(
    primaryKey value: StoredValue, _ property: PropertyDescription
  ) throws(StorageError) -> ObjectKey? {
    switch value {
    case .int(let value): return try find(primaryKey: value, property)
    case .bool(let value): return try find(primaryKey: value ? 1 : 0, property)
    default: break
    }
    guard let index = try index(of: property) else { return nil }
    if value == .null { return try index.keys(equal: .null).first }
    return try PrimaryKeyLookup.candidates(
      value, column: property.columnKey, values: index.values, table: self, limit: 1
    ).first
  }

  /// The object whose integer or boolean primary key is `value`, or nil.
  public func find(
    primaryKey value: Int64, _ property: PropertyDescription
  ) throws(StorageError) -> ObjectKey? {
    let index = try indexRoot(property.indexSlot)
    if index.isNone { return nil }
    let values = try source.node(index, .index).reference(0)
    let pair = try PairTree.first(values, notBelow: IndexPair(value, .min), in: source)
    guard let pair, pair.value == value else { return nil }
    return ObjectKey(rawValue: pair.key)
  }
}
