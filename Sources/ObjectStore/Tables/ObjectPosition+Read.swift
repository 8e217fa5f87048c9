import Storage

// Reads that need only the position: what live objects use, which remember where their row is. The
// rules are those of `Table`'s reads of the same names.
extension ObjectPosition {
  @inlinable @inline(__always)
  func vector(
    _ column: ColumnKey, _ kind: NodeKind, _ source: NodeSource
  ) throws(StorageError) -> Node? {
    let reference = cluster.reference(column)
    if reference.isNone { return nil }
    let node = try source.node(reference, kind)
    return row < node.count ? node : nil
  }

  @inlinable @inline(__always)
  public func int(_ column: ColumnKey, in source: NodeSource) throws(StorageError) -> Int64 {
    guard let node = try vector(column, .integerVector, source) else { return 0 }
    return unsafe VectorMath.integer(VectorMath.elements(node), width: node.width, row)
  }

  @inlinable @inline(__always)
  public func optionalInt(
    _ column: ColumnKey, in source: NodeSource
  ) throws(StorageError) -> Int64? {
    guard let node = try vector(column, .integerVector, source), VectorMath.hasValue(node, row)
    else { return nil }
    return unsafe VectorMath.integer(VectorMath.elements(node), width: node.width, row)
  }

  @inlinable @inline(__always)
  public func double(_ column: ColumnKey, in source: NodeSource) throws(StorageError) -> Double {
    guard let node = try vector(column, .doubleVector, source) else { return 0 }
    return unsafe VectorMath.elements(node).load(fromByteOffset: row &<< 3, as: Double.self)
  }

  @inlinable @inline(__always)
  public func optionalDouble(
    _ column: ColumnKey, in source: NodeSource
  ) throws(StorageError) -> Double? {
    guard let node = try vector(column, .doubleVector, source), VectorMath.hasValue(node, row)
    else { return nil }
    return unsafe VectorMath.elements(node).load(fromByteOffset: row &<< 3, as: Double.self)
  }

  /// The string, for columns that may be null and others alike; an empty one of the latter is
  /// empty.
  @inlinable
  public func string(
    _ column: ColumnKey, in source: NodeSource
  ) throws(StorageError) -> String? {
    guard let node = try vector(column, .byteVector, source) else { return nil }
    if VectorMath.isNullable(node), !VectorMath.hasValue(node, row) { return nil }
    if !ByteVector.isLarge(node, row) {
      return unsafe String(decoding: ByteVector.inlineBytes(node, row), as: UTF8.self)
    }
    return unsafe try ByteVector.withBytes(node, row, in: source) {
      unsafe String(decoding: $0, as: UTF8.self)
    }
  }
}
