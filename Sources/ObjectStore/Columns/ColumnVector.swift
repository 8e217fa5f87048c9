import Storage

/// The rows of one column in one cluster, or the elements of one leaf of a list, for scans.
///
/// `count` may be smaller than the cluster's: the rows that are not there hold the column's default
/// (null where the column may be null, else zero or empty). A missing vector has count 0.
///
/// Valid as long as the version that it was read from. The methods look at rows that are there
/// alone; the pointers are for scans, which keep to `count` themselves.
///
/// Elements by kind of node:
/// - `integerVector`: `width` is 0 (all zero), 1, 8, 16, 32 or 64 bits. Int, Bool; for links the
///   target's key + 1, or 0 for none.
/// - `floatVector`, `doubleVector`: 32 and 64 bits; dates are doubles.
/// - `fixedVector`: `width` 96 (ObjectId) or 128 (UUID, Decimal128).
/// - `byteVector`: `ends` and `heap`; see `withBytes`.
@frozen
@safe public struct ColumnVector {
  /// Nil for a vector that is not there; then `count` is 0 and no pointer may be used.
  public let node: Node?
  public let source: NodeSource
  /// Rows that are there.
  public let count: Int
  /// Bits per element of integer and fixed vectors.
  public let width: Int
  /// A bit per row (little-endian words), 1 = there is a value; nil where null is impossible.
  /// Bits at and beyond `count` are 0.
  public let validity: UnsafePointer<UInt64>?
  /// Where the elements start; for byte vectors the `count + 1` offsets.
  public let elements: UnsafeRawPointer

  /// - Parameter kind: of the values.
  /// - Throws: `.corrupt` if the node is no vector of such values.
  @inlinable
  public init(
    _ reference: NodeReference, of kind: ValueKind, in source: NodeSource
  ) throws(StorageError) {
    self.init(
      reference.isNone ? nil : try source.vector(reference, of: kind), of: kind, in: source)
  }

  /// - Parameter node: a vector of values of that kind; nil for one that is not there.
  @inlinable @inline(__always)
  init(_ node: Node?, of kind: ValueKind, in source: NodeSource) {
    self.source = source
    guard let node else {
      self.node = nil
      count = 0
      width = 0
      unsafe validity = nil
      unsafe elements = UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped
      return
    }
    self.node = node
    count = node.count
    width = node.width
    let bitmap = VectorMath.bitmapBytes(node.count)
    var start = unsafe node.data
    if VectorMath.isNullable(node) {
      unsafe validity = start.assumingMemoryBound(to: UInt64.self)
      unsafe start += bitmap
    } else {
      unsafe validity = nil
    }
    if kind.vectorKind == .byteVector && node.flags & VectorMath.largeFlag != 0 {
      unsafe start += bitmap
    }
    unsafe elements = start
  }

  /// Whether some rows of a byte vector are kept outside of `heap`. If so their stretch of the heap
  /// is empty, and only `withBytes` reads them.
  @inlinable
  public var hasLargeValues: Bool {
    guard let node else { return false }
    return node.kind == .byteVector && node.flags & VectorMath.largeFlag != 0
  }

  /// Byte vectors: row i spans `ends[i] ..< ends[i + 1]` of `heap`.
  @inlinable
  public var ends: UnsafePointer<UInt16> { unsafe elements.assumingMemoryBound(to: UInt16.self) }

  /// Byte vectors: the bytes of all rows, one after the other.
  @inlinable
  public var heap: UnsafePointer<UInt8> {
    unsafe (elements + ByteVector.endsBytes(count)).assumingMemoryBound(to: UInt8.self)
  }

  /// Whether `row` holds a value, where the column may hold null.
  @inlinable @inline(__always)
  public func hasValue(_ row: Int) -> Bool {
    if row >= count { return false }
    guard let validity = unsafe validity else { return true }
    return unsafe validity[row &>> 6] & (1 &<< UInt64(row & 63)) != 0
  }

  /// Integer vectors: the value in `row`, 0 beyond `count`.
  @inlinable @inline(__always)
  public func integer(_ row: Int) -> Int64 {
    unsafe row < count ? VectorMath.integer(elements, width: width, row) : 0
  }

  /// Double vectors.
  @inlinable @inline(__always)
  public func double(_ row: Int) -> Double {
    unsafe row < count ? elements.load(fromByteOffset: row &<< 3, as: Double.self) : 0
  }

  /// Float vectors.
  @inlinable @inline(__always)
  public func float(_ row: Int) -> Float {
    unsafe row < count ? elements.load(fromByteOffset: row &<< 2, as: Float.self) : 0
  }

  /// Byte vectors: gives `body` the bytes in `row`, empty for null and beyond `count`. Values of
  /// more than `TreeLimits.blobChunkBytes` are put together for the time of the call.
  @inlinable
  public func withBytes<Result>(
    _ row: Int, _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(StorageError) -> Result {
    guard let node, row < count else {
      return unsafe body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    return try unsafe ByteVector.withBytes(node, row, in: source, body)
  }
}
