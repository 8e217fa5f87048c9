import Platform

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

  init(file: any SystemFile, length: UInt64) throws(SystemError) {
    self.file = file
    self.path = file.path
    self.length = length
    address = try file.map(length: length, writable: false)
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

  deinit {
    file.unmap(address, length: length)
    verified.release()
  }
}
