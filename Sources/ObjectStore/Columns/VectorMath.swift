import Storage

/// How the vectors of a cluster or list leaf lie in their nodes.
///
/// A vector may hold fewer rows than its cluster, or be missing altogether: rows that it does not
/// hold have the default of their column (null where the column may be null, else zero or empty).
/// Where null is possible (`nullableFlag`), the data begins with a bitmap: 1 = there is a value.
@usableFromInline
enum VectorMath {
  @usableFromInline static let nullableFlag: UInt16 = 1
  /// Byte vectors: a second bitmap marks rows whose value is in a node of its own.
  @usableFromInline static let largeFlag: UInt16 = 2

  @inlinable @inline(__always)
  static func bitmapBytes(_ count: Int) -> Int { ((count &+ 63) &>> 6) &<< 3 }

  @inlinable @inline(__always)
  static func isNullable(_ node: Node) -> Bool { node.flags & nullableFlag != 0 }

  /// Where the elements begin.
  @inlinable @inline(__always)
  static func elements(_ node: Node) -> UnsafeRawPointer {
    unsafe isNullable(node) ? node.data + bitmapBytes(node.count) : node.data
  }

  @inlinable @inline(__always)
  static func bit(_ base: UnsafeRawPointer, _ index: Int) -> Bool {
    unsafe base.load(fromByteOffset: index &>> 3, as: UInt8.self) & (1 &<< UInt8(index & 7)) != 0
  }

  @inlinable @inline(__always)
  static func setBit(_ base: UnsafeMutableRawPointer, _ index: Int, _ value: Bool) {
    let mask: UInt8 = 1 &<< UInt8(truncatingIfNeeded: index & 7)
    let old = unsafe base.load(fromByteOffset: index &>> 3, as: UInt8.self)
    unsafe base.storeBytes(
      of: value ? old | mask : old & ~mask, toByteOffset: index &>> 3, as: UInt8.self)
  }

  /// Whether there is a value in `row` of a vector whose column may hold null.
  @inlinable @inline(__always)
  static func hasValue(_ node: Node, _ row: Int) -> Bool {
    if row >= node.count { return false }
    return unsafe !isNullable(node) || bit(node.data, row)
  }

  /// Element `row` of packed two's complement integers (one bit: 0 or 1).
  @inlinable @inline(__always)
  static func integer(_ base: UnsafeRawPointer, width: Int, _ row: Int) -> Int64 {
    switch width {
    case 32: return unsafe Int64(base.load(fromByteOffset: row &<< 2, as: Int32.self))
    case 8: return unsafe Int64(base.load(fromByteOffset: row, as: Int8.self))
    case 16: return unsafe Int64(base.load(fromByteOffset: row &<< 1, as: Int16.self))
    case 64: return unsafe base.load(fromByteOffset: row &<< 3, as: Int64.self)
    case 1: return unsafe bit(base, row) ? 1 : 0
    default: return 0
    }
  }

  @inlinable @inline(__always)
  static func setInteger(
    _ base: UnsafeMutableRawPointer, width: Int, _ row: Int, _ value: Int64
  ) {
    switch width {
    case 32:
      unsafe base.storeBytes(
        of: Int32(truncatingIfNeeded: value), toByteOffset: row &<< 2, as: Int32.self)
    case 8:
      unsafe base.storeBytes(of: Int8(truncatingIfNeeded: value), toByteOffset: row, as: Int8.self)
    case 16:
      unsafe base.storeBytes(
        of: Int16(truncatingIfNeeded: value), toByteOffset: row &<< 1, as: Int16.self)
    case 64: unsafe base.storeBytes(of: value, toByteOffset: row &<< 3, as: Int64.self)
    case 1: unsafe setBit(base, row, value != 0)
    default: break
    }
  }

  /// The smallest width that holds `value`.
  @inlinable @inline(__always)
  static func width(of value: Int64) -> Int {
    if value == 0 { return 0 }
    if value == 1 { return 1 }
    if value == Int64(Int8(truncatingIfNeeded: value)) { return 8 }
    if value == Int64(Int16(truncatingIfNeeded: value)) { return 16 }
    if value == Int64(Int32(truncatingIfNeeded: value)) { return 32 }
    return 64
  }

  @inlinable @inline(__always)
  static func integerBytes(_ count: Int, width: Int) -> Int { (count &* width &+ 7) &>> 3 }

  /// Unsigned offsets from a base, as key vectors and index entries keep them.
  @inlinable @inline(__always)
  static func offset(_ base: UnsafeRawPointer, width: Int, _ row: Int) -> UInt64 {
    switch width {
    case 8: return unsafe UInt64(base.load(fromByteOffset: row, as: UInt8.self))
    case 16: return unsafe UInt64(base.load(fromByteOffset: row &<< 1, as: UInt16.self))
    case 32: return unsafe UInt64(base.load(fromByteOffset: row &<< 2, as: UInt32.self))
    case 64: return unsafe base.load(fromByteOffset: row &<< 3, as: UInt64.self)
    default: return 0
    }
  }

  @inlinable @inline(__always)
  static func setOffset(
    _ base: UnsafeMutableRawPointer, width: Int, _ row: Int, _ value: UInt64
  ) {
    switch width {
    case 8:
      unsafe base.storeBytes(
        of: UInt8(truncatingIfNeeded: value), toByteOffset: row, as: UInt8.self)
    case 16:
      unsafe base.storeBytes(
        of: UInt16(truncatingIfNeeded: value), toByteOffset: row &<< 1, as: UInt16.self)
    case 32:
      unsafe base.storeBytes(
        of: UInt32(truncatingIfNeeded: value), toByteOffset: row &<< 2, as: UInt32.self)
    case 64: unsafe base.storeBytes(of: value, toByteOffset: row &<< 3, as: UInt64.self)
    default: break
    }
  }

  @inlinable @inline(__always)
  static func offsetWidth(of value: UInt64) -> Int {
    if value == 0 { return 0 }
    if value <= 0xFF { return 8 }
    if value <= 0xFFFF { return 16 }
    if value <= 0xFFFF_FFFF { return 32 }
    return 64
  }
}
