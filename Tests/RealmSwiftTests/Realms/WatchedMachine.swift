import Dispatch
import Platform
import Storage
import Synchronization
import TestSupport

/// The real machine in a boot of its own, which notes what of a data file has not been flushed, and
/// says when the file has been closed.
final class WatchedMachine: ForwardingSystem {
  let real: any System = PosixSystem.shared
  private let boot: UInt64
  private let closed = DispatchSemaphore(value: 0)
  private let unflushed = Atomic<Int>(0)

  init(boot: UInt64) { self.boot = boot }

  func bootIdentifier() -> BootIdentifier { BootIdentifier(high: boot, low: boot) }

  func openFile(path: String, mode: OpenMode) throws(SystemError) -> any SystemFile {
    let file = try real.openFile(path: path, mode: mode)
    return path.hasSuffix(".lock") ? file : WatchedFile(real: file, machine: self)
  }

  /// Writes to data files since their last flush, other than of the closing mark.
  var unflushedWrites: Int { unflushed.load(ordering: .sequentiallyConsistent) }

  /// Waits until a data file has been closed; false if that does not happen.
  func waitForClose() -> Bool { closed.wait(timeout: .now() + .seconds(20)) == .success }

  fileprivate func noteWrite() { unflushed.add(1, ordering: .sequentiallyConsistent) }
  fileprivate func noteFlush() { unflushed.store(0, ordering: .sequentiallyConsistent) }
  fileprivate func noteClose() { closed.signal() }
}

private final class WatchedFile: ForwardingFile {
  let real: any SystemFile
  private let machine: WatchedMachine

  init(real: any SystemFile, machine: WatchedMachine) {
    self.real = real
    self.machine = machine
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
    // The closing mark is of use only if it arrives, and is not missed.
    if offset != UInt64(FileLayout.closingMark) { machine.noteWrite() }
    try unsafe real.write(bytes, at: offset)
  }

  func synchronize() throws(SystemError) {
    try real.synchronize()
    machine.noteFlush()
  }

  func close() {
    real.close()
    machine.noteClose()
  }
}
