import Storage

// Typed reads. Each takes a column that the caller knows to be of that kind; `column` of another
// kind throws, as damage does. The plain form reads null as zero or empty; the `optional`
// form is for columns that may be null. Pointers stay valid as long as the version that was read,
// or until the next change within a write transaction.
extension Table {
  @inlinable @inline(__always)
  func vector(
    _ column: ColumnKey, _ position: ObjectPosition, _ kind: NodeKind
  ) throws(StorageError) -> Node? {
    let reference = position.cluster.reference(column)
    if reference.isNone { return nil }
    let node = try source.node(reference, kind)
    return position.row < node.count ? node : nil
  }

  /// The same for values of a kind that decides about the width of the vector's elements.
  @inlinable @inline(__always)
  func vector(
    _ column: ColumnKey, _ position: ObjectPosition, of kind: ValueKind
  ) throws(StorageError) -> Node? {
    let reference = position.cluster.reference(column)
    if reference.isNone { return nil }
    let node = try source.vector(reference, of: kind)
    return position.row < node.count ? node : nil
  }

  /// Whether a column that may be null is null there; not for links and values of any kind, which
  /// tell by themselves.
  @inlinable
  public func isNull(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> Bool {
    let reference = position.cluster.reference(column)
    if reference.isNone { return true }
    return !VectorMath.hasValue(try source.node(reference), position.row)
  }

  @inlinable @inline(__always)
  public func int(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> Int64 {
    guard let node = try vector(column, position, .integerVector) else { return 0 }
    return unsafe VectorMath.integer(VectorMath.elements(node), width: node.width, position.row)
  }

  @inlinable
  public func optionalInt(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> Int64? {
    guard let node = try vector(column, position, .integerVector),
      VectorMath.hasValue(node, position.row)
    else { return nil }
    return unsafe VectorMath.integer(VectorMath.elements(node), width: node.width, position.row)
  }

  @inlinable
  public func bool(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> Bool {
    try int(column, at: position) != 0
  }

  @inlinable
  public func optionalBool(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> Bool? {
    guard let value = try optionalInt(column, at: position) else { return nil }
    return value != 0
  }

  /// Double and date columns.
  @inlinable @inline(__always)
  public func double(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> Double {
    guard let node = try vector(column, position, .doubleVector) else { return 0 }
    return unsafe VectorMath.elements(node).load(
      fromByteOffset: position.row &<< 3, as: Double.self)
  }

  @inlinable
  public func optionalDouble(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> Double? {
    guard let node = try vector(column, position, .doubleVector),
      VectorMath.hasValue(node, position.row)
    else { return nil }
    return unsafe VectorMath.elements(node).load(
      fromByteOffset: position.row &<< 3, as: Double.self)
  }

  @inlinable
  public func float(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> Float {
    guard let node = try vector(column, position, .floatVector) else { return 0 }
    return unsafe VectorMath.elements(node).load(fromByteOffset: position.row &<< 2, as: Float.self)
  }

  @inlinable
  public func optionalFloat(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> Float? {
    try isNull(column, at: position) ? nil : float(column, at: position)
  }

  @inlinable
  public func objectId(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> ObjectIdBytes {
    guard let node = try vector(column, position, of: .objectId) else {
      return ObjectIdBytes(head: 0, tail: 0)
    }
    return unsafe FixedVector.objectId(VectorMath.elements(node), position.row)
  }

  @inlinable
  public func optionalObjectId(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> ObjectIdBytes? {
    try isNull(column, at: position) ? nil : objectId(column, at: position)
  }

  @inlinable
  public func uuid(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> UUIDBytes {
    guard let node = try vector(column, position, of: .uuid) else {
      return UUIDBytes(head: 0, tail: 0)
    }
    return unsafe FixedVector.uuid(VectorMath.elements(node), position.row)
  }

  @inlinable
  public func optionalUUID(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> UUIDBytes? {
    try isNull(column, at: position) ? nil : uuid(column, at: position)
  }

  /// A new decimal property holds all zero bits, which is a zero as well.
  @inlinable
  public func decimal128(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> DecimalBits {
    guard let node = try vector(column, position, of: .decimal128) else { return .zero }
    return unsafe FixedVector.decimal(VectorMath.elements(node), position.row)
  }

  @inlinable
  public func optionalDecimal128(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> DecimalBits? {
    try isNull(column, at: position) ? nil : decimal128(column, at: position)
  }

  /// The object that a link column refers to.
  @inlinable
  public func link(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> ObjectKey? {
    let value = try int(column, at: position)
    return value == 0 ? nil : ObjectKey(rawValue: value &- 1)
  }
}
