import Platform

/// The first bytes of a new file, and the check of an existing file's header.
enum FileCreation {
  /// Writes the header and version 1, which is empty, and flushes them. The header comes last: a
  /// crash before it leaves a file that is still recognised as unfinished.
  static func initialise(
    _ file: any SystemFile, boot: BootIdentifier
  ) throws(StorageError) {
    do throws(SystemError) {
      // What an earlier attempt left is taken away first, and for certain: else a power loss could
      // destroy the slot by which a file without a header is known to be ours.
      if try file.size() > 0 {
        try file.truncate(to: 0)
        try file.synchronize()
      }
    } catch { throw StorageError(error, doing: "make the file") }
    try finish(file, root: .none, nodesEnd: UInt64(FileLayout.firstNode), boot: boot)
  }

  /// The same for a file whose nodes have been written, up to `nodesEnd`: they become version 1, of
  /// which `root` is the root.
  static func finish(
    _ file: any SystemFile, root: NodeReference, nodesEnd: UInt64, boot: BootIdentifier
  ) throws(StorageError) {
    do throws(SystemError) {
      let size = nodesEnd + initialSpace
      try file.allocate(offset: 0, length: size)
      let snapshot = try writeFirstVersion(file, root: root, start: nodesEnd)
      let slot = CommitSlot(version: 1, root: snapshot, logicalSize: size, boot: boot)
      try writeSlot(slot, to: file, boot: boot)
      try file.synchronize()
      try writeHeader(file)
      try file.synchronize()
    } catch {
      // After a failed flush the page cache may show what the disk does not have, and nothing would
      // be written again: the next opening makes the file anew.
      try? file.truncate(to: 0)
      throw StorageError(error, doing: "make the file")
    }
  }

  static let initialSpace: UInt64 = 16384

  /// Places the free-space index and the snapshot by hand, one after the other.
  private static func writeFirstVersion(
    _ file: any SystemFile, root: NodeReference, start: UInt64
  ) throws(SystemError) -> NodeReference {
    let end = start + initialSpace
    var nodes = HandmadeNodes(start: start)
    let operationCount = 2
    let indexSize =
      NodeLayout.headerSize + 8 + FreeSpaceIndex.headerSize
      + operationCount * SpaceOperation.byteSize
    let snapshotSize =
      NodeLayout.headerSize + SnapshotNode.referenceCount * 8 + SnapshotNode.dataSize
    let free = Extent(
      offset: start + UInt64(indexSize + snapshotSize),
      length: initialSpace - UInt64(indexSize + snapshotSize))
    let index = nodes.add(
      kind: .freeSpaceIndex, size: indexSize, references: [.none], count: operationCount
    ) { data in
      data.storeBytes(
        of: free.length / Region.unit, toByteOffset: FreeSpaceIndex.freeUnits, as: UInt64.self)
      let operations = data + FreeSpaceIndex.headerSize
      SpaceOperation.commit(1).store(to: operations)
      SpaceOperation.grow(free).store(to: operations + SpaceOperation.byteSize)
    }
    let snapshot = nodes.add(
      kind: .snapshot, size: snapshotSize, references: [root, .none, index], count: 0
    ) { data in
      data.storeBytes(of: end, toByteOffset: SnapshotNode.logicalSize, as: UInt64.self)
    }
    try nodes.write(to: file)
    return snapshot
  }

  private static func writeSlot(
    _ slot: CommitSlot, to file: any SystemFile, boot: BootIdentifier
  ) throws(SystemError) {
    do throws(SlotWriteError) {
      try SlotStore(file: file, boot: boot).writeDurable(slot, keeping: 0)
    } catch { throw error.cause }
  }

