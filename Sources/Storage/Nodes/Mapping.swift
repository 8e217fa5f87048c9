import Platform
import Synchronization

/// One read-only mapping of a data file, larger than the file, so that growth moves nothing.
///
/// Readers hold it as long as they hold a version. When a file outgrows its mapping a larger one is
/// made for newer versions; the old one stays where it is until its last reader lets go.
public final class Mapping: Sendable {
  let file: any SystemFile
  let path: String
  nonisolated(unsafe) let address: UnsafeMutableRawPointer  // never written through
  let length: UInt64
  /// A bit for every 8 bytes of the file: a node starts there whose checksum this process has seen
  /// to hold. Only touched atomically; pages of it come into being as they are touched.
  nonisolated(unsafe) let verified: UnsafeMutablePointer<Atomic<UInt64>>
  private let verifiedBytes: Int

  init(file: any SystemFile, length: UInt64) throws(SystemError) {
    self.file = file
    self.path = file.path
    self.length = length
    address = try file.map(length: length, writable: false)
    verifiedBytes = Int(length / 64)
    let bits: UnsafeMutableRawPointer
    do {
      bits = try AnonymousMemory.map(length: verifiedBytes)
    } catch {
      file.unmap(address, length: length)
      throw error
    }
    verified = bits.assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  /// A node starts at `offset` that is what its checksum says. Beyond the mapping nothing is kept.
  @inline(__always)
  func markVerified(_ offset: UInt64) {
    guard offset < length else { return }
    let word = verified + Int(offset >> 9)
    let bit: UInt64 = 1 << ((offset >> 3) & 63)
    if word.pointee.load(ordering: .relaxed) & bit == 0 {
      _ = word.pointee.bitwiseOr(bit, ordering: .relaxed)
    }
  }

  deinit {
    file.unmap(address, length: length)
    AnonymousMemory.unmap(UnsafeMutableRawPointer(verified), length: verifiedBytes)
  }
}
