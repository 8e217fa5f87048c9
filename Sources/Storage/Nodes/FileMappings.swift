import Platform
import Synchronization

/// The mappings that this process reads a file through: a larger one is added each time that the
/// file has outgrown the last. None goes before all of them do, so a mapping is used without being
/// retained. Any thread may use this.
final class FileMappings: Sendable {
  /// What an encrypted file is read and written with.
  let cipher: FileCipher?
  private let file: any SystemFile
  private let reservation: UInt64
  /// All that have been made, the newest last.
  let all: LockedValue<[Mapping]>
  /// The newest mapping, `Unmanaged`; `all` keeps it alive.
  private let current: Atomic<UInt>
  /// The count of failed flushes as of which nodes were verified.
  private let flushFailureSeen: Atomic<UInt64>

  /// - Parameters:
  ///   - reservation: the address space that a further mapping takes at least, bytes.
  ///   - flushFailure: how many flushes of the file have failed so far.
  init(_ first: Mapping, of file: any SystemFile, reservation: UInt64, flushFailure: UInt64) {
    cipher = first.cipher
    self.file = file
    self.reservation = reservation
    all = LockedValue([first])
    current = Atomic(UInt(bitPattern: Unmanaged.passUnretained(first).toOpaque()))
    flushFailureSeen = Atomic(flushFailure)
  }

  /// The mapping to read a version of `size` bytes through.
  func mapping(covering size: UInt64) throws(StorageError) -> Mapping {
    try unretainedMapping(covering: size).takeUnretainedValue()
  }

  /// What reads a version of `size` bytes, up to its `endReading`.
  @inline(__always)
  func beginReading(covering size: UInt64) throws(StorageError) -> NodeSource {
    let mapping = try unretainedMapping(covering: size)
    if cipher != nil { return try beginCountedReading(covering: size) }
    return mapping._withUnsafeGuaranteedRef { NodeSource(mapping: $0, limit: size) }
  }

  /// Of an encrypted file: who has been counted before the mapping was replaced keeps its shadow.
  private func beginCountedReading(covering size: UInt64) throws(StorageError) -> NodeSource {
    while true {
      let mapping = try mapping(covering: size)
      mapping.addReader()
      let current = current.load(ordering: .sequentiallyConsistent)
      if current == UInt(bitPattern: Unmanaged.passUnretained(mapping).toOpaque()) {
        return NodeSource(mapping: mapping, limit: size)
      }
      mapping.removeReader()
    }
  }

  @inline(__always)
  private func unretainedMapping(
    covering size: UInt64
  ) throws(StorageError) -> Unmanaged<Mapping> {
    let bits = current.load(ordering: .acquiring)
    let mapping = Unmanaged<Mapping>.fromOpaque(
      UnsafeRawPointer(bitPattern: bits).unsafelyUnwrapped)
    if size <= mapping._withUnsafeGuaranteedRef({ $0.length }) { return mapping }
    return Unmanaged.passUnretained(try enlarge(to: size))
  }

  private func enlarge(to size: UInt64) throws(StorageError) -> Mapping {
    let result: Result<Mapping, SystemError> = all.withLock { mappings in
      if let last = mappings.last, size <= last.length { return .success(last) }
      do throws(SystemError) {
        let mapping = try Mapping.make(
          file, covering: size, reservation: reservation, cipher: cipher)
        let outgrown = mappings.last
        mappings.append(mapping)
        current.store(
          UInt(bitPattern: Unmanaged.passUnretained(mapping).toOpaque()),
          ordering: .sequentiallyConsistent)
        outgrown?.outgrow()
        return .success(mapping)
      } catch {
        return .failure(error)
      }
    }
    do { return try result.get() } catch { throw StorageError(error, doing: "map the file") }
  }

  // MARK: What is known of nodes

  /// After a failed flush the page cache may come to hold older bytes, so nothing that was verified
  /// before counts any more.
  @inline(never)
  func forgetVerifiedNodes() {
    all.withLock { mappings in
      for mapping in mappings { mapping.verified.forgetAll() }
    }
  }

  /// The same if the count of failed flushes is not the one that was last seen here, and as long as
  /// it is odd: pages may be read again at any time until what was not flushed has been repaired.
  @inline(__always)
  func noteFlushFailure(_ failure: UInt64) {
    if failure != flushFailureSeen.load(ordering: .relaxed) || failure % 2 == 1 {
      flushFailureSeen.store(failure, ordering: .relaxed)
      forgetVerifiedNodes()
    }
  }

  /// Gives back the decrypted nodes of free space. The writer role is held, or the space withheld.
  func forgetDecrypted(offset: UInt64, length: UInt64) {
    guard cipher != nil else { return }
    all.withLock { mappings in
      for mapping in mappings { mapping.forgetDecrypted(offset: offset, length: length) }
    }
  }
}
