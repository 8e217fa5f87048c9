import Synchronization

/// Threads and time as on the real machine, for stand-ins that are about something else.
extension System {
  public var hasRealTime: Bool { true }

  /// As if there were no symbolic links.
  public func canonicalPath(of path: String) throws(SystemError) -> String? {
    fileExists(path: path) ? path : nil
  }

  @discardableResult
  public func wait(
    on word: UnsafeMutableRawPointer, while expected: UInt32, timeout: UInt64?
  ) -> Bool {
    Futex.wait(word, while: expected, timeout: timeout)
  }

  public var awaitedWordsMax: Int { 1 }

  public func wait(onAnyOf words: [AwaitedWord], timeout: UInt64?) {
    precondition(words.count == 1, "a thread sleeps on one word here")
    wait(on: words[0].address, while: words[0].expected, timeout: timeout)
  }

  @discardableResult
  public func wake(_ word: UnsafeMutableRawPointer, count: Int32) -> Int {
    Futex.wake(word, count: count)
  }

  public func startThread(
    name: String, _ run: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    try BackgroundThread.start(name: name, run)
  }

  public func makeQueue(label: String) -> any BackgroundQueue { PosixQueue(label: label) }

  public func pause(nanoseconds: UInt64) { BackgroundThread.pause(nanoseconds: nanoseconds) }

  public func now() -> UInt64 { MonotonicClock.now() }

  public func coarseNow() -> UInt64 { MonotonicClock.coarse() }
}

/// For stand-ins of the real machine that have no better way.
extension SystemFile {
  /// As a file system that always writes in place.
  public func keepInPlace() {}

  /// As on such a one.
  public var isKeptInPlace: Bool { true }

  /// As if it could not be deleted.
  public func linkCount() throws(SystemError) -> UInt64 { 1 }

  /// As if there were one user.
  public func permissions() throws(SystemError) -> FilePermissions {
    FilePermissions(owner: 0, group: 0, mode: 0o644)
  }

  public func setPermissions(_ permissions: FilePermissions) throws(SystemError) {}

  /// A thread that waits, and gives back what it gets if it was called off meanwhile.
  public func waitForLock(
    byte: UInt64, kind: LockKind, whenDone: @escaping @Sendable (Result<Void, SystemError>) -> Void
  ) throws(SystemError) -> any LockWait {
    let wait = ThreadLockWait()
    try BackgroundThread.start(name: "lock-wait") {
      do throws(SystemError) {
        _ = try self.lock(byte: byte, kind: kind, wait: true)
        if wait.finish() { whenDone(.success(())) } else { try self.unlock(byte: byte) }
      } catch {
        if wait.finish() { whenDone(.failure(error)) }
      }
    }
    return wait
  }
}

private final class ThreadLockWait: LockWait {
  private let isDecided = Atomic<Bool>(false)

  /// False if the wait was called off.
  func finish() -> Bool { !isDecided.exchange(true, ordering: .acquiringAndReleasing) }

  func cancel() -> Bool { !isDecided.exchange(true, ordering: .acquiringAndReleasing) }
}
