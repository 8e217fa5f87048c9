import Storage

/// Equality through an index that may be of hashes: candidates are compared with the column.
enum PrimaryKeyLookup {
  /// The objects whose value in `column` is `value`, found through the index tree `values`.
  static func candidates(
    _ value: StoredValue, column: ColumnKey, values: NodeReference, table: Table,
    limit: Int
  ) throws(StorageError) -> [ObjectKey] {
    guard let hash = hash(of: value) else { return [] }
    var found: [ObjectKey] = []
    try PairTree.forEachKey(values, from: hash, through: hash, in: table.source) {
      (key) throws(StorageError) in
      let key = ObjectKey(rawValue: key)
      if try holds(value, column, table, key) { found.append(key) }
      return found.count >= limit
    }
    return found
  }

  /// The first of them, nil if there is none.
  static func first(
    _ value: StoredValue, column: ColumnKey, values: NodeReference, table: Table
  ) throws(StorageError) -> ObjectKey? {
    guard let hash = hash(of: value), let key = try first(hash, values: values, table: table)
    else { return nil }
    if try holds(value, column, table, key) { return key }
    // Another value has the same hash.
    return try candidates(value, column: column, values: values, table: table, limit: 1).first
  }

  /// The first object whose value or hash is that number.
  static func first(
    _ number: Int64, values: NodeReference, table: Table
  ) throws(StorageError) -> ObjectKey? {
    let wanted = IndexPair(number, .min)
    guard let pair = try PairTree.first(values, notBelow: wanted, in: table.source),
      pair.value == number
    else { return nil }
    return ObjectKey(rawValue: pair.key)
  }

  private static func hash(of value: StoredValue) -> Int64? {
    switch value {
    case .string(var text):
      text.withUTF8 { utf8 in unsafe IndexValue.hash(UnsafeRawBufferPointer(utf8)) }
    case .objectId(let value): IndexValue.hash(value)
    case .uuid(let value): IndexValue.hash(value)
    default: nil
    }
  }

  private static func holds(
    _ value: StoredValue, _ column: ColumnKey, _ table: Table, _ key: ObjectKey
  ) throws(StorageError) -> Bool {
    guard let position = try table.find(key) else { return false }
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
    return try PrimaryKeyLookup.first(
      value, column: property.columnKey, values: index.values, table: self)
  }

  /// The object whose integer or boolean primary key is `value`, or nil.
  public func find(
    primaryKey value: Int64, _ property: PropertyDescription
  ) throws(StorageError) -> ObjectKey? {
    try find(primaryKey: value, indexSlot: property.indexSlot)
  }

  /// The same by the slot of the primary key's index, without a copy of its description.
  public func find(
    primaryKey value: Int64, indexSlot: UInt32
  ) throws(StorageError) -> ObjectKey? {
    let index = try indexRoot(indexSlot)
    if index.isNone { return nil }
    let values = try source.node(index, .index).reference(0)
    return try PrimaryKeyLookup.first(value, values: values, table: self)
  }
}
