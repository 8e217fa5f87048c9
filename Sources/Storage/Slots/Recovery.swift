import Platform

/// Finds the newest version that really is in a file.
///
/// Runs when a file is opened by the first process, when a writer finds that the one before it died
/// after writing its slot, and when a file is read without coordination. It touches the slots and
/// the extents of the last commit only. It writes nothing before a root is verified; what it then
/// writes is a slot that the commit itself could have written, so that a crash in the middle of it
/// leads to the same place.
struct Recovery {
  let file: any SystemFile
  let mapping: Mapping
  let boot: BootIdentifier

  struct Found {
    var newest: CommitSlot
    /// The newest version that a durable slot names; less than `newest` when unflushed commits
    /// followed it in this boot, 0 when nothing of this session was ever flushed.
    var durableVersion: UInt64
  }

  /// Reads a slot through the descriptor, so that a file shorter than it should be is an error and
  /// not a signal.
  static func readSlot(
    _ file: any SystemFile, at offset: Int
  ) throws(SystemError) -> CommitSlot? {
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: FileLayout.slotSize, alignment: 8)
    defer { bytes.deallocate() }
    let count = try file.read(into: bytes, at: UInt64(offset))
    guard count == FileLayout.slotSize else { return nil }
    return CommitSlot(UnsafeRawBufferPointer(bytes))
  }

  /// - Throws: `.corrupt` when no slot holds, naming what is wrong with each.
  func findNewest() throws(StorageError) -> Found {
    do {
      let size = try file.size()
      var durable: [CommitSlot] = []
      var unflushed: [CommitSlot] = []
      for offset in FileLayout.durableSlots {
        if let slot = try Self.readSlot(file, at: offset) { durable.append(slot) }
      }
      for offset in FileLayout.volatileSlots {
        if let slot = try Self.readSlot(file, at: offset), slot.boot == boot {
          unflushed.append(slot)
        }
      }
      durable.sort { $0.version > $1.version }
      unflushed.sort { $0.version > $1.version }
      let proven = durable.first { isWhole($0, fileSize: size) }
      // An in-memory database has reused what its only durable version consisted of; the slot of
      // that version is still there and says that the unflushed ones are newer.
      let durableVersion = proven?.version ?? 0
      if let named = durable.first?.version,
        let newer = unflushed.first(where: {
          $0.version > (proven?.version ?? named) && isWhole($0, fileSize: size)
        })
      {
        return Found(newest: newer, durableVersion: durableVersion)
      }
      guard let proven else { throw damaged(durable, size) }
      return Found(newest: proven, durableVersion: proven.version)
    } catch let error as SystemError {
      throw StorageError(error, doing: "read the commit slots")
    } catch let error as StorageError {
      throw error
    } catch {
      preconditionFailure("an error of an unknown kind: \(error)")
    }
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
  private func isWhole(_ slot: CommitSlot, fileSize: UInt64) -> Bool {
    guard slot.logicalSize <= fileSize, slot.logicalSize <= mapping.length else { return false }
    for extent in slot.extents {
      guard extent.offset >= UInt64(FileLayout.firstNode),
        extent.length <= slot.logicalSize, extent.offset <= slot.logicalSize - extent.length
      else { return false }
      let sum = checksum(
        UnsafeRawPointer(mapping.address) + Int(extent.offset), count: Int(extent.length))
      guard sum == extent.checksum else { return false }
    }
    let source = NodeSource(mapping: mapping, limit: slot.logicalSize)
    guard let node = try? source.checkedNode(slot.root) else { return false }
    return node.kind == .snapshot && node.born == slot.version
      && node.referenceCount == SnapshotNode.referenceCount
  }

  /// The durable slot that does not hold `version`.
  static func spareDurableSlot(
    keeping version: UInt64, file: any SystemFile
  ) throws(SystemError) -> Int {
    let first = try readSlot(file, at: FileLayout.durableSlots[0])
    return FileLayout.durableSlots[first?.version == version ? 1 : 0]
  }
}

/// The node that stands for a version.
enum SnapshotNode {
  static let root = 0
  static let history = 1
  static let freeSpace = 2
  static let referenceCount = 3
  /// Data: UInt64 logical size; UInt64 reserved.
  static let dataSize = 16
}
