/// Where a node is: in the file, or (inside a write transaction only) in private memory.
///
///     bit 63      1: uncommitted; bits 0..<48 are the address of the node in private memory
///     bits 48..<63 the low 15 bits of the node's checksum, so that a parent can check its child
///     bits 0..<48  offset in the file, a multiple of 8
///
/// Zero refers to nothing: offset 0 holds the file header.
@frozen
public struct NodeReference: Hashable, Sendable {
  public var rawValue: UInt64

  @inlinable @inline(__always)
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  @inlinable @inline(__always)
  public init(offset: UInt64, checksum: UInt32) {
    rawValue = offset | (UInt64(checksum & 0x7FFF) &<< 48)
  }

  /// A node in private memory. The processors that Linux runs Swift on hand out user addresses
  /// below 2^47 (x86-64) or 2^48 (arm64), so an address fits.
  @inlinable @inline(__always)
  public init(uncommitted address: UnsafeRawPointer) {
    rawValue = UInt64(UInt(bitPattern: address)) | (1 &<< 63)
  }

  @inlinable @inline(__always)
  public static var none: NodeReference { NodeReference(rawValue: 0) }

  @inlinable @inline(__always)
  public var isNone: Bool { rawValue == 0 }

  @inlinable @inline(__always)
  public var isUncommitted: Bool { rawValue &>> 63 != 0 }

  @inlinable @inline(__always)
  public var offset: UInt64 { rawValue & 0xFFFF_FFFF_FFFF }

  @inlinable @inline(__always)
  public var checksumTag: UInt32 { UInt32(truncatingIfNeeded: rawValue &>> 48) & 0x7FFF }

  @inlinable @inline(__always)
  var address: UnsafeRawPointer {
    UnsafeRawPointer(bitPattern: UInt(rawValue & 0xFFFF_FFFF_FFFF)).unsafelyUnwrapped
  }
}
