import Platform

/// The record that makes a version exist: 512 bytes in one of four places of the file.
///
/// A durable slot of a one-flush commit lists the extents which that commit wrote, with their
/// checksums: if the machine lost power between writing and flushing, the slot counts only when
/// every one of them holds. A durable slot that was written after its nodes had been flushed needs
/// no such proof and lists none. A volatile slot belongs to commits that have not been flushed;
/// within the boot that wrote it the page cache vouches for it, and after another boot it does not
/// count.
struct CommitSlot: Hashable {
  struct ProvenExtent: Hashable {
    var offset: UInt64
    var length: UInt64
    var checksum: UInt32
  }

  var version: Version
  var root: NodeReference
  var logicalSize: UInt64
  /// The boot that wrote it.
  var boot: BootIdentifier
  var extents: [ProvenExtent] = []
  /// The checksum that it was read with; 0 for one that was not.
  private(set) var checksum: UInt32 = 0

  /// Writes the 512 bytes.
  func encode(into bytes: UnsafeMutableRawBufferPointer) {
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    bytes.storeBytes(
      of: FileLayout.slotMagicValue, toByteOffset: FileLayout.slotMagic, as: UInt32.self)
    bytes.storeBytes(of: version.rawValue, toByteOffset: FileLayout.slotVersion, as: UInt64.self)
    bytes.storeBytes(of: root.rawValue, toByteOffset: FileLayout.slotRoot, as: UInt64.self)
    bytes.storeBytes(of: logicalSize, toByteOffset: FileLayout.slotLogicalSize, as: UInt64.self)
    bytes.storeBytes(of: boot.high, toByteOffset: FileLayout.slotBoot, as: UInt64.self)
    bytes.storeBytes(of: boot.low, toByteOffset: FileLayout.slotBoot + 8, as: UInt64.self)
    bytes.storeBytes(
      of: UInt32(extents.count), toByteOffset: FileLayout.slotExtentCount, as: UInt32.self)
    for (index, extent) in extents.enumerated() {
      let place = FileLayout.slotExtents + index * FileLayout.extentSize
      bytes.storeBytes(of: extent.offset, toByteOffset: place, as: UInt64.self)
      bytes.storeBytes(of: extent.length, toByteOffset: place + 8, as: UInt64.self)
      bytes.storeBytes(of: extent.checksum, toByteOffset: place + 16, as: UInt32.self)
    }
    Self.setChecksum(of: bytes)
  }

  /// Whether it is that of a file that was made without content. One that was made with some, a
  /// copy, has more space, and was flushed before it could be opened.
  var isOfNewFile: Bool {
    version == 1 && logicalSize == UInt64(FileLayout.firstNode) + FileLayout.initialSpace
  }

  /// Sets the checksum of the other bytes.
  static func setChecksum(of bytes: UnsafeMutableRawBufferPointer) {
    let start = FileLayout.slotVersion
    let sum = Platform.checksum(bytes.baseAddress! + start, count: FileLayout.slotSize - start)
    bytes.storeBytes(of: sum, toByteOffset: FileLayout.slotChecksum, as: UInt32.self)
  }

  /// Reads a slot; nil when it is torn, damaged or was never written.
  init?(_ bytes: UnsafeRawBufferPointer) {
    func load<T: BitwiseCopyable>(_ offset: Int, as type: T.Type) -> T {
      bytes.loadUnaligned(fromByteOffset: offset, as: type)
    }
    let start = FileLayout.slotVersion
    guard bytes.count >= FileLayout.slotSize,
      load(FileLayout.slotMagic, as: UInt32.self) == FileLayout.slotMagicValue,
      load(FileLayout.slotChecksum, as: UInt32.self)
        == Platform.checksum(bytes.baseAddress! + start, count: FileLayout.slotSize - start)
    else { return nil }
    checksum = load(FileLayout.slotChecksum, as: UInt32.self)
    version = Version(load(FileLayout.slotVersion, as: UInt64.self))
    root = NodeReference(rawValue: load(FileLayout.slotRoot, as: UInt64.self))
    logicalSize = load(FileLayout.slotLogicalSize, as: UInt64.self)
    let high = load(FileLayout.slotBoot, as: UInt64.self)
    let low = load(FileLayout.slotBoot + 8, as: UInt64.self)
    boot = BootIdentifier(high: high, low: low)
    let count = Int(load(FileLayout.slotExtentCount, as: UInt32.self))
    guard version > .zero, version.rawValue < 1 << 48, count <= FileLayout.slotExtentsMax,
      !root.isUncommitted,
      logicalSize >= UInt64(FileLayout.firstNode), logicalSize < 1 << 48
    else { return nil }
    for index in 0..<count {
      let place = FileLayout.slotExtents + index * FileLayout.extentSize
      extents.append(
        ProvenExtent(
          offset: load(place, as: UInt64.self), length: load(place + 8, as: UInt64.self),
          checksum: load(place + 16, as: UInt32.self)))
    }
  }

  init(
    version: Version, root: NodeReference, logicalSize: UInt64, boot: BootIdentifier,
    extents: [ProvenExtent] = []
  ) {
    self.boot = boot
    self.extents = extents
    self.version = version
    self.root = root
    self.logicalSize = logicalSize
  }
}
