import Platform
import Synchronization

/// One read-only mapping of a data file, larger than the file, so that growth moves nothing.
///
/// Readers hold it as long as they hold a version. When a file outgrows its mapping a larger one is
/// made for newer versions; the old one stays where it is until its last reader lets go.
///
/// Beside that of an encrypted file lies private memory of the same length, its shadow: a node is
/// decrypted there, at its own offset, when this process first reads it, and from then on read in
/// place as that of a plain file is. What the shadow holds at an offset is valid if the node in the
/// file is the one that `verified` knows; a node that another process has written there since has a
/// later version, and is decrypted anew. Those who read an encrypted file are counted: when the
/// last one lets go of a mapping that has been outgrown, the shadow's memory goes back to the
/// kernel.
public final class Mapping: Sendable {
  let file: any SystemFile
  let path: String
  nonisolated(unsafe) let address: UnsafeMutableRawPointer  // never written through
  let length: UInt64
  /// What an encrypted file is read with.
  let cipher: FileCipher?
  /// Where the nodes of an encrypted file are decrypted to. Written under the lock of the node's
  /// `NodeOpener`, or by the writer where no version that is pinned has anything.
  nonisolated(unsafe) let shadow: UnsafeMutableRawPointer?
  nonisolated(unsafe) let verified: VerifiedNodes  // only touched atomically
  /// Those that read an encrypted file through this mapping.
  private let readerCount = Atomic<Int>(0)
  /// Whether a larger mapping has taken this one's place: no reader comes any more.
  private let isOutgrown = Atomic<Bool>(false)
  /// How many nodes have been read for the first time, as far as it matters.
  private let firstReadCount = Atomic<Int>(0)

  /// Opening a file and looking something up reads a few pages here and there, for which a disk's
  /// read-ahead of up to megabytes only costs time. Whoever reads more than this many nodes is
  /// going through the file.
  private static let firstReadsMax = 128

  init(file: any SystemFile, length: UInt64, cipher: FileCipher? = nil) throws(SystemError) {
    self.file = file
    self.path = file.path
    self.length = length
    self.cipher = cipher
    address = try file.map(length: length, writable: false)
    file.advise(address, length: length, .singlePages)
    var shadow: UnsafeMutableRawPointer?
    do throws(SystemError) {
      if cipher != nil { shadow = try AnonymousMemory.mapSecret(length: Int(length)) }
      verified = try VerifiedNodes(length: length)
    } catch {
      if let shadow { AnonymousMemory.unmap(shadow, length: Int(length)) }
      file.unmap(address, length: length)
      throw error
    }
    self.shadow = shadow
  }

  /// Where nodes are read, each at its offset.
  var nodes: UnsafeRawPointer { UnsafeRawPointer(shadow ?? address) }

  /// A mapping that has room for growth, or a tight one where address space is short.
  ///
  /// - Parameters:
  ///   - size: bytes that it has to cover.
  ///   - reservation: bytes that it should have at the least; 0 if the file's growth does not
  ///     matter.
  static func make(
    _ file: any SystemFile, covering size: UInt64, reservation: UInt64, cipher: FileCipher?
  ) throws(SystemError) -> Mapping {
    func rounded(_ length: UInt64) -> UInt64 { (length + 4095) & ~4095 }
    do throws(SystemError) {
      let length = reservation == 0 ? size : max(reservation, size * 4)
      return try Mapping(file: file, length: rounded(length), cipher: cipher)
    } catch {
      guard error.code == ErrorNumber.outOfMemory else { throw error }
      return try Mapping(file: file, length: rounded(size + size / 4), cipher: cipher)
    }
  }

  /// Puts a decrypted node where readers look for it. Nothing if the mapping ends before.
  func keepDecrypted(_ node: Node, at offset: UInt64) {
    guard let shadow, offset + UInt64(node.byteSize) <= length else { return }
    (shadow + Int(offset)).copyMemory(from: node.address, byteCount: node.byteSize)
  }

  /// Gives back the memory of whole pages where no version that is pinned, or can be recovered, has
  /// anything. The file has nothing there that a reference leads to before a later commit has
  /// written it, which `verified` notices.
  func forgetDecrypted(offset: UInt64, length bytes: UInt64) {
    guard let shadow, offset < length else { return }
    let end = min(offset + bytes, length)
    AnonymousMemory.release(shadow + Int(offset), length: Int(end - offset))
  }

  // MARK: Readers of an encrypted file

  /// Counts a reader, who makes sure afterwards that the mapping is still the one to read through.
  func addReader() { readerCount.add(1, ordering: .sequentiallyConsistent) }

  func removeReader() {
    let rest = readerCount.subtract(1, ordering: .sequentiallyConsistent).newValue
    if rest == 0, isOutgrown.load(ordering: .sequentiallyConsistent) { releaseIfUnread() }
  }

  /// Another mapping has been made the one to read through.
  func outgrow() {
    isOutgrown.store(true, ordering: .sequentiallyConsistent)
    releaseIfUnread()
  }

  /// Whoever counts as a reader after the mapping was outgrown finds that out and reads nothing, so
  /// once nobody is left it stays so, and any number of threads may come to give the memory back.
  private func releaseIfUnread() {
    guard let shadow, readerCount.load(ordering: .sequentiallyConsistent) == 0 else { return }
    verified.giveBack()
    AnonymousMemory.release(shadow, length: Int(length))
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
    if let shadow { AnonymousMemory.unmap(shadow, length: Int(length)) }
    verified.release()
  }
}
