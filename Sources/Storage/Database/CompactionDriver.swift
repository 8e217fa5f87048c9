import Coordination
import Platform

/// Compacts a database in steps, and knows where the next one goes on.
package final class CompactionDriver: Sendable {
  /// Where compaction goes on.
  private struct State {
    var search = CompactionSearch()
    /// The region after the last one in which holes were punched.
    var punchCursor = 0
    var cutPace = CutPace()
    var movePace = Compactor.movePace
    /// What there was when a search came to its end without making the file smaller.
    var fruitless: Fruitless?

    struct Fruitless {
      var version: Version
      var reusableBytes: UInt64
      var logicalSize: UInt64

      /// Whether another search would find the same: not much has been committed since, nor
      /// unpinned by readers, nor cut off.
      func isStill(_ freeSpace: FreeSpace) -> Bool {
        freeSpace.version < version.advanced(by: Compactor.retryVersions)
          && freeSpace.reusableBytes < reusableBytes + Compactor.retryBytes
          && freeSpace.logicalSize > logicalSize - logicalSize / 8
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
    let look = try look(database, force: force)
    progress.bytesReturned = punch(database, look.commit)
    guard let boundary = look.boundary else {
      if flushes, look.commit != nil { try database.flush() }
      let isEndHeldBack = try cutEnd(database, &progress)
      let hasChanged = progress.bytesReturned > 0 || look.commit != nil
      progress.hasMore =
        look.isWorthwhile && hasChanged || progress.bytesReturned >= Compactor.cutSizeMax
      progress.isHeldBack =
        !progress.hasMore && (look.isWorthwhile && look.isWaiting || isEndHeldBack)
      return progress
    }
    _ = try cutEnd(database, &progress)
    try moveNodes(database, beyond: boundary, force: force, &progress)
    let isWorking = !progress.isFruitless
    // What it moved away from is of use after a flush; one is on its way where none is made here.
    let isSettling = progress.isPassOver && isWorking && !flushes
    if flushes { try database.flush() }
    try holdingWriter(database) { (transaction) throws(StorageError) in
      let freeSpace = database.writer.state.freeSpace
      // Where moving is of no more use, the next step gives back what is free.
      progress.hasMore = Compactor.canMove(freeSpace) && !isSettling
      progress.isHeldBack =
        isSettling
        || !progress.hasMore && Compactor.isWorthwhile(freeSpace)
          && Compactor.isHeldBack(freeSpace)
      if progress.isFruitless { noteFruitless(freeSpace) }
    }
    let before = progress.bytesReturned
    if try cutEnd(database, &progress), !progress.hasMore { progress.isHeldBack = true }
    if progress.bytesReturned - before >= Compactor.cutSizeMax { progress.hasMore = true }
    return progress
  }

  /// What a step begins with.
  private struct Look {
    var isWorthwhile = false
    var isWaiting = false
    /// Where nodes are to be moved from.
    var boundary: UInt64?
    /// Where none are: what has been withheld, or cut off.
    var commit: WithheldRuns?
  }

  private func look(_ database: Database, force: Bool) throws(StorageError) -> Look {
    var look = Look()
    try holdingWriter(database) { (transaction) throws(StorageError) in
      let freeSpace = database.writer.state.freeSpace
      look.isWorthwhile = Compactor.isWorthwhile(freeSpace)
      look.isWaiting = Compactor.isHeldBack(freeSpace)
      let isInVain = state.withLock { $0.fruitless?.isStill(freeSpace) ?? false }
      if force || Compactor.canMove(freeSpace) && !isInVain {
        look.boundary = state.withLock { $0.search }.boundary(freeSpace)
        return
      }
      let runs = try runsToReturn(freeSpace)
      let compaction = CompactionCommit(boundary: .max, runs: runs, regionsMax: 0)
      if compaction.runs.isEmpty, try freeSpace.returnedEnd() == nil { return }
      look.commit = try commit(compaction, transaction)
    }
    return look
  }

  private func noteFruitless(_ freeSpace: FreeSpace) {
    let now = State.Fruitless(
      version: freeSpace.version, reusableBytes: freeSpace.reusableBytes,
      logicalSize: freeSpace.logicalSize)
    state.withLock { $0.fruitless = now }
  }

  /// Runs `body` in a transaction, with the free space of the newest version.
  private func holdingWriter(
    _ database: Database, _ body: (WriteTransaction) throws(StorageError) -> Void
  ) throws(StorageError) {
    let transaction = try database.beginWrite()
    let hold = CompactionStatistics.Hold()
    transaction.onRelease = { [statistics] in statistics.end(hold) }
    defer { transaction.cancel() }
    try transaction.refreshFreeSpace()
    try body(transaction)
  }

  /// What a commit has withheld, and the pin that keeps it so.
  private struct WithheldRuns {
    let runs: [Extent]
    let pin: Pin
  }

  /// Commits, not to be flushed under the writer role; `punch` is for what it withholds.
  private func commit(
    _ compaction: CompactionCommit, _ transaction: WriteTransaction
  ) throws(StorageError) -> WithheldRuns {
    let database = transaction.database
    // Before the role is given up, and the version that it holds is the newest no more.
    let pin = try database.versionPins.claimNewest()
    do throws(StorageError) {
      try transaction.commit(
        compaction, durability: database.options.durability == .inMemory ? .inMemory : .relaxed)
    } catch {
      database.lockFile.unpin(pin)
      throw error
    }
    return WithheldRuns(runs: compaction.withheld, pin: pin)
  }

  // MARK: Moving

  /// Moves some of what lies beyond the boundary.
  private func moveNodes(
    _ database: Database, beyond boundary: UInt64, force: Bool, _ progress: inout CompactionProgress
  ) throws(StorageError) {
    var (search, pace) = state.withLock { ($0.search, $0.movePace) }
    let budget = force ? Compactor.forcedBudget : Int(pace.size)
    let beginsPass = search.cursor.isEmpty
    let targets = try findTargets(database, beyond: boundary, budget: budget, &search)
    // Where less was found than might be moved, it says nothing of what as much would take.
    let isFull = !search.cursor.isEmpty
    var moved = 0
    var ended: CompactionSearch.Outcome?
    var movesMore = false
    var withheld: WithheldRuns?
    try holdingWriter(database) { (transaction) throws(StorageError) in
      let start = database.system.now()
      let freeSpace = database.writer.state.freeSpace
      ended = beginsPass ? try search.beginPass(freeSpace) : nil
      let fitting = ended == nil ? try freeSpace.fitting(targets, below: boundary) : []
      var relocation = Relocation(writer: transaction.writer)
      transaction.root = try relocation.move(fitting, below: transaction.root)
      moved = relocation.moved
      // Committed even when nothing moved, so that a free end of the file is cut off, and the nodes
      // of the free space and the history go where they should.
      let compaction = CompactionCommit(
        boundary: boundary, runs: try runsToReturn(freeSpace),
        regionsMax: force ? Compactor.forcedRegionsMax : Compactor.regionsMax)
      withheld = try commit(compaction, transaction)
      movesMore = compaction.movesMore
      if isFull { pace.note(nanoseconds: database.system.now() &- start) }
    }
    progress.bytesReturned += punch(database, withheld)
    progress.bytesMoved += moved
    let outcome = ended ?? search.note(moved: moved, movesRecords: movesMore)
    progress.isPassOver = search.cursor.isEmpty
    progress.isFruitless = outcome == .isFruitless
    state.withLock { [search, pace] in ($0.search, $0.movePace) = (search, pace) }
  }

  /// Reads the newest version without the writer role.
  private func findTargets(
    _ database: Database, beyond boundary: UInt64, budget: Int,
    _ search: inout CompactionSearch
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

  /// Free runs that a commit is to withhold. The writer role is held.
  private func runsToReturn(_ freeSpace: FreeSpace) throws(StorageError) -> [Extent] {
    var cursor = state.withLock { $0.punchCursor }
    defer { state.withLock { [cursor] in $0.punchCursor = cursor } }
    return try freeSpace.runsToReturn(count: Compactor.punchCountMax, from: &cursor)
  }

  /// Punches holes into what has been withheld, and gives it back. The writer role is not held.
  ///
  /// - Returns: the bytes that the file system has again.
  private func punch(_ database: Database, _ withheld: WithheldRuns?) -> UInt64 {
    guard let withheld else { return 0 }
    defer { database.lockFile.unpin(withheld.pin) }
    let punch = HolePunch(file: database.file, mappings: database.mappings)
    let returned = punch.run(withheld.runs)
    if returned == 0, !withheld.runs.isEmpty { state.withLock { $0.cutPace.isSlow = true } }
    return returned
  }

  /// Cuts the free end of the file off, if need be piece by piece; other writers get their turn
  /// between them.
  ///
  /// The file gets shorter by at most a little more than `Compactor.cutSizeMax`; by less than that
  /// if there is no more to cut.
  ///
  /// - Returns: whether something keeps the end that there is.
  private func cutEnd(
    _ database: Database, _ progress: inout CompactionProgress
  ) throws(StorageError) -> Bool {
    var returned: UInt64 = 0
    var isHeldBack = false
    var pace = state.withLock { $0.cutPace }
    // Mostly there is nothing beyond the end, which is seen without the writer role.
    while returned < Compactor.cutSizeMax, try hasEnd(database) {
      let size = pace.size
      var cut: UInt64 = 0
      try holdingWriter(database) { (transaction) throws(StorageError) in
        let end = EndCut(writer: database.writer, lastCut: transaction.base.lastCut)
        isHeldBack = end.isHeldBack
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
    progress.bytesReturned += returned
    return isHeldBack
  }

  /// Whether the file is longer than its newest version.
  private func hasEnd(_ database: Database) throws(StorageError) -> Bool {
    let newest: PublishedVersion
    do { newest = try database.lockFile.newest() } catch { throw StorageError(error) }
    return try size(database) > newest.logicalSize
  }

  private func size(_ database: Database) throws(StorageError) -> UInt64 {
    do throws(SystemError) { return try database.file.size() } catch {
      throw StorageError(error, doing: "ask for the size of the file")
    }
  }

  /// Compacts until nothing more can be gained; other writers get their turn between steps.
  func compact(_ database: Database) throws(StorageError) -> CompactionProgress {
    var total = CompactionProgress()
    var fruitless = 0
    // What waits for the durable version only is of use from here on.
    try database.flush()
    var unflushed = 0
    var returns = 0
    let size = try size(database)
    let returnsMax = 16 + Int(size / (FreeSpace.returnSizeMin * UInt64(Compactor.punchCountMax)))
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
