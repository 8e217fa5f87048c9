import Platform

/// The first bytes of a new file.
enum FileCreation {
  /// Writes the header and version 1, which is empty, and flushes them. The header comes last: a
  /// crash before it leaves a file that is still recognised as unfinished.
  static func initialise(
    _ file: any SystemFile, key: EncryptionKey?, boot: BootIdentifier
  ) throws(StorageError) {
    let cipher = try key.map { (key) throws(StorageError) in
      try FileCipher.make(key, path: file.path)
    }
    do throws(SystemError) {
      // What an earlier attempt left is taken away first, and for certain: else a power loss could
      // destroy the slot by which a file without a header is known to be ours, or mix two attempts.
      if try file.size() > 0 {
        try empty(file)
        try file.synchronize()
      }
    } catch { throw StorageError(error, doing: "make the file") }
    try finish(
      file, root: .none, nodesEnd: UInt64(FileLayout.firstNode), cipher: cipher, boot: boot)
  }

  /// The same for a file whose nodes have been written, up to `nodesEnd`: they become version 1, of
  /// which `root` is the root.
  static func finish(
    _ file: any SystemFile, root: NodeReference, nodesEnd: UInt64, cipher: FileCipher?,
    boot: BootIdentifier
  ) throws(StorageError) {
    do throws(SystemError) {
      let size = nodesEnd + FileLayout.initialSpace
      try file.allocate(offset: 0, length: size)
      let snapshot = try writeFirstVersion(
        file, root: root, start: nodesEnd, cipher: cipher)
      let slot = CommitSlot(version: 1, root: snapshot, logicalSize: size, boot: boot)
      try writeSlot(slot, to: SlotStore(file: file, boot: boot, cipher: cipher))
      try file.synchronize()
      try FileHeader.write(to: file, cipher: cipher)
      try file.synchronize()
    } catch {
      // After a failed flush the page cache may show what the disk does not have, and nothing would
      // be written again: the next opening makes the file anew.
      try? empty(file)
      throw StorageError(error, doing: "make the file")
    }
  }

  /// Leaves a zero, so that the next attempt sees that there was one before it, and begins by
  /// flushing that its bytes are gone.
  private static func empty(_ file: any SystemFile) throws(SystemError) {
    try file.truncate(to: 0)
    try file.truncate(to: 1)
  }

  /// Places the free-space index and the snapshot by hand, one after the other.
  private static func writeFirstVersion(
    _ file: any SystemFile, root: NodeReference, start: UInt64, cipher: FileCipher?
  ) throws(SystemError) -> NodeReference {
    let end = start + FileLayout.initialSpace
    var nodes = HandmadeNodes(start: start, cipher: cipher)
    let operationCount = 2
    let indexSize =
      NodeLayout.headerSize + 8 + FreeSpaceIndex.headerSize
      + operationCount * SpaceOperation.byteSize
    let snapshotSize =
      NodeLayout.headerSize + SnapshotNode.referenceCount * 8 + SnapshotNode.dataSize
    let used = UInt64(indexSize + snapshotSize + 2 * nodes.extraSize)
    let free = Extent(offset: start + used, length: FileLayout.initialSpace - used)
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
    _ slot: CommitSlot, to slots: SlotStore
  ) throws(SystemError) {
    do throws(SlotWriteError) {
      try slots.writeDurable(slot, keeping: 0)
    } catch { throw error.cause }
  }
}
