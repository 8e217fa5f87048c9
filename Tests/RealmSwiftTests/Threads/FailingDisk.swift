import Platform
import Synchronization
import TestSupport

/// The real machine, until its disk is full or its flushes fail.
final class FailingDisk: ForwardingSystem {
  let real: any System = PosixSystem.shared
  private let full = Atomic<Bool>(false)
  private let failing = Atomic<Bool>(false)

  /// Whether nothing more can be written.
  var isFull: Bool {
    get { full.load(ordering: .sequentiallyConsistent) }
    set { full.store(newValue, ordering: .sequentiallyConsistent) }
  }

  /// Whether what is written cannot be flushed.
  var failsFlushes: Bool {
    get { failing.load(ordering: .sequentiallyConsistent) }
    set { failing.store(newValue, ordering: .sequentiallyConsistent) }
  }

  func openFile(path: String, mode: OpenMode) throws(SystemError) -> any SystemFile {
    FailingFile(real: try real.openFile(path: path, mode: mode), disk: self)
  }
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
    try real.write(bytes, at: offset)
  }

  func allocate(offset: UInt64, length: UInt64) throws(SystemError) {
    try failIfFull(.fallocate)
    try real.allocate(offset: offset, length: length)
  }
}
