import Storage

extension Table {
  /// Gives `body` the UTF-8 of a string column, or the bytes of a data column, without copying them
  /// (but for values of several chunks); empty for null.
  @inlinable
  public func withBytes<Result>(
    _ column: ColumnKey, at position: ObjectPosition,
    _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(StorageError) -> Result {
    guard let node = try vector(column, position, .byteVector) else {
      return unsafe body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    return try unsafe ByteVector.withBytes(node, position.row, in: source, body)
  }

  /// The same; nil for null, without calling `body`.
  @inlinable
  public func withOptionalBytes<Result>(
    _ column: ColumnKey, at position: ObjectPosition,
    _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(StorageError) -> Result? {
    guard let node = try vector(column, position, .byteVector),
      VectorMath.hasValue(node, position.row)
    else { return nil }
    return unsafe try ByteVector.withBytes(node, position.row, in: source, body)
  }

  @inlinable
  public func string(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> String {
    try unsafe withBytes(column, at: position) { unsafe String(decoding: $0, as: UTF8.self) }
  }

  @inlinable
  public func optionalString(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> String? {
    try unsafe withOptionalBytes(column, at: position) {
      unsafe String(decoding: $0, as: UTF8.self)
    }
  }

  @inlinable
  public func data(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> [UInt8] {
    try unsafe withBytes(column, at: position) { unsafe [UInt8]($0) }
  }

  @inlinable
  public func optionalData(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> [UInt8]? {
    try unsafe withOptionalBytes(column, at: position) { unsafe [UInt8]($0) }
  }

  /// A column of any kind of value.
  public func any(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> StoredValue {
    try unsafe withBytes(column, at: position) { unsafe ValueCodec.decode($0) }
  }

  /// The value of a property that is no collection, whatever its kind.
  public func value(
    of property: PropertyDescription, at position: ObjectPosition
  ) throws(StorageError) -> StoredValue {
    let column = property.columnKey
    guard let node = try vector(column, position, of: property.kind) else {
      return property.defaultValue
    }
    return try VectorValue.read(
      node, position.row, kind: property.kind, isOptional: property.isOptional,
      target: property.targetTable, in: source)
  }

  /// A list property.
  public func list(
    of property: PropertyDescription, at position: ObjectPosition
  ) throws(StorageError) -> ListView {
    try ListView(
      root: listRoot(property.columnKey, at: position), kind: property.kind,
      isOptional: property.isOptional, target: property.targetTable, in: source)
  }

  /// Where the tree of a list column's list is; none if it is empty.
  @inlinable
  public func listRoot(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> NodeReference {
    guard let node = try vector(column, position, .referenceVector) else { return .none }
    return node.reference(position.row)
  }

  /// Who links to the object through the property that the hidden `column` stands for
  /// (`ClassDescription.backlinkColumn`).
  public func backlinks(
    _ column: ColumnKey, at position: ObjectPosition
  ) throws(StorageError) -> BacklinkView {
    guard let node = try vector(column, position, .backlinkVector) else {
      return BacklinkView.empty(in: source)
    }
    return try BacklinkView(node, position.row, in: source)
  }
}

extension PropertyDescription {
  /// What the property holds in an object that has not been given a value for it.
  public var defaultValue: StoredValue {
    if isOptional { return .null }
    return VectorValue.zero(kind)
  }
}
