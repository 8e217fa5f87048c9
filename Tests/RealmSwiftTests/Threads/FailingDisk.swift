import Platform
import Synchronization
import TestSupport

/// The real machine, until its disk is full, in all or where pins want room, or its flushes fail.
final class FailingDisk: ForwardingSystem {
  let real: any System = PosixSystem.shared
  private let refusing = LockedValue<(@Sendable () -> Void)?>(nil)
  private let full = Atomic<Bool>(false)
  private let failing = Atomic<Bool>(false)

  /// Whether nothing more can be written.
  var isFull: Bool {
    get { full.load(ordering: .sequentiallyConsistent) }
    set { full.store(newValue, ordering: .sequentiallyConsistent) }
  }

  /// Lets lock-files grow no more, and says when one would.
  func refuseMorePins(_ onRefusal: @escaping @Sendable () -> Void = {}) {
    refusing.withLock { $0 = onRefusal }
  }

  func allowMorePins() { refusing.withLock { $0 = nil } }

  /// Whether the file must not grow, for it is a lock-file.
  fileprivate func refusesGrowth(of path: String) -> Bool {
    guard path.hasSuffix(".lock"), let onRefusal = refusing.withLock({ $0 }) else { return false }
    onRefusal()
    return true
  }

  /// Whether what is written cannot be flushed.
  var failsFlushes: Bool {
    get { failing.load(ordering: .sequentiallyConsistent) }
    set { failing.store(newValue, ordering: .sequentiallyConsistent) }
  }

  /// Nothing is flushed because time has passed. Such a flush could fail before a test waits for
  /// one to fail, and the next would wait for whoever the test lets write until it hears of it.
  func makeQueue(label: String) -> any BackgroundQueue {
    PromptQueue(real: real.makeQueue(label: label))
  }

  func openFile(path: String, mode: OpenMode) throws(SystemError) -> any SystemFile {
    FailingFile(real: try real.openFile(path: path, mode: mode), disk: self)
  }
}

/// Never does what is to be done later.
private final class PromptQueue: BackgroundQueue {
  private let real: any BackgroundQueue

  init(real: any BackgroundQueue) { self.real = real }

  func run(_ job: @escaping @Sendable () -> Void) { real.run(job) }

  func run(afterNanoseconds delay: UInt64, _ job: @escaping @Sendable () -> Void) {}

  func drain() { real.drain() }
}

private final class FailingFile: ForwardingFile {
  let real: any SystemFile
  private let disk: FailingDisk

  init(real: any SystemFile, disk: FailingDisk) {
    self.real = real
    self.disk = disk
  }

  private func failIfFull(_ call: SystemCall) throws(SystemError) {
    if disk.isFull { throw SystemError(call: call, path: path, code: 28) }
  }

  func synchronize() throws(SystemError) {
    if disk.failsFlushes { throw SystemError(call: .fdatasync, path: path, code: 5) }
    try real.synchronize()
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
    try failIfFull(.write)
    try unsafe real.write(bytes, at: offset)
  }

  func allocate(offset: UInt64, length: UInt64) throws(SystemError) {
    try failIfFull(.fallocate)
    if disk.refusesGrowth(of: path) { throw SystemError(call: .fallocate, path: path, code: 28) }
    try real.allocate(offset: offset, length: length)
  }
}
