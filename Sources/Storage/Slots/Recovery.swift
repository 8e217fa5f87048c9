import Platform

/// Finds the newest version that really is in a file.
///
/// Runs when a file is opened by the first process, when a writer finds that the one before it died
/// after writing its slot, and when a file is read without coordination. It reads the slots, the
/// root of the version, and the extents that its slot lists, which are a mebibyte at the most;
/// after a clean close not even those. It writes nothing.
struct Recovery {
  let slots: SlotStore
  let mapping: Mapping

  struct Found {
    var newest: CommitSlot
    /// The newest version that a durable slot names; less than `newest` when unflushed commits
    /// followed it in this boot, 0 when nothing of this session was ever flushed.
    var durableVersion: Version
    /// Whether everything is known to be on disk: the file was closed in order. That a slot names
    /// another boot says nothing: a container has one of its own each time that it starts.
    var isSettled: Bool
    /// Whether a slot claims a version that is not there.
    var hasFalseClaims: Bool

    var isUnflushed: Bool { newest.version > durableVersion }
  }

  private var file: any SystemFile { slots.file }

  /// - Parameter last: durable slots of later versions do not count.
  /// - Throws: `.corrupt` when no slot holds, naming what is wrong with each.
  func findNewest(
    includingUnflushed: Bool = true, upTo last: Version = .max
  ) throws(StorageError) -> Found {
    let contents: SlotStore.Contents
    let size: UInt64
    do throws(SystemError) {
      size = try file.size()
      contents = try slots.read()
    } catch {
      throw StorageError(error, doing: "read the commit slots")
    }
    let durable = contents.durable.filter { $0.version <= last }
    if let place = contents.forged {
      throw .corrupt(
        file.path, at: UInt64(place),
        "decryption failed: the commit slot is not one that was written here with the file's key")
    }
    let proven = durable.first { slot in
      isWhole(slot, fileSize: size, isCertain: isMarked(slot, contents))
    }
    let claim = contents.highestClaim
    // An in-memory database has reused what its only durable version consisted of; the slot of that
    // version is still there and says that the unflushed ones are newer.
    if includingUnflushed, let named = durable.first?.version,
      let newer = contents.unflushed.first(where: {
        $0.version > (proven?.version ?? named)
          && isWhole($0, fileSize: size, isCertain: true)
      })
    {
      return Found(
        newest: newer, durableVersion: proven?.version ?? .zero, isSettled: false,
        hasFalseClaims: claim > newer.version)
    }
    guard let proven else { throw damaged(durable, size) }
    return Found(
      newest: proven, durableVersion: proven.version,
      isSettled: isMarked(proven, contents),
      hasFalseClaims: claim > proven.version)
  }

  private func isMarked(_ slot: CommitSlot, _ contents: SlotStore.Contents) -> Bool {
    contents.mark
      == SlotStore.ClosingMark(version: slot.version, slotChecksum: slot.checksum)
  }

  private func damaged(_ slots: [CommitSlot], _ size: UInt64) -> StorageError {
    if slots.isEmpty {
      return .corrupt(
        file.path, at: UInt64(FileLayout.durableSlots[0]),
        "neither commit slot holds a version")
    }
    let versions = slots.map { "version \($0.version) of \($0.logicalSize) bytes" }
    return .corrupt(
      file.path, at: UInt64(FileLayout.durableSlots[0]),
      "the commit slots name \(versions.joined(separator: " and ")), whose contents do not hold in"
        + " a file of \(size) bytes")
  }

  /// Whether everything that the slot's commit wrote is there.
  private func isWhole(_ slot: CommitSlot, fileSize: UInt64, isCertain: Bool) -> Bool {
    guard slot.logicalSize <= fileSize, slot.logicalSize <= mapping.length else { return false }
    var left = FileLayout.provenBytesMax
    for extent in slot.extents where !isCertain {
      guard extent.offset >= UInt64(FileLayout.firstNode), extent.length <= left,
        extent.offset <= slot.logicalSize - min(extent.length, slot.logicalSize),
        extent.length <= slot.logicalSize
      else { return false }
      left -= extent.length
      let sum = checksum(
        UnsafeRawPointer(mapping.address) + Int(extent.offset), count: Int(extent.length))
      guard sum == extent.checksum else { return false }
    }
    let source = NodeSource(mapping: mapping, limit: slot.logicalSize)
    let isRoot = try? source.withCheckedNode(slot.root) { (node) throws(StorageError) in
      node.kind == .snapshot && node.createdIn == slot.version
        && node.referenceCount == SnapshotNode.referenceCount
        && node.dataSize >= SnapshotNode.dataSize
    }
    return isRoot ?? false
  }
}
