import Dispatch
import Platform
import Synchronization

/// The real machine, whose flushes are counted and can be held up.
public final class FlushWatch: System {
  private let real = PosixSystem.shared
  private let count = Atomic<Int>(0)
  private let gate = Guarded<Gate?>(nil)

  /// Where flushes wait.
  private final class Gate: Sendable {
    let arrived = DispatchSemaphore(value: 0)
    let opened = DispatchSemaphore(value: 0)
  }

  public init() {}

  /// How many flushes of files have begun.
  public var flushCount: Int { count.load(ordering: .sequentiallyConsistent) }

  /// From here on a flush does not begin before `letFlushesPass`.
  public func holdFlushes() { gate.withLock { $0 = Gate() } }

  /// Waits until somebody wants to flush.
  public func waitForFlush() { gate.withLock { $0 }?.arrived.wait() }

  public func letFlushesPass() {
    let closed = gate.withLock { gate in
      defer { gate = nil }
      return gate
    }
    closed?.opened.signal()
  }

  fileprivate func flush(_ file: any SystemFile) throws(SystemError) {
    count.wrappingAdd(1, ordering: .sequentiallyConsistent)
    if let gate = gate.withLock({ $0 }) {
      gate.arrived.signal()
      gate.opened.wait()
      // For the next one who waits there.
      gate.opened.signal()
    }
    try file.synchronize()
  }

  public func openFile(path: String, mode: OpenMode) throws(SystemError) -> any SystemFile {
    WatchedFile(real: try real.openFile(path: path, mode: mode), system: self)
  }
  public func removeFile(path: String) throws(SystemError) { try real.removeFile(path: path) }
  public func renameFile(from: String, to: String) throws(SystemError) {
    try real.renameFile(from: from, to: to)
  }
  public func fileExists(path: String) -> Bool { real.fileExists(path: path) }
  public func synchronizeDirectory(containing path: String) throws(SystemError) {
    try real.synchronizeDirectory(containing: path)
  }
  public func bootIdentifier() -> BootIdentifier { real.bootIdentifier() }
}

private final class WatchedFile: SystemFile {
  private let real: any SystemFile
  private let system: FlushWatch

  init(real: any SystemFile, system: FlushWatch) {
    self.real = real
    self.system = system
  }

  func synchronize() throws(SystemError) { try system.flush(real) }

  var path: String { real.path }
  var identity: FileIdentity { real.identity }
  func fileSystemKind() throws(SystemError) -> FileSystemKind { try real.fileSystemKind() }
  func size() throws(SystemError) -> UInt64 { try real.size() }
  func allocatedSize() throws(SystemError) -> UInt64 { try real.allocatedSize() }
  func linkCount() throws(SystemError) -> UInt64 { try real.linkCount() }
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
    try real.write(bytes, at: offset)
  }
  func read(
    into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(SystemError) -> Int {
    try real.read(into: bytes, at: offset)
  }
  func allocate(offset: UInt64, length: UInt64) throws(SystemError) {
    try real.allocate(offset: offset, length: length)
  }
  func punchHole(offset: UInt64, length: UInt64) throws(SystemError) {
    try real.punchHole(offset: offset, length: length)
  }
  func truncate(to size: UInt64) throws(SystemError) { try real.truncate(to: size) }
  func map(length: UInt64, writable: Bool) throws(SystemError) -> UnsafeMutableRawPointer {
    try real.map(length: length, writable: writable)
  }
  func unmap(_ address: UnsafeMutableRawPointer, length: UInt64) {
    real.unmap(address, length: length)
  }
  func lock(byte: UInt64, kind: LockKind, wait: Bool) throws(SystemError) -> Bool {
    try real.lock(byte: byte, kind: kind, wait: wait)
  }
  func unlock(byte: UInt64) throws(SystemError) { try real.unlock(byte: byte) }
  func isLockedByOther(byte: UInt64, kind: LockKind) throws(SystemError) -> Bool {
    try real.isLockedByOther(byte: byte, kind: kind)
  }
  func waitForLock(
    byte: UInt64, kind: LockKind, whenDone: @escaping @Sendable (Result<Void, SystemError>) -> Void
  ) throws(SystemError) -> any LockWait {
    try real.waitForLock(byte: byte, kind: kind, whenDone: whenDone)
  }
  func close() { real.close() }
}
