import Platform
import Synchronization

/// A thread that listens for the commits of other processes to many files: it sleeps on a word of
/// each of them at once, and on one of its own that changes when files come and go. Where the
/// kernel lets a thread sleep on one word only, there is a thread for each file.
///
/// It looks at all of its files once a second, in case a publisher was killed before it could wake
/// the listeners. Where the process listens to more than a thousand files, the time between two
/// looks is a millisecond for each, so that idling does not cost more.
final class ListenerThread: Sendable {
  private struct State {
    var signals: [CommitSignal] = []
    /// Changes with `signals`.
    var edition: UInt32 = 1
    /// The thread has ended, or is about to.
    var isOver = false
  }

  private struct Key: Hashable {
    let system: ObjectIdentifier
    /// A child made by fork() has none of its parent's threads.
    let process = ForkGuard.generation
  }

  /// The threads that listen to several files. Only their lists are touched under the lock.
  private static let shared = LockedValue<[Key: [ListenerThread]]>([:])
  /// How many files all threads listen to.
  private static let files = Atomic<Int>(0)

  /// How long a thread sleeps at most.
  private static var safetyNanoseconds: UInt64 {
    UInt64(max(1000, files.load(ordering: .relaxed))) * 1_000_000
  }

  private let system: any System
  /// How many files.
  private let capacity: Int
  private let state = LockedValue(State())
  /// The edition of the list, to sleep on.
  private let word = FutexWord(1)

  private init(system: any System, capacity: Int) {
    self.system = system
    self.capacity = capacity
  }

  // MARK: Files that come and go

  /// Has a thread listen for what is published to the file.
  static func add(_ signal: CommitSignal) throws(SystemError) -> ListenerThread {
    let system = signal.system
    let capacity = system.awaitedWordsMax - 1
    guard capacity > 1 else {
      let thread = ListenerThread(system: system, capacity: 1)
      _ = thread.accept(signal)
      return try run(thread)
    }
    let key = Key(system: ObjectIdentifier(system))
    let (thread, isNew) = shared.withLock { threads in
      threads[key, default: []].removeAll { $0.isOver }
      if let thread = threads[key]!.first(where: { $0.accept(signal) }) { return (thread, false) }
      let thread = ListenerThread(system: system, capacity: capacity)
      _ = thread.accept(signal)
      threads[key]!.append(thread)
      return (thread, true)
    }
    return isNew ? try run(thread) : thread
  }

  private static func run(_ thread: ListenerThread) throws(SystemError) -> ListenerThread {
    do {
      try thread.system.startThread(name: "realm-listener") { thread.loop() }
      return thread
    } catch {
      // Files that have come meanwhile look once they are opened again; this is a process that
      // cannot make a thread.
      thread.state.withLock { state in
        state.isOver = true
        Self.files.subtract(state.signals.count, ordering: .relaxed)
        state.signals = []
      }
      throw error
    }
  }

  private var isOver: Bool { state.withLock { $0.isOver } }

  private func accept(_ signal: CommitSignal) -> Bool {
    let isAccepted = state.withLock { state in
      guard !state.isOver, state.signals.count < capacity else { return false }
      state.signals.append(signal)
      Self.files.add(1, ordering: .relaxed)
      change(&state)
      return true
    }
    if isAccepted { wake() }
    return isAccepted
  }

  func remove(_ signal: CommitSignal) {
    state.withLock { state in
      if let index = state.signals.firstIndex(where: { $0 === signal }) {
        state.signals.remove(at: index)
        Self.files.subtract(1, ordering: .relaxed)
      }
      change(&state)
    }
    if capacity == 1 { signal.stopSleeping() } else { wake() }
  }

  private func change(_ state: inout State) {
    state.edition &+= 1
    word.value = state.edition
  }

  private func wake() { word.wake(count: 1, by: system) }

  // MARK: The thread

  private func loop() {
    while let (signals, edition) = next() {
      // Again and again as long as nothing comes and goes.
      var words = signals.map(\.awaitedWord)
      if capacity > 1 { words.append(word.awaited(while: edition)) }
      while word.value == edition {
        var isQuiet = true
        for signal in signals where !signal.prepareToSleep() {
          signal.tellNews()
          isQuiet = false
        }
        if isQuiet { system.wait(onAnyOf: words, timeout: Self.safetyNanoseconds) }
      }
    }
  }

  /// nil when there is nothing left to listen to: then the thread ends.
  private func next() -> ([CommitSignal], UInt32)? {
    state.withLock { state in
      if state.signals.isEmpty { state.isOver = true }
      return state.isOver ? nil : (state.signals, state.edition)
    }
  }
}
