import Platform

/// The first bytes of a new file, and the check of an existing file's header.
enum FileCreation {
  /// Writes the header and version 1, which is empty, and flushes them. The header comes last: a
  /// crash before it leaves a file that is still recognised as unfinished.
  static func initialise(_ file: any SystemFile) throws(StorageError) {
    do {
      try file.allocate(offset: 0, length: UInt64(FileLayout.firstNode) + initialSpace)
      let snapshot = try writeFirstVersion(file)
      try writeSlot(file, root: snapshot)
      try file.synchronize()
      try writeHeader(file)
      try file.synchronize()
    } catch {
      throw StorageError(error, doing: "make the file")
    }
  }

  private static let initialSpace: UInt64 = 16384

  /// Places the free-space base, its index and the snapshot by hand, one after the other.
  private static func writeFirstVersion(
    _ file: any SystemFile
  ) throws(SystemError) -> NodeReference {
    let start = UInt64(FileLayout.firstNode)
    var arena = Arena()
    defer { arena.releaseAll() }
    let baseSize = NodeLayout.headerSize + FreeSpaceLog.entrySize
    let indexSize = NodeLayout.headerSize + 8 + FreeSpaceLog.indexHeaderSize
    let snapshotSize =
      NodeLayout.headerSize + SnapshotNode.referenceCount * 8 + SnapshotNode.dataSize
    let total = baseSize + indexSize + snapshotSize
    let bytes = arena.allocate(total)
    bytes.initializeMemory(as: UInt8.self, repeating: 0, count: total)
    let free = Extent(offset: start + UInt64(total), length: initialSpace - UInt64(total))
    FreeSpaceLog.store(
      FreeSpaceLog.Entry(extent: free, born: 0, version: 0), bytes + NodeLayout.headerSize, 0)
    let base = seal(
      bytes, at: start, size: baseSize, kind: .freeSpaceCheckpoint, references: 0, count: 1)
    let indexBytes = bytes + baseSize
    indexBytes.storeBytes(of: base.rawValue, toByteOffset: NodeLayout.headerSize, as: UInt64.self)
    indexBytes.storeBytes(of: 1, toByteOffset: NodeLayout.auxiliary, as: UInt32.self)
    indexBytes.storeBytes(of: 1, toByteOffset: NodeLayout.headerSize + 8, as: UInt64.self)
    let index = seal(
      indexBytes, at: start + UInt64(baseSize), size: indexSize, kind: .freeSpaceIndex,
      references: 1, count: 0)
    let snapshotBytes = indexBytes + indexSize
    snapshotBytes.storeBytes(
      of: index.rawValue, toByteOffset: NodeLayout.headerSize + SnapshotNode.freeSpace * 8,
      as: UInt64.self)
    snapshotBytes.storeBytes(
      of: start + initialSpace,
      toByteOffset: NodeLayout.headerSize + SnapshotNode.referenceCount * 8, as: UInt64.self)
    let snapshot = seal(
      snapshotBytes, at: start + UInt64(baseSize + indexSize), size: snapshotSize,
      kind: .snapshot, references: SnapshotNode.referenceCount, count: 0)
    try file.write(UnsafeRawBufferPointer(start: bytes, count: total), at: start)
    return snapshot
  }

  private static func seal(
    _ bytes: UnsafeMutableRawPointer, at offset: UInt64, size: Int, kind: NodeKind,
    references: Int, count: Int
  ) -> NodeReference {
    bytes.storeBytes(of: kind.rawValue, toByteOffset: NodeLayout.kind, as: UInt8.self)
    bytes.storeBytes(of: UInt32(size), toByteOffset: NodeLayout.byteSize, as: UInt32.self)
    bytes.storeBytes(of: UInt32(count), toByteOffset: NodeLayout.count, as: UInt32.self)
    bytes.storeBytes(of: 1, toByteOffset: NodeLayout.born, as: UInt64.self)
    bytes.storeBytes(
      of: UInt32(references), toByteOffset: NodeLayout.referenceCount, as: UInt32.self)
    let sum = checksum(bytes + 4, count: size - 4)
    bytes.storeBytes(of: sum, as: UInt32.self)
    return NodeReference(offset: offset, checksum: sum)
  }

  private static func writeSlot(
    _ file: any SystemFile, root: NodeReference
  ) throws(SystemError) {
    var slot = CommitSlot(
      version: 1, root: root, logicalSize: UInt64(FileLayout.firstNode) + initialSpace)
    slot.flushedBefore = true
    try SlotWriter.write(slot, at: FileLayout.durableSlots[0], to: file)
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
    if !sumHolds, isUnfinished(UnsafeRawBufferPointer(bytes)) {
      return try unfinishedHeader(file)
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

  /// A header that was never finished: the file is new, or its making was cut short before it held
  /// anything.
  private static func unfinishedHeader(
    _ file: any SystemFile
  ) throws(StorageError) -> HeaderState {
    let size: UInt64
    var slots: [CommitSlot] = []
    do {
      size = try file.size()
      for offset in FileLayout.durableSlots {
        if let slot = try Recovery.readSlot(file, at: offset) { slots.append(slot) }
      }
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

/// Writes commit slots.
enum SlotWriter {
  static func write(
    _ slot: CommitSlot, at offset: Int, to file: any SystemFile
  ) throws(SystemError) {
    try withUnsafeTemporary { bytes throws(SystemError) in
      slot.encode(into: bytes)
      try file.write(UnsafeRawBufferPointer(bytes), at: UInt64(offset))
    }
  }

  /// Overwrites a slot with nothing, so that a commit which was reported as failed does not come
  /// back.
  static func erase(at offset: Int, in file: any SystemFile) throws(SystemError) {
    try withUnsafeTemporary { bytes throws(SystemError) in
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
      try file.write(UnsafeRawBufferPointer(bytes), at: UInt64(offset))
    }
  }

  private static func withUnsafeTemporary(
    _ body: (UnsafeMutableRawBufferPointer) throws(SystemError) -> Void
  ) throws(SystemError) {
    var failure: SystemError?
    withUnsafeTemporaryAllocation(byteCount: FileLayout.slotSize, alignment: 8) { bytes in
      do throws(SystemError) { try body(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
