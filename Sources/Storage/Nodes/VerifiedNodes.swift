import Platform
import Synchronization

/// Which nodes of a mapping this process has seen to be what their checksums say.
///
/// For every block of 8 KiB there are a bit per 64 bytes, set if the node that starts there has
/// been verified, and the highest version (`createdIn`) of any node that has been verified in the
/// block. A node counts as verified if its bit is set and it was not written later than that: space
/// that is used again holds a node of a later version than anything that this process has read
/// there before. When a later node is verified the block's other bits go, because one of them may
/// be left over from an earlier node in its place.
///
/// 24 bytes per 8 KiB, 0.3 % of what is read; pages come into being as they are touched.
@usableFromInline
struct VerifiedNodes {
  // Valid while the mapping that owns it is; only touched atomically.
  @usableFromInline let bits: UnsafeMutablePointer<Atomic<UInt64>>
  @usableFromInline let newest: UnsafeMutablePointer<Atomic<UInt64>>
  private let blockCount: Int

  private static let wordsPerBlock = 2
  private static let bytesPerBlock = 24

  private var byteCount: Int { (blockCount * Self.bytesPerBlock + 4095) & ~4095 }

  /// For a mapping of `length` bytes.
  init(length: UInt64) throws(SystemError) {
    blockCount = Int((length + 8191) / 8192)
    let byteCount = (blockCount * Self.bytesPerBlock + 4095) & ~4095
    let base = try AnonymousMemory.map(length: byteCount)
    bits = base.assumingMemoryBound(to: Atomic<UInt64>.self)
    newest = bits + blockCount * Self.wordsPerBlock
  }

  func release() { AnonymousMemory.unmap(UnsafeMutableRawPointer(bits), length: byteCount) }

  /// Whether the node at `offset`, which says that it was written in `createdIn`, has been
  /// verified. The offset lies within the mapping.
  @inlinable @inline(__always)
  func contains(_ offset: UInt64, createdIn: Version) -> Bool {
    // The version before the bits: they are cleared before it is raised.
    let known = newest[Int(offset &>> 13)].load(ordering: .acquiring)
    // And before what it stands for: the bytes of a decrypted node are written before its bit.
    let word = bits[Int(offset &>> 12)].load(ordering: .acquiring)
    // One less on either side: no node is of version 0, which a page of zeros says.
    return createdIn.rawValue &- 1 < known && word & (1 &<< ((offset &>> 6) & 63)) != 0
  }

  /// The node at `offset` has been verified, or has just been written by this process. Its version
  /// is pinned, or is the one being committed, so its space is not used again during the call: no
  /// bit can come to stand for another node.
  func mark(_ offset: UInt64, createdIn: Version) {
    let block = Int(offset >> 13)
    guard block < blockCount else { return }
    raise(block, to: createdIn)
    let bit: UInt64 = 1 << ((offset >> 6) & 63)
    let word = bits + Int(offset >> 12)
    if word.pointee.load(ordering: .relaxed) & bit == 0 {
      _ = word.pointee.bitwiseOr(bit, ordering: .releasing)
    }
  }

  /// Forgets all of it, and gives the memory back. For when nobody reads any more.
  func giveBack() {
    AnonymousMemory.release(UnsafeMutableRawPointer(bits), length: byteCount)
  }

  /// Forgets all of it.
  func forgetAll() {
    for block in 0..<blockCount where newest[block].load(ordering: .relaxed) != 0 {
      for word in 0..<Self.wordsPerBlock {
        bits[block * Self.wordsPerBlock + word].store(0, ordering: .releasing)
      }
    }
  }

  @inline(__always)
  private func raise(_ block: Int, to createdIn: Version) {
    var known = newest[block].load(ordering: .acquiring)
    while known < createdIn.rawValue {
      for word in 0..<Self.wordsPerBlock {
        bits[block * Self.wordsPerBlock + word].store(0, ordering: .relaxed)
      }
      let raised = newest[block].compareExchange(
        expected: known, desired: createdIn.rawValue, ordering: .acquiringAndReleasing)
      if raised.exchanged { return }
      known = raised.original
    }
  }
}
