import Platform

/// Keeping the writer byte although nobody of this process has the role, while one commit follows
/// another closely: taking the byte and giving it back would cost each of them two system calls.
///
/// A thread watches over a kept byte. It gives the byte back as soon as another process asks for it
/// (`WriterBytes.asked`), and in any case when a few milliseconds have passed without a commit; then
/// it sleeps until the next burst. A process that dies gives it back as ever, by the kernel.
struct Keeping {
  /// How many commits have to follow each other closely for a burst.
  static let followersMin = 8
  /// At most this long between two commits of a burst, and between two looks of the watcher.
  static let periodNanoseconds: UInt64 = 4_000_000

  enum Keeper {
    case watching
    case absent
    case asleep(ParkedThread<Void>)
  }

  private(set) var isKept = false
  private var followers = 0
  private var lastEnd: UInt64 = 0
  private var keeps: UInt64 = 0
  private var keepsSeen: UInt64 = 0
  private var askedSeen: UInt32 = 0
  private var keeper = Keeper.absent

  /// The role is given back; whether it has been, closely, for a while.
  mutating func follows(now: UInt64) -> Bool {
    followers = now < lastEnd + Self.periodNanoseconds ? followers + 1 : 0
    lastEnd = now
    return followers >= Self.followersMin
  }

  /// Whether the byte was kept; it is the caller's from here on.
  mutating func take() -> Bool {
    defer { isKept = false }
    return isKept
  }

  /// Keeps the byte. Says who is to be woken to watch.
  mutating func keep() -> Keeper {
    isKept = true
    keeps += 1
    defer { keeper = .watching }
    return keeper
  }

  mutating func watcherFailed() { keeper = .absent }

  /// Says who is to be woken, because it is over.
  mutating func stop() -> ParkedThread<Void>? {
    isKept = false
    guard case .asleep(let parked) = keeper else { return nil }
    return parked
  }

  enum Step {
    case watch(giveBack: Bool)
    case sleep(ParkedThread<Void>, giveBack: Bool)
  }

  /// What the watcher does after a look at how often others have asked.
  mutating func step(asked: UInt32, system: any System) -> Step {
    let isInUse = keeps != keepsSeen
    let giveBack = isKept && (!isInUse || asked != askedSeen)
    (keepsSeen, askedSeen) = (keeps, asked)
    if giveBack { isKept = false }
    if isInUse { return .watch(giveBack: giveBack) }
    let parked = ParkedThread<Void>(system: system)
    keeper = .asleep(parked)
    return .sleep(parked, giveBack: giveBack)
  }
}

extension WriterQueue {
  /// The byte has just been kept.
  func haveWatched(_ keeper: Keeping.Keeper) {
    switch keeper {
    case .watching: break
    case .asleep(let parked): parked.wake(with: ())
    case .absent:
      do { try system.startThread(name: "realm-keeper") { self.watch() } } catch {
        // Without a watcher nothing is kept.
        giveBackKept { $0.watcherFailed() }
      }
    }
    // Whoever began to wait after it was seen that nobody did has woken the watcher, but perhaps
    // before there was anything to give back.
    if bytes?.isAwaited == true { giveBackKept { _ in } }
  }

  /// The byte goes back under the lock, so that nobody takes it for kept in the meantime, and never
  /// after `close`.
  private func giveBackKept(_ change: (inout Keeping) -> Void) {
    state.withLock { state in
      if !state.isClosed, state.keeping.take() { bytes?.unlock() }
      change(&state.keeping)
    }
  }

  private func watch() {
    guard let bytes else { return }
    while true {
      // Read before the look: who asks after it changes the word that is slept on.
      let asked = bytes.asked
      let step = state.withLock { state -> Keeping.Step? in
        if state.isClosed { return nil }
        let step = state.keeping.step(asked: asked, system: system)
        switch step {
        case .watch(true), .sleep(_, true): bytes.unlock()
        default: break
        }
        return step
      }
      switch step {
      case nil: return
      case .watch: bytes.waitForAsking(since: asked, timeout: Keeping.periodNanoseconds)
      case .sleep(let parked, _): parked.wait()
      }
    }
  }
}
