/// A view of a node: a pointer into the mapping or into a transaction's private memory.
///
/// Non-owning. It is valid while what it was read from is: a pinned snapshot, or a write
/// transaction until the node is changed. `NodeSource` hands it out only after its checksum has
/// been seen to hold, so header fields can be trusted to lie within the node.
@frozen
public struct Node {
  public let address: UnsafeRawPointer

  @inlinable @inline(__always)
  public init(address: UnsafeRawPointer) { self.address = address }

  @inlinable @inline(__always)
  public var kind: NodeKind {
    NodeKind(rawValue: address.load(fromByteOffset: 4, as: UInt8.self))
  }
  @inlinable @inline(__always)
  public var width: Int { Int(address.load(fromByteOffset: 5, as: UInt8.self)) }
  @inlinable @inline(__always)
  public var flags: UInt16 { address.load(fromByteOffset: 6, as: UInt16.self) }
  @inlinable @inline(__always)
  public var byteSize: Int { Int(address.load(fromByteOffset: 8, as: UInt32.self)) }
  @inlinable @inline(__always)
  public var count: Int { Int(address.load(fromByteOffset: 12, as: UInt32.self)) }
  @inlinable @inline(__always)
  public var createdIn: Version {
    Version(address.load(fromByteOffset: 16, as: UInt64.self))
  }
  @inlinable @inline(__always)
  public var referenceCount: Int { Int(address.load(fromByteOffset: 24, as: UInt32.self)) }
  @inlinable @inline(__always)
  public var auxiliary: UInt32 { address.load(fromByteOffset: 28, as: UInt32.self) }
  @inlinable @inline(__always)
  public var storedChecksum: UInt32 { address.load(as: UInt32.self) }

  /// Reference `index`; traps outside of `0 ..< referenceCount`.
  @inlinable @inline(__always)
  public func reference(_ index: Int) -> NodeReference {
    precondition(UInt(bitPattern: index) < UInt(bitPattern: referenceCount), "reference index")
    return NodeReference(
      rawValue: address.load(fromByteOffset: 32 &+ index &* 8, as: UInt64.self))
  }

  /// The bytes behind the references.
  @inlinable @inline(__always)
  public var data: UnsafeRawPointer { address + (32 &+ referenceCount &* 8) }

  /// How many bytes `data` has, padding included.
  @inlinable @inline(__always)
  public var dataSize: Int { byteSize &- 32 &- referenceCount &* 8 }

  @inlinable @inline(__always)
  public var dataBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: data, count: dataSize)
  }
}

/// A node in a write transaction's private memory, which may be changed in place.
///
/// It stays valid until the transaction ends, or until it is grown through `NodeWriter`, which may
/// move it; the reference then changes too and the parent has to be told.
@frozen
public struct MutableNode {
  public let address: UnsafeMutableRawPointer

  /// Stands where a node will be, and is not to be used.
  @inlinable @inline(__always)
  public static var unset: MutableNode {
    MutableNode(address: UnsafeMutableRawPointer(bitPattern: 8).unsafelyUnwrapped)
  }

  @inlinable @inline(__always)
  public init(address: UnsafeMutableRawPointer) { self.address = address }

  @inlinable @inline(__always)
  public var node: Node { Node(address: address) }

  @inlinable @inline(__always)
  public var reference: NodeReference { NodeReference(uncommitted: address) }

  /// Bytes that the node may take without being moved.
  @inlinable @inline(__always)
  public var capacity: Int { Int((address - 16).load(as: UInt64.self)) }

  @inlinable @inline(__always)
  public func setWidth(_ width: Int) {
    address.storeBytes(of: UInt8(width), toByteOffset: 5, as: UInt8.self)
  }
  @inlinable @inline(__always)
  public func setFlags(_ flags: UInt16) {
    address.storeBytes(of: flags, toByteOffset: 6, as: UInt16.self)
  }
  @inlinable @inline(__always)
  public func setCount(_ count: Int) {
    address.storeBytes(of: UInt32(count), toByteOffset: 12, as: UInt32.self)
  }
  @inlinable @inline(__always)
  public func setAuxiliary(_ value: UInt32) {
    address.storeBytes(of: value, toByteOffset: 28, as: UInt32.self)
  }
  @inlinable @inline(__always)
  public func setReference(_ index: Int, _ reference: NodeReference) {
    precondition(UInt(bitPattern: index) < UInt(bitPattern: node.referenceCount), "reference index")
    address.storeBytes(of: reference.rawValue, toByteOffset: 32 &+ index &* 8, as: UInt64.self)
  }

  /// The bytes behind the references.
  @inlinable @inline(__always)
  public var data: UnsafeMutableRawPointer { address + (32 &+ node.referenceCount &* 8) }

  /// Sets how many data bytes the node has (rounded up to 8, the padding zeroed). Must fit within
  /// `capacity`.
  @inlinable
  public func setDataSize(_ bytes: Int) {
    let used = 32 &+ node.referenceCount &* 8 &+ bytes
    let padded = (used &+ 7) & ~7
    precondition(padded <= capacity, "node grown past its capacity")
    var fill = used
    while fill < padded {
      address.storeBytes(of: 0, toByteOffset: fill, as: UInt8.self)
      fill &+= 1
    }
    address.storeBytes(of: UInt32(padded), toByteOffset: 8, as: UInt32.self)
  }

  @inlinable @inline(__always)
  func setReferenceCount(_ count: Int) {
    address.storeBytes(of: UInt32(count), toByteOffset: 24, as: UInt32.self)
  }
}
