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
  nonisolated(unsafe) let verified: VerifiedNodes  // only touched atomically
  /// How many nodes have been read for the first time, as far as it matters.
  private let firstReadCount = Atomic<Int>(0)

  /// Opening a file and looking something up reads a few pages here and there, for which a disk's
  /// read-ahead of up to megabytes only costs time. Whoever reads more than this many nodes is
  /// going through the file.
  private static let firstReadsMax = 128

  init(file: any SystemFile, length: UInt64) throws(SystemError) {
    self.file = file
    self.path = file.path
    self.length = length
    address = try file.map(length: length, writable: false)
    file.advise(address, length: length, .singlePages)
    do {
      verified = try VerifiedNodes(length: length)
    } catch {
      file.unmap(address, length: length)
      throw error
    }
  }

  /// A mapping that has room for growth, or a tight one where address space is short.
  ///
  /// - Parameters:
  ///   - size: bytes that it has to cover.
  ///   - reservation: bytes that it should have at the least.
  static func make(
    _ file: any SystemFile, covering size: UInt64, reservation: UInt64
  ) throws(SystemError) -> Mapping {
    func rounded(_ length: UInt64) -> UInt64 { (length + 4095) & ~4095 }
    do throws(SystemError) {
      return try Mapping(file: file, length: rounded(max(reservation, size * 4)))
    } catch {
      guard error.code == ErrorNumber.outOfMemory else { throw error }
      return try Mapping(file: file, length: rounded(size + size / 4))
    }
  }

  /// A node has been read that this process has not read before.
  func noteFirstRead() {
    if firstReadCount.load(ordering: .relaxed) > Self.firstReadsMax { return }
    if firstReadCount.add(1, ordering: .relaxed).oldValue == Self.firstReadsMax {
      expectManyReads()
    }
  }

  /// Much of the file is going to be read.
  func expectManyReads() { file.advise(address, length: length, .readAhead) }

  deinit {
    file.unmap(address, length: length)
    verified.release()
  }
}
