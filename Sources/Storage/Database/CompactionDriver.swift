import Coordination
import Platform

/// Compacts a database in steps, and knows where the next one goes on.
package final class CompactionDriver: Sendable {
  /// Where compaction goes on.
  private struct State {
    var cursor: [Int] = []
    /// The size of the file when the search began at the start of the tree; 0: it has not begun.
    var sizeAtPassStart: UInt64 = 0
    /// The region after the last one in which holes were punched.
    var punchCursor = 0
    var cutPace = CutPace()
    /// What there was when a search came to its end without making the file smaller.
    var fruitless: Fruitless?

    struct Fruitless {
      var version: UInt64
      var reusableBytes: UInt64

      /// Whether another search would find the same: not much has been committed since, nor
      /// unpinned by readers.
      func isStill(_ freeSpace: FreeSpace) -> Bool {
        freeSpace.version < version + Compactor.retryVersions
          && freeSpace.reusableBytes < reusableBytes + Compactor.retryBytes
      }
    }
  }

  private let state = LockedValue(State())
  package let statistics = CompactionStatistics()

  /// A bounded piece of compaction.
  ///
  /// - Parameter flushes: whether what the step wrote is flushed; what it moved away from is of use
  ///   only after that.
  func step(
    _ database: Database, force: Bool, flushes: Bool
  ) throws(StorageError) -> CompactionProgress {
    var progress = CompactionProgress()
    var boundary: UInt64?
    var isWorthwhile = false
    var isWaiting = false
    try holdingWriter(database) { (transaction) throws(StorageError) in
      let freeSpace = database.writer.state.freeSpace
      isWorthwhile = Compactor.isWorthwhile(freeSpace)
      let isInVain = state.withLock { $0.fruitless?.isStill(freeSpace) ?? false }
      if force || Compactor.canMove(freeSpace) && !isInVain {
        boundary = Compactor.boundary(freeSpace)
      }
      isWaiting = Compactor.isHeldBack(freeSpace)
      progress.bytesReturned = try punchHoles(database)
    }
    progress.bytesReturned += try cutEnd(database)
    guard let boundary else {
      progress.hasMore =
        isWorthwhile && progress.bytesReturned > 0
        || progress.bytesReturned >= Compactor.cutSizeMax
      progress.isHeldBack = isWorthwhile && isWaiting && !progress.hasMore
      return progress
    }
    try moveNodes(
      database, beyond: boundary, budget: force ? Compactor.forcedBudget : Compactor.budget,
      &progress)
    let isWorking = !progress.isFruitless
    if flushes { try database.flush() }
    try holdingWriter(database) { (transaction) throws(StorageError) in
      progress.bytesReturned += try punchHoles(database)
      let canMove = Compactor.canMove(database.writer.state.freeSpace)
      progress.hasMore = isWorking && canMove
      progress.isHeldBack =
        !isWorking && canMove && Compactor.isHeldBack(database.writer.state.freeSpace)
      if progress.isFruitless { noteFruitless(database.writer.state.freeSpace) }
    }
    let cut = try cutEnd(database)
    progress.bytesReturned += cut
    if cut >= Compactor.cutSizeMax { progress.hasMore = true }
    return progress
  }

  private func noteFruitless(_ freeSpace: FreeSpace) {
    let now = State.Fruitless(
      version: freeSpace.version, reusableBytes: freeSpace.reusableBytes)
    state.withLock { $0.fruitless = now }
  }

  /// Runs `body` in a transaction that is not committed, with the free space of the newest version.
  private func holdingWriter(
    _ database: Database, _ body: (WriteTransaction) throws(StorageError) -> Void
  ) throws(StorageError) {
    let transaction = try database.beginWrite()
    let hold = CompactionStatistics.Hold()
    defer {
      transaction.cancel()
      statistics.end(hold)
    }
    try transaction.refreshFreeSpace()
    try body(transaction)
  }

  // MARK: Moving

  /// Moves some of what lies beyond the boundary.
  private func moveNodes(
    _ database: Database, beyond boundary: UInt64, budget: Int, _ progress: inout CompactionProgress
  ) throws(StorageError) {
    var search = state.withLock { $0 }
    let targets = try findTargets(database, beyond: boundary, budget: budget, &search)
    let transaction = try database.beginWrite()
    let hold = CompactionStatistics.Hold()
    defer { statistics.end(hold) }
    let moved: Int
    let sizeAfter: UInt64
    if search.sizeAtPassStart == 0 {
      search.sizeAtPassStart = transaction.base.published.logicalSize
    }
    do throws(StorageError) {
      try transaction.refreshFreeSpace()
      let fitting = try database.writer.state.freeSpace.fitting(targets, below: boundary)
      var relocation = Relocation(writer: transaction.writer)
      transaction.root = try relocation.move(fitting, below: transaction.root)
      moved = relocation.moved
      // Committed even when nothing moved, so that a free end of the file is cut off, and the nodes
      // of the free space and the history go where they should.
      let committed = try transaction.commitCompaction(
        boundary: boundary,
        durability: database.options.durability == .inMemory ? .inMemory : .relaxed)
      sizeAfter = committed.logicalSize
      committed.release()
    } catch {
      transaction.cancel()
      throw error
    }
    progress.bytesMoved += moved
    // A pass that has not made the file smaller would be repeated for nothing: what it moved went
    // from one place near the end to another.
    let isPassOver = search.cursor.isEmpty
    progress.isFruitless = isPassOver && sizeAfter >= search.sizeAtPassStart
    if isPassOver { search.sizeAtPassStart = 0 }
    state.withLock { [search] current in
      current.cursor = search.cursor
      current.sizeAtPassStart = search.sizeAtPassStart
    }
  }

  /// Reads the newest version without the writer role.
  private func findTargets(
    _ database: Database, beyond boundary: UInt64, budget: Int, _ search: inout State
  ) throws(StorageError) -> [RelocationScan.Target] {
    let snapshot = try database.pinNewest()
    defer { snapshot.release() }
    var scan = RelocationScan(
      source: snapshot.source, boundary: boundary, budget: budget, cursor: search.cursor)
    try scan.run(snapshot.root)
    search.cursor = scan.cursor
    return scan.targets
  }

  // MARK: Giving back

  /// Punches holes into long free runs. The writer role is held.
  private func punchHoles(_ database: Database) throws(StorageError) -> UInt64 {
    let punch = HolePunch(writer: database.writer, system: database.system)
    var cursor = state.withLock { $0.punchCursor }
    defer { state.withLock { [cursor] in $0.punchCursor = cursor } }
    return try punch.run(from: &cursor)
  }

  /// Cuts the free end of the file off, piece by piece; other writers get their turn between them.
  ///
  /// - Returns: the bytes that the file is shorter, at most a little more than
  ///   `Compactor.cutSizeMax`; less than that if there is no more to cut.
  private func cutEnd(_ database: Database) throws(StorageError) -> UInt64 {
    var returned: UInt64 = 0
    var pace = state.withLock { $0.cutPace }
    while returned < Compactor.cutSizeMax {
      let size = pace.size
      var cut: UInt64 = 0
      try holdingWriter(database) { (transaction) throws(StorageError) in
        let end = EndCut(writer: database.writer, lastCut: transaction.base.lastCut)
        let start = database.system.now()
        do throws(SystemError) { cut = try end.run(atMost: size) } catch {
          throw StorageError(error, doing: "give space back to the file system")
        }
        if cut == size { pace.note(nanoseconds: database.system.now() &- start) }
      }
      returned += cut
      if cut < size { break }
    }
    state.withLock { [pace] in $0.cutPace = pace }
    return returned
  }

  /// Compacts until nothing more can be gained; other writers get their turn between steps.
  func compact(_ database: Database) throws(StorageError) -> CompactionProgress {
    var total = CompactionProgress()
    var fruitless = 0
    // What waits for the durable version only is of use from here on.
    try database.flush()
    var unflushed = 0
    var returns = 0
    let size: UInt64
    do throws(SystemError) { size = try database.file.size() } catch {
      throw StorageError(error, doing: "ask for the size of the file")
    }
    let returnsMax = 16 + Int(size / (Compactor.punchSizeMin * UInt64(Compactor.punchCountMax)))
    // What a search moves is free for the next one only when it has been flushed, so the second may
    // gain what the first could not. A third finds what the second found.
    var isReturning = false
    while fruitless < 3 || isReturning {
      let step = try step(
        database, force: true, flushes: unflushed >= Compactor.flushedBudget || fruitless > 0)
      unflushed = unflushed >= Compactor.flushedBudget ? 0 : unflushed + step.bytesMoved
      total.bytesMoved += step.bytesMoved
      total.bytesReturned += step.bytesReturned
      if step.isFruitless {
        fruitless += 1
      } else if step.bytesMoved == 0, !step.hasMore {
        fruitless += 1
      }
      // Holes are punched a few at a time; not for ever, because a step frees some itself.
      isReturning = step.bytesReturned > 0 && returns < returnsMax
      returns += fruitless < 3 ? 0 : 1
    }
    try database.flush()
    return total
  }
}
