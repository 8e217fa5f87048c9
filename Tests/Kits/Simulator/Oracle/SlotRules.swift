import Platform
import Storage

/// What must hold of the durable slots whatever comes next: power may be lost at once, whether a
/// schedule gets to it or not.
struct SlotRules {
  let inode: MachineInode

  /// Says what is wrong with writing the durable slot of version `new` at `place` now.
  func objection(toWriting new: UInt64, at place: Int) -> String? {
    guard let other = FileLayout.durableSlots.first(where: { $0 != place }) else { return nil }
    let (old, kept) = (version(at: place), version(at: other))
    guard new > 0, old > 0, kept > 0, new != old else { return nil }
    if old > kept, inode.slotsOfThisBoot[place] == old {
      return "the slot of version \(new) is written over that of \(old), beside that of \(kept)"
    }
    let onDisk = inode.durableSlot(at: other)
    if inode.durableSlot(at: place) > 0, onDisk != kept {
      return "the slot of version \(new) is written over that of \(old), while the disk has version"
        + " \(onDisk) in place of \(kept)"
    }
    return nil
  }

  /// Says what is wrong with calling `version` durable now.
  func objection(toDurable version: Version) -> String? {
    let newest = FileLayout.durableSlots.map(inode.durableSlot).max() ?? 0
    guard newest < version.rawValue else { return nil }
    return "version \(version) is called durable, and the disk has that of \(newest)"
  }

  private func version(at place: Int) -> UInt64 {
    guard inode.size >= place + FileLayout.slotSize else { return 0 }
    return unsafe inode.cache.load(fromByteOffset: place + FileLayout.slotVersion, as: UInt64.self)
  }
}

extension MachineInode {
  /// The version of a durable slot that the disk has for certain; 0: none.
  func durableSlot(at place: Int) -> UInt64 {
    let offset = place + FileLayout.slotVersion
    guard durable.count >= place + FileLayout.slotSize else { return 0 }
    return unsafe durable.withUnsafeBytes {
      unsafe $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
  }
}
