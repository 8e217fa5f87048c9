import Platform
import Synchronization

/// Wakes the listeners of a session when something has been published.
///
/// A participant that listens to other processes has a word of shared memory, which is 1 while it
/// wants to be woken. It stores 1 and then looks at the newest version; a publisher publishes and
/// then looks at the words. All four are sequentially consistent, so either the publisher sees the
/// 1, or the listener sees the new version and does not sleep. A publisher calls the listeners of
/// its own process itself, and does not wake the thread that listens to others.
///
/// A publisher may be killed between publishing and waking; therefore the thread that sleeps
/// (`ListenerThread`) looks at the newest version now and then.
final class CommitSignal: Sendable {
  private struct State {
    var listeners: [(number: UInt64, call: @Sendable () -> Void)] = []
    var nextNumber: UInt64 = 0
    var thread: ListenerThread?
    var isClosed = false
  }

  let memory: SharedMemory
  let system: any System
  private let participant: Int
  private let state = LockedValue(State())
  /// So that publishing costs nothing where there are no listeners.
  private let hasListeners = Atomic<Bool>(false)
  /// The newest version for which the listeners have been called.
  private let toldVersion = Atomic<UInt64>(0)

  init(memory: SharedMemory, system: any System, participant: Int) {
    self.memory = memory
    self.system = system
    self.participant = participant
    // An earlier owner of the number may have died in its sleep.
    memory[half: asleep(participant)].store(0, ordering: .relaxed)
  }

  /// Where the word of a participant is.
  private func asleep(_ participant: Int) -> Int {
    LockFileLayout.participants + participant * LockFileLayout.participantSize
      + LockFileLayout.participantAsleep
  }

  private func newestVersion() -> Version {
    Version(memory[LockFileLayout.newestVersion].load(ordering: .sequentiallyConsistent))
  }

  // MARK: Publishing

  /// Wakes the listening processes and calls the listeners of this one, but for `author`.
  func announce(except author: UInt64?) {
    let used = memory[LockFileLayout.participantsUsed].load(ordering: .acquiring)
    for other in 0..<min(Int(clamping: used), LockFileLayout.participantsMax)
    where other != participant { wake(other) }
    guard hasListeners.load(ordering: .acquiring) else { return }
    let version = newestVersion()
    let listeners = state.withLock { $0.listeners }
    for listener in listeners where listener.number != author { listener.call() }
    // The listeners have been called for all that was published up to then.
    toldVersion.max(version.rawValue, ordering: .releasing)
  }

  private func wake(_ other: Int) {
    guard memory[half: asleep(other)].load(ordering: .sequentiallyConsistent) == 1 else { return }
    let woken = memory[half: asleep(other)].compareExchange(
      expected: 1, desired: 0, ordering: .sequentiallyConsistent)
    if woken.exchanged {
      memory.wake(half: asleep(other), count: .max, by: system)
    }
  }

  // MARK: Listening

  func add(_ listener: @escaping @Sendable () -> Void) throws(LockFileError) -> UInt64 {
    try state.withLock { state throws(LockFileError) in
      if state.thread == nil, memory.file != nil, !state.isClosed {
        // What is published from here on is heard.
        toldVersion.store(newestVersion().rawValue, ordering: .relaxed)
        state.thread = try doing("start the thread that listens for commits") {
          () throws(SystemError) in try ListenerThread.add(self)
        }
      }
      state.nextNumber += 1
      state.listeners.append((state.nextNumber, listener))
      hasListeners.store(true, ordering: .releasing)
      return state.nextNumber
    }
  }

  func remove(_ number: UInt64) {
    let (removed, thread) = state.withLock { state in
      let index = state.listeners.firstIndex { $0.number == number }
      let removed = index.map { state.listeners.remove(at: $0) }
      hasListeners.store(!state.listeners.isEmpty, ordering: .releasing)
      return (removed, state.listeners.isEmpty ? state.thread.take() : nil)
    }
    thread?.remove(self)
    _ = removed  // What a closure holds on to goes outside of the lock.
  }

  func close() {
    let (removed, thread) = state.withLock { state in
      state.isClosed = true
      hasListeners.store(false, ordering: .releasing)
      defer { state.listeners = [] }
      return (state.listeners, state.thread.take())
    }
    thread?.remove(self)
    _ = removed
  }

  // MARK: For the thread that listens

  var awaitedWord: AwaitedWord {
    memory.awaited(half: asleep(participant), while: 1)
  }

  /// Asks to be woken. False if there is something new already.
  func prepareToSleep() -> Bool {
    if memory[half: asleep(participant)].load(ordering: .relaxed) != 1 {
      memory[half: asleep(participant)].store(1, ordering: .sequentiallyConsistent)
    }
    return newestVersion().rawValue == toldVersion.load(ordering: .acquiring)
  }

  /// Calls the listeners if anything has been published since their last call.
  func tellNews() {
    let version = newestVersion()
    if version.rawValue == toldVersion.load(ordering: .acquiring) { return }
    // Also where the number is lower: then the memory was damaged, and all look for themselves.
    toldVersion.store(version.rawValue, ordering: .releasing)
    let listeners = state.withLock { $0.listeners }
    for listener in listeners { listener.call() }
  }

  /// Wakes the thread, so that it finds that it is not to listen any more.
  func stopSleeping() {
    memory[half: asleep(participant)].store(0, ordering: .sequentiallyConsistent)
    memory.wake(half: asleep(participant), count: .max, by: system)
  }
}
