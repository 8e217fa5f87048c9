import Platform
import Storage

/// A whole file whose nodes can be given any content, with checksums and tags that hold all the way
/// up to the slot: what somebody makes who knows the format and means harm.
public struct HostileFile {
  public private(set) var bytes: [UInt8]
  /// Every node below the newest version's, with the way there.
  public private(set) var nodes: [Place] = []
  private let slot: Int

  public struct Place: Sendable {
    public var offset: Int
    /// Parents from the snapshot node down, and which reference of each leads on.
    var path: [(parent: Int, index: Int)]
  }

  /// - Parameter bytes: of a file that was closed after a flushed commit.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
    func version(_ slot: Int) -> UInt64 { Self.load(bytes, slot + FileLayout.slotVersion) }
    slot = FileLayout.durableSlots.max { version($0) < version($1) }!
    let root = NodeReference(rawValue: Self.load(bytes, slot + FileLayout.slotRoot))
    collect(Int(root.offset), [])
  }

  private mutating func collect(_ offset: Int, _ path: [(parent: Int, index: Int)]) {
    if offset == 0 { return }
    nodes.append(Place(offset: offset, path: path))
    for index in 0..<Int(field(offset, NodeLayout.referenceCount, as: UInt32.self)) {
      let child = NodeReference(rawValue: word(offset + NodeLayout.headerSize + index * 8))
      collect(Int(child.offset), path + [(offset, index)])
    }
  }

  // MARK: Bytes

  private static func load(_ bytes: [UInt8], _ place: Int) -> UInt64 {
    unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: place, as: UInt64.self) }
  }

  public func field<T: FixedWidthInteger & BitwiseCopyable>(
    _ node: Int, _ offset: Int, as type: T.Type
  ) -> T {
    unsafe bytes.withUnsafeBytes {
      unsafe $0.loadUnaligned(fromByteOffset: node + offset, as: T.self)
    }
  }

  public mutating func set<T: FixedWidthInteger & BitwiseCopyable>(
    _ node: Int, _ offset: Int, _ value: T
  ) {
    unsafe bytes.withUnsafeMutableBytes {
      unsafe $0.storeBytes(of: value, toByteOffset: node + offset, as: T.self)
    }
  }

  public func word(_ place: Int) -> UInt64 { Self.load(bytes, place) }

  public func kind(_ place: Place) -> NodeKind {
    NodeKind(rawValue: bytes[place.offset + NodeLayout.kind])
  }

  /// Bytes of the node, as far as they lie in the file.
  public func size(_ place: Place) -> Int {
    min(Int(field(place.offset, NodeLayout.byteSize, as: UInt32.self)), bytes.count - place.offset)
  }

  /// References of the node, as far as they lie in it.
  public func referenceCount(_ place: Place) -> Int {
    let claimed = Int(field(place.offset, NodeLayout.referenceCount, as: UInt32.self))
    return min(claimed, max(0, size(place) - NodeLayout.headerSize) / 8)
  }

  /// Offset of the data of a node, from its start.
  public func dataStart(_ place: Place) -> Int {
    NodeLayout.headerSize + referenceCount(place) * 8
  }

  // MARK: Sealing

  /// A reference to the node at `offset` as it is now.
  public func reference(to offset: Int) -> NodeReference {
    NodeReference(
      offset: UInt64(offset), checksum: field(offset, NodeLayout.checksum, as: UInt32.self))
  }

  /// Makes the checksums of a changed node and of all above it hold, and the slot name the result.
  public mutating func seal(_ place: Place) {
    sum(place.offset)
    var child = place.offset
    for (parent, index) in place.path.reversed() {
      let reference = parent + NodeLayout.headerSize + index * 8
      if reference + 8 <= bytes.count { set(reference, 0, self.reference(to: child).rawValue) }
      sum(parent)
      child = parent
    }
    set(slot, FileLayout.slotRoot, reference(to: child).rawValue)
    sealSlot()
  }

  /// Makes the parent of a node refer to nothing in its place.
  public mutating func cut(_ place: Place) {
    guard let (parent, index) = place.path.last else { return }
    set(parent, NodeLayout.headerSize + index * 8, UInt64(0))
    seal(Place(offset: parent, path: place.path.dropLast()))
  }

  private mutating func sum(_ node: Int) {
    let claimed = Int(field(node, NodeLayout.byteSize, as: UInt32.self))
    let size = max(NodeLayout.headerSize, min(claimed, bytes.count - node))
    let sum = unsafe bytes.withUnsafeBytes {
      unsafe checksum($0.baseAddress! + node + 4, count: size - 4)
    }
    set(node, NodeLayout.checksum, sum)
  }

  /// The slot then claims that its nodes had been flushed, so that it needs no list of extents.
  private mutating func sealSlot() {
    set(slot, FileLayout.slotExtentCount, UInt32(0))
    set(slot, FileLayout.slotFlags, UInt32(2))
    let start = FileLayout.slotVersion
    let sum = unsafe bytes.withUnsafeBytes {
      unsafe checksum($0.baseAddress! + slot + start, count: FileLayout.slotSize - start)
    }
    set(slot, FileLayout.slotChecksum, sum)
  }

  /// Sets the logical size that the slot claims.
  public mutating func setLogicalSize(_ size: UInt64) {
    set(slot, FileLayout.slotLogicalSize, size)
    sealSlot()
  }
}
