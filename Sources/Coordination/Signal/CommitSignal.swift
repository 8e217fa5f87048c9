import Platform
import Synchronization

/// Tells the processes of a session that something was published.
///
/// A listening process has one thread that sleeps on a word of shared memory. It asks to be woken
/// and looks at the counter once more before it sleeps; a publisher counts, and wakes everybody
/// only if somebody has asked since the last time. So a commit that nobody listens to costs two
/// atomic operations, and a dead listener costs one system call, once.
///
/// A publisher may be killed between publishing and waking; therefore sleep ends by itself after a
/// second and the newest version is looked at.
final class CommitSignal: Sendable {
  private struct State {
    var listeners: [UInt64: @Sendable () -> Void] = [:]
    var nextNumber: UInt64 = 0
    var isRunning = false
    var isClosed = false
  }

  private let memory: SharedMemory
  private let system: any System
  private let state = Guarded(State())
  static let safetyNanoseconds: UInt64 = 1_000_000_000

  init(memory: SharedMemory, system: any System) {
    self.memory = memory
    self.system = system
  }

  private var counter: UnsafeMutablePointer<Atomic<UInt32>> {
    memory.halfWord(LockFileLayout.wakeCounter)
  }

  private var wanted: UnsafeMutablePointer<Atomic<UInt32>> {
    memory.halfWord(LockFileLayout.wakeWanted)
  }

  /// For publishers.
  func wake() {
    counter.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
    guard wanted.pointee.load(ordering: .sequentiallyConsistent) != 0 else { return }
    wanted.pointee.store(0, ordering: .sequentiallyConsistent)
    system.wake(UnsafeMutableRawPointer(counter), count: .max)
  }

  // MARK: Listening

  func add(_ listener: @escaping @Sendable () -> Void) throws(LockFileError) -> UInt64 {
    let (number, start) = state.withLock { state in
      state.nextNumber += 1
      state.listeners[state.nextNumber] = listener
      let start = !state.isRunning && !state.isClosed
      if start { state.isRunning = true }
      return (state.nextNumber, start)
    }
    guard start else { return number }
    // What is published from here on is heard.
    let seen = counter.pointee.load(ordering: .sequentiallyConsistent)
    let version = newestVersion()
    do {
      try system.startThread(name: "realm-listener") { self.loop(seen, version) }
    } catch {
      state.withLock { state in
        state.isRunning = false
        state.listeners[number] = nil
      }
      throw LockFileError(error, doing: "start the thread that listens for commits")
    }
    return number
  }

  func remove(_ number: UInt64) {
    let removed = state.withLock { $0.listeners.removeValue(forKey: number) }
    _ = removed  // What a closure holds on to goes outside of the lock.
  }

  func close() {
    let removed = state.withLock { state in
      state.isClosed = true
      defer { state.listeners = [:] }
      return state.listeners
    }
    if !removed.isEmpty || state.withLock({ $0.isRunning }) { wake() }
  }

  private func newestVersion() -> UInt64 {
    memory.word(LockFileLayout.newestVersion).pointee.load(ordering: .sequentiallyConsistent)
  }

  private func loop(_ firstSeen: UInt32, _ firstVersion: UInt64) {
    var seen = firstSeen
    var version = firstVersion
    while true {
      sleep(seen)
      let (listeners, isClosed) = state.withLock { (Array($0.listeners.values), $0.isClosed) }
      if isClosed { return }
      let (nowSeen, nowVersion) = (
        counter.pointee.load(ordering: .sequentiallyConsistent), newestVersion()
      )
      guard nowSeen != seen || nowVersion != version else { continue }
      (seen, version) = (nowSeen, nowVersion)
      for listener in listeners { listener() }
    }
  }

  private func sleep(_ seen: UInt32) {
    wanted.pointee.store(1, ordering: .sequentiallyConsistent)
    guard counter.pointee.load(ordering: .sequentiallyConsistent) == seen else { return }
    system.wait(
      on: UnsafeMutableRawPointer(counter), while: seen, timeout: CommitSignal.safetyNanoseconds)
  }
}