  private static func writeHeader(_ file: any SystemFile) throws(SystemError) {
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: FileLayout.headerUsed, alignment: 8)
    defer { bytes.deallocate() }
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    bytes.storeBytes(of: FileLayout.magic, toByteOffset: FileLayout.headerMagic, as: UInt64.self)
    bytes.storeBytes(
      of: FileLayout.formatVersion, toByteOffset: FileLayout.headerFormatVersion, as: UInt32.self)
    var random = SystemRandomNumberGenerator()
    for word in 0..<2 {
      bytes.storeBytes(
        of: random.next(), toByteOffset: FileLayout.headerFileIdentifier + word * 8,
        as: UInt64.self)
    }
    bytes.storeBytes(
      of: checksum(bytes.baseAddress!, count: FileLayout.headerChecksum),
      toByteOffset: FileLayout.headerChecksum, as: UInt32.self)
    try file.write(UnsafeRawBufferPointer(bytes), at: UInt64(FileLayout.header))
  }

  /// Writes the header as it is once more, for a flush to find: one that failed may have left it
  /// out.
  static func rewriteHeader(_ file: any SystemFile) throws(SystemError) {
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: FileLayout.headerUsed, alignment: 8)
    defer { bytes.deallocate() }
    guard try file.read(into: bytes, at: UInt64(FileLayout.header)) == bytes.count,
      bytes.load(as: UInt64.self) == FileLayout.magic
    else { return }
    try file.write(UnsafeRawBufferPointer(bytes), at: UInt64(FileLayout.header))
  }

  enum HeaderState {
    case absent
    case valid
  }

  /// - Throws: `.notADatabase`, `.unsupportedFormat` or `.corrupt`.
  static func checkHeader(_ file: any SystemFile) throws(StorageError) -> HeaderState {
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: FileLayout.headerUsed, alignment: 8)
    defer { bytes.deallocate() }
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    let count: Int
    do { count = try file.read(into: bytes, at: 0) } catch {
      throw StorageError(error, doing: "read the header")
    }
    let sumHolds =
      count == FileLayout.headerUsed
      && bytes.load(fromByteOffset: FileLayout.headerChecksum, as: UInt32.self)
        == checksum(bytes.baseAddress!, count: FileLayout.headerChecksum)
    if !sumHolds {
      if holdsNothingYet(file) { return .absent }
      if isUnfinished(UnsafeRawBufferPointer(bytes)) { return try unfinishedHeader(file) }
    }
    guard bytes.load(as: UInt64.self) == FileLayout.magic else {
      throw StorageError(
        .notADatabase, path: file.path,
        "the file does not start with the bytes HOLDFAST; it is another kind of file, or its header"
          + " is damaged")
    }
    guard sumHolds else {
      throw .corrupt(file.path, at: 0, "the checksum of the file header does not hold")
    }
    let version = bytes.load(fromByteOffset: FileLayout.headerFormatVersion, as: UInt32.self)
    guard version == FileLayout.formatVersion else {
      throw StorageError(
        .unsupportedFormat, path: file.path,
        "the file has format \(version), this program reads format \(FileLayout.formatVersion);"
          + " open it with a program of its age")
    }
    return .valid
  }

  /// Whether these may be the first bytes of a header that a power loss cut short: some bytes of
  /// ours, then zeros.
  private static func isUnfinished(_ bytes: UnsafeRawBufferPointer) -> Bool {
    withUnsafeBytes(of: FileLayout.magic) { magic in
      var isCut = false
      for index in 0..<8 {
        if isCut && bytes[index] != 0 { return false }
        if bytes[index] != magic[index] {
          if bytes[index] != 0 { return false }
          isCut = true
        }
      }
      return !isCut || bytes.allSatisfy { $0 == 0 } || bytes[8...].allSatisfy { $0 == 0 }
    }
  }

  /// Whether the file held nothing when its header came to harm: one slot of ours names version 1,
  /// which is empty, and nothing follows it. The file may have grown for a commit that never was.
  private static func holdsNothingYet(_ file: any SystemFile) -> Bool {
    let slots = SlotStore(file: file, boot: BootIdentifier(high: 0, low: 0))
    guard let contents = try? slots.read(), contents.durable.count == 1 else { return false }
    return isEmpty(contents.durable[0]) && contents.highestClaim == 1
  }

  /// Whether the slot is that of a file that was made without content. One that was made with some,
  /// a copy, has more space, and was flushed before it could be opened.
  static func isEmpty(_ slot: CommitSlot) -> Bool {
    slot.version == 1 && slot.logicalSize == UInt64(FileLayout.firstNode) + initialSpace
  }

  /// A header that was never finished: the file is new, or its making was cut short before it held
  /// anything.
  private static func unfinishedHeader(
    _ file: any SystemFile
  ) throws(StorageError) -> HeaderState {
    let size: UInt64
    let slots: [CommitSlot]
    do throws(SystemError) {
      size = try file.size()
      slots = try SlotStore(file: file, boot: BootIdentifier(high: 0, low: 0)).read().durable
    } catch { throw StorageError(error, doing: "read the header") }
    let made = UInt64(FileLayout.firstNode) + initialSpace
    if slots.contains(where: { $0.version > 1 }) {
      throw .corrupt(file.path, at: 0, "the file header does not hold although versions follow")
    }
    guard size <= made else {
      throw StorageError(
        .notADatabase, path: file.path,
        "the file holds \(size) bytes but no whole header of ours")
    }
    return .absent
  }

  /// The file's own identifier, for messages and for the lock-file.
  static func fileIdentifier(_ file: any SystemFile) throws(SystemError) -> (UInt64, UInt64) {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 8)
    defer { bytes.deallocate() }
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    _ = try file.read(into: bytes, at: UInt64(FileLayout.headerFileIdentifier))
    return (bytes.load(as: UInt64.self), bytes.load(fromByteOffset: 8, as: UInt64.self))
  }
}

/// Nodes that are made without a transaction, one behind the other.
struct HandmadeNodes {
  private let start: UInt64
  private var bytes: [UInt8] = []

  init(start: UInt64) { self.start = start }

  /// - Parameter size: of the whole node, a multiple of 8, at least `NodeLayout.byteSizeMin`.
  mutating func add(
    kind: NodeKind, size: Int, references: [NodeReference], count: Int,
    _ fill: (_ data: UnsafeMutableRawPointer) -> Void
  ) -> NodeReference {
    let place = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: size))
    return bytes.withUnsafeMutableBytes { bytes in
      let node = bytes.baseAddress! + place
      node.storeBytes(of: kind.rawValue, toByteOffset: NodeLayout.kind, as: UInt8.self)
      node.storeBytes(of: UInt32(size), toByteOffset: NodeLayout.byteSize, as: UInt32.self)
      node.storeBytes(of: UInt32(count), toByteOffset: NodeLayout.count, as: UInt32.self)
      node.storeBytes(of: 1, toByteOffset: NodeLayout.createdIn, as: UInt64.self)
      node.storeBytes(
        of: UInt32(references.count), toByteOffset: NodeLayout.referenceCount, as: UInt32.self)
      for (index, reference) in references.enumerated() {
        node.storeBytes(
          of: reference.rawValue, toByteOffset: NodeLayout.headerSize + index * 8, as: UInt64.self)
      }
      fill(node + NodeLayout.headerSize + references.count * 8)
      let sum = checksum(node + 4, count: size - 4)
      node.storeBytes(of: sum, as: UInt32.self)
      return NodeReference(offset: start + UInt64(place), checksum: sum)
    }
  }

  func write(to file: any SystemFile) throws(SystemError) {
    var failure: SystemError?
    bytes.withUnsafeBytes { bytes in
      do throws(SystemError) { try file.write(bytes, at: start) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
