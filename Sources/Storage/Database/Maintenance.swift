import Coordination
import Platform

/// Work off the commit path: shared flushes, giving space back, compaction. One serial queue per
/// database and process; a job takes the writer lock for short turns only.
final class Maintenance: Sendable {
  private struct State {
    var flushIsScheduled = false
    var compactionIsScheduled = false
    var isCompacting = false
  }

  private let queue: any BackgroundQueue
  private let state = LockedValue(State())
  private let waiters = DurabilityWaiters()

  private static let unflushedBytesMax: UInt64 = 64 << 20
  /// A flush takes as long as what it writes, and what commits free meanwhile is not reused: that
  /// of a large import begins at once, not beside the small commits after it.
  private static let largeCommitBytes: UInt64 = 8 << 20
  private static let compactionDelayNanoseconds: UInt64 = 200_000_000
  private static let stepDelayNanoseconds: UInt64 = 1_000_000
  private static let pinnedDelayNanoseconds: UInt64 = 2_000_000_000

  init(label: String, system: any System) {
    queue = system.makeQueue(label: "holdfast.maintenance \(label)")
  }

  /// Called after a commit was published, with the writer role held.
  func committed(_ database: Database, durability: Durability) {
    let freeSpace = database.writer.state.freeSpace
    switch durability {
    case .grouped: scheduleFlush(database, after: nil)
    case .relaxed:
      scheduleFlush(database, after: Self.delayNanoseconds(database))
      // What the last durable version holds cannot be reused before the next, so the file would
      // grow by it.
      let heldMax = min(max(freeSpace.liveBytes / 16, 256 << 10), 4 << 20)
      let state = database.writer.state
      if state.heldBytes > heldMax || state.unflushedBytes > Self.unflushedBytesMax
        || state.newestCommitBytes > Self.largeCommitBytes
      {
        state.heldBytes = 0
        state.unflushedBytes = 0
        scheduleFlushNow(database)
      }
    default: break
    }
    if database.options.compactsInBackground, Compactor.isWorthwhile(freeSpace) {
      scheduleCompaction(database)
    }
  }

  /// Called after a transaction that came to nothing. Who closed the file meanwhile, with commits
  /// to be flushed, may have left that to this process.
  func cancelled(_ database: Database) {
    guard database.options.durability != .inMemory,
      database.newestVersion > database.durableVersion
    else { return }
    scheduleFlush(database, after: Self.delayNanoseconds(database))
  }

  private static func delayNanoseconds(_ database: Database) -> UInt64 {
    UInt64(clamping: database.options.relaxedFlushDelayMilliseconds) * 1_000_000
  }

  // MARK: flushing

  private func scheduleFlush(_ database: Database, after delayNanoseconds: UInt64?) {
    let isNew = state.withLock { state in
      if state.flushIsScheduled { return false }
      state.flushIsScheduled = true
      return true
    }
    guard isNew else { return }
    let job: @Sendable () -> Void = { [self, weakHandle = database.weakHandle] in
      state.withLock { $0.flushIsScheduled = false }
      if let database = weakHandle.object { flush(database) }
    }
    if let delayNanoseconds {
      queue.run(afterNanoseconds: delayNanoseconds, job)
    } else {
      queue.run(job)
    }
  }

  private func scheduleFlushNow(_ database: Database) {
    queue.run { [self, weakHandle = database.weakHandle] in
      if let database = weakHandle.object { flush(database) }
    }
  }

  private func flush(_ database: Database) {
    let outcome: Result<Void, StorageError>
    do throws(StorageError) {
      try database.flush()
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    waiters.flushed(outcome, durable: database.durableVersion)
  }

  func whenDurable(
    _ version: Version, _ database: Database,
    _ body: @escaping @Sendable (Result<Void, StorageError>) -> Void
  ) {
    if database.durableVersion >= version {
      queue.run { body(.success(())) }
      return
    }
    waiters.add(version, body)
    queue.run { [self, weakHandle = database.weakHandle] in
      if let database = weakHandle.object, waiters.wants(version) { flush(database) }
    }
  }

  /// The file is being closed; what was to become durable has, or does not any more.
  func close(durable: Version, path: String) { waiters.close(durable: durable, path: path) }

  // MARK: compaction

  private func scheduleCompaction(
    _ database: Database, after delayNanoseconds: UInt64 = Maintenance.compactionDelayNanoseconds
  ) {
    let isNew = state.withLock { state in
      // A step under way looks itself whether another is to follow; its own commit is no reason.
      if state.compactionIsScheduled || state.isCompacting { return false }
      state.compactionIsScheduled = true
      return true
    }
    guard isNew else { return }
    queue.run(afterNanoseconds: delayNanoseconds) { [self, weakHandle = database.weakHandle] in
      state.withLock { state in
        state.compactionIsScheduled = false
        state.isCompacting = true
      }
      let progress = weakHandle.object.flatMap { try? $0.compactStep() }
      state.withLock { $0.isCompacting = false }
      if let progress, let database = weakHandle.object { follow(progress, database) }
    }
  }

  /// After a step the next one follows at once while it helps. What pins hold back is looked at
  /// again by a slow timer, since nothing announces that a reader unpins. A background job has no
  /// caller to tell of a failure; it has lost nothing, and the next commit that fails tells its
  /// caller.
  private func follow(_ progress: CompactionProgress, _ database: Database) {
    if progress.hasMore {
      scheduleCompaction(database, after: Self.stepDelayNanoseconds)
    } else if progress.isHeldBack {
      scheduleCompaction(database, after: Self.pinnedDelayNanoseconds)
    }
  }

  /// Waits until what is scheduled now has run.
  func drain() { queue.drain() }

  /// Runs `body` on the queue, after what is scheduled.
  func perform(_ body: @escaping @Sendable () -> Void) { queue.run(body) }
}
