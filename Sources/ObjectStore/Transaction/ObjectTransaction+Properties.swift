import Storage

// Setting properties. Each names an object by key, and records the modification even if the value
// is what it was.
extension ObjectTransaction {
  public func setInt(
    _ value: Int64, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try properties.set(value, as: IntegerCodec.self, column, object, table)
  }

  public func setBool(
    _ value: Bool, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try properties.set(value, as: BoolCodec.self, column, object, table)
  }

  public func setFloat(
    _ value: Float, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try properties.set(value, as: FloatCodec.self, column, object, table)
  }

  /// Doubles and dates.
  public func setDouble(
    _ value: Double, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try properties.set(value, as: DoubleCodec.self, column, object, table)
  }

  public func setObjectId(
    _ value: ObjectIdBytes, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try properties.set(value, as: ObjectIdCodec.self, column, object, table)
  }

  public func setUUID(
    _ value: UUIDBytes, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try properties.set(value, as: UUIDCodec.self, column, object, table)
  }

  public func setDecimal(
    _ value: DecimalBits, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try properties.set(value, as: DecimalCodec.self, column, object, table)
  }

  public func setString(
    _ value: String, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    var value = value
    let result = value.withUTF8 { utf8 -> StorageError? in
      do throws(StorageError) {
        try unsafe setBytes(UnsafeRawBufferPointer(utf8), column, of: object, in: table)
        return nil
      } catch { return error }
    }
    if let result { throw result }
  }

  /// The UTF-8 of strings, and data. `value` must not lie in a node of this transaction.
  public func setBytes(
    _ value: UnsafeRawBufferPointer, _ column: ColumnKey, of object: ObjectKey,
    in table: TableKey
  ) throws(StorageError) {
    try unsafe properties.set(value, as: BytesCodec.self, column, object, table)
  }

  /// Sets a property that is optional, or a link, to null.
  public func setNull(
    _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try set(.null, column, of: object, in: table)
  }

  /// Sets a property that is no list, whatever its kind.
  public func set(
    _ value: StoredValue, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let state = try tables.open(table)
    let spec = properties.settable(state, column)
    if spec.kind == .object {
      switch value {
      case .null: return try setLink(nil, column, of: object, in: table)
      case .link(spec.other, let target):
        return try setLink(target, column, of: object, in: table)
      default: preconditionFailure("a value of another kind than its property: \(value)")
      }
    }
    try properties.set(value, state, spec, column, object)
    if spec.kind == .any { try deleteOrphans() }
  }

  /// Sets a link; nil for none. The target must exist, and be the present one if it is embedded.
  public func setLink(
    _ target: ObjectKey?, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let state = try tables.open(table)
    let spec = properties.settable(state, column)
    precondition(spec.kind == .object, "a link for a property of another kind")
    if spec.owns, let target {
      let isPresent = try properties.link(state, column, object) == target
      precondition(isPresent, "an embedded object is made through its owner")
    }
    try properties.replaceLink(state, spec, column, object, target)
    try deleteOrphans()
  }
}
