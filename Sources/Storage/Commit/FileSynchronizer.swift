import Coordination
import Platform

/// Flushes a file, and knows which flushes of this process have failed.
///
/// The threads of a process take turns, and one that fails says so within its turn: Linux reports a
/// failed write-back once for each open file, to whichever thread asks first, and another thread's
/// flush may have relied on the same pages.
final class FileSynchronizer: Sendable {
  private struct Failures {
    var count: UInt64 = 0
    /// Whether what the last one should have covered has not been written again by this process.
    var isUnrepaired = false
  }

  private let file: any SystemFile
  private let lockFile: LockFile
  /// The lock is held while a flush is under way.
  private let failures = LockedValue(Failures())

  init(file: any SystemFile, lockFile: LockFile) {
    self.file = file
    self.lockFile = lockFile
  }

  /// Flushes what has been written.
  func run(doing what: String) throws(StorageError) {
    do throws(SystemError) {
      try flush()
      // A flush by another thread may have failed before this one began, and have left nothing for
      // it to write. Those of other processes are reported to this one by the kernel.
      if failures.withLock({ $0.isUnrepaired }), lockFile.flushFailure % 2 == 1 {
        throw failure
      }
    } catch { throw StorageError(error, doing: what) }
  }

  /// How many flushes have failed.
  var failureCount: UInt64 { failures.withLock { $0.count } }

  /// Flushes what is being written again after a failure. Another thread's failure since there were
  /// `count` may have been that of what is written now.
  func runAgain(since count: UInt64) throws(SystemError) {
    try flush()
    if failureCount != count { throw failure }
  }

  /// A flush of what is written from now on, which fails as well if another thread's has failed
  /// since.
  func flushFromNow() -> SettlementFlush {
    let count = failureCount
    return { [self] () throws(SystemError) in try runAgain(since: count) }
  }

  /// Comes after a flush that has made certain of what another process had written. Under `strict`,
  /// where that is not written again, a flush of another thread may have failed before and have
  /// left nothing for this one to write.
  func requireNoFailure(under durability: Durability) throws(StorageError) {
    guard durability == .strict, lockFile.flushFailure % 2 == 1 else { return }
    throw StorageError(
      .inputOutput, path: file.path,
      "a flush has failed while what another process had written was made certain; try again")
  }

  /// What the failed flushes should have covered has been written again.
  func noteRepair() {
    failures.withLock { $0.isUnrepaired = false }
    lockFile.noteFlushRepair()
  }

  private func flush() throws(SystemError) {
    try failures.withLock { failures throws(SystemError) in
      do throws(SystemError) { try file.synchronize() } catch {
        failures.count += 1
        failures.isUnrepaired = true
        lockFile.noteFlushFailure()
        throw error
      }
    }
  }

  private var failure: SystemError {
    SystemError(call: .fdatasync, path: file.path, code: ErrorNumber.inputOutput)
  }
}
