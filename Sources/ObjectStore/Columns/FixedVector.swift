import Storage

/// Elements of fixed vectors. The bytes of an element are as in memory.
@usableFromInline
enum FixedVector {
  @inlinable @inline(__always)
  static func objectId(_ base: UnsafeRawPointer, _ row: Int) -> ObjectIdBytes {
    unsafe ObjectIdBytes(
      head: base.loadUnaligned(fromByteOffset: row &* 12, as: UInt64.self),
      tail: base.loadUnaligned(fromByteOffset: row &* 12 &+ 8, as: UInt32.self))
  }

  @inlinable @inline(__always)
  static func uuid(_ base: UnsafeRawPointer, _ row: Int) -> UUIDBytes {
    unsafe UUIDBytes(
      head: base.load(fromByteOffset: row &* 16, as: UInt64.self),
      tail: base.load(fromByteOffset: row &* 16 &+ 8, as: UInt64.self))
  }

  /// All zero bits stand for positive zero, so that a row that was never set holds it.
  @inlinable @inline(__always)
  static func decimal(_ base: UnsafeRawPointer, _ row: Int) -> DecimalBits {
    let low = unsafe base.load(fromByteOffset: row &* 16, as: UInt64.self)
    let high = unsafe base.load(fromByteOffset: row &* 16 &+ 8, as: UInt64.self)
    return low == 0 && high == 0 ? .zero : DecimalBits(low: low, high: high)
  }
}

extension ColumnVector {
  @inlinable
  public func objectId(_ row: Int) -> ObjectIdBytes {
    unsafe row < count ? FixedVector.objectId(elements, row) : ObjectIdBytes(head: 0, tail: 0)
  }

  @inlinable
  public func uuid(_ row: Int) -> UUIDBytes {
    unsafe row < count ? FixedVector.uuid(elements, row) : UUIDBytes(head: 0, tail: 0)
  }

  @inlinable
  public func decimal128(_ row: Int) -> DecimalBits {
    unsafe row < count ? FixedVector.decimal(elements, row) : .zero
  }
}
