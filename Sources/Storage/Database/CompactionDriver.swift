import Coordination
import Platform

/// What a compaction step did.
public struct CompactionProgress: Sendable {
  /// Bytes of nodes that were moved towards the start.
  public var bytesMoved = 0
  /// Bytes that went back to the file system, as holes or by cutting the file.
  public var bytesReturned: UInt64 = 0
  /// Whether another step would find something to do.
  public var hasMore = false
  /// Whether there is much to gain that pinned versions hold back: worth another look later.
  public var isHeldBack = false
  /// Whether a search through the whole tree has come to its end without making the file smaller.
  var isFruitless = false
}

/// Where compaction goes on.
struct CompactionState {
  var cursor: [Int] = []
  /// The size of the file when the search began at the start of the tree; 0: it has not begun.
  var sizeAtPassStart: UInt64 = 0
  /// The region after the last one in which holes were punched.
  var punchCursor = 0
  /// What there was when a search came to its end without making the file smaller.
  var fruitless: Fruitless?

  struct Fruitless {
    var version: UInt64
    var reusableBytes: UInt64

    /// Whether another search would find the same: not much has been committed since, nor unpinned
    /// by readers.
    func isStill(_ freeSpace: FreeSpace) -> Bool {
      freeSpace.version < version + Compactor.retryVersions
        && freeSpace.reusableBytes < reusableBytes + Compactor.retryBytes
    }
  }
}

extension Database {
  /// Does a bounded piece of compaction. The writer role is taken for a few milliseconds at most,
  /// and not for a flush.
  ///
  /// - Throws: what a commit throws.
  @discardableResult
  public func compactStep(force: Bool = false) throws(StorageError) -> CompactionProgress {
    try step(force: force, flushes: force || isDurableByItself)
  }

  private var isDurableByItself: Bool {
    options.durability == .full || options.durability == .strict
  }

  /// - Parameter flushes: whether what the step wrote is flushed; what it moved away from is of use
  ///   only after that.
  private func step(
    force: Bool, flushes: Bool
  ) throws(StorageError) -> CompactionProgress {
    var progress = CompactionProgress()
    var boundary: UInt64?
    var isWorthwhile = false
    var isWaiting = false
    try holdingWriter { (transaction) throws(StorageError) in
      let freeSpace = writerState.freeSpace
      isWorthwhile = Compactor.isWorthwhile(freeSpace)
      let isInVain = compaction.withLock { $0.fruitless?.isStill(freeSpace) ?? false }
      if force || Compactor.canMove(freeSpace) && !isInVain {
        boundary = Compactor.boundary(freeSpace)
      }
      isWaiting = Compactor.isHeldBack(freeSpace)
      progress.bytesReturned = try returnSpace(transaction)
    }
    guard let boundary else {
      progress.hasMore =
        isWorthwhile && progress.bytesReturned > 0
        || progress.bytesReturned >= Compactor.cutSizeMax
      progress.isHeldBack = isWorthwhile && isWaiting && !progress.hasMore
      return progress
    }
    try moveNodes(
      beyond: boundary, budget: force ? Compactor.forcedBudget : Compactor.budget, &progress)
    let isWorking = !progress.isFruitless
    if flushes { try flush() }
    try holdingWriter { (transaction) throws(StorageError) in
      let returned = try returnSpace(transaction)
      progress.bytesReturned += returned
      let canMove = Compactor.canMove(writerState.freeSpace)
      // The end of a file goes in pieces.
      progress.hasMore = isWorking && canMove || returned >= Compactor.cutSizeMax
      progress.isHeldBack =
        !isWorking && canMove && Compactor.isHeldBack(writerState.freeSpace)
      if progress.isFruitless { noteFruitless(writerState.freeSpace) }
    }
    return progress
  }

  private func noteFruitless(_ freeSpace: FreeSpace) {
    let now = CompactionState.Fruitless(
      version: freeSpace.version, reusableBytes: freeSpace.reusableBytes)
    compaction.withLock { $0.fruitless = now }
  }

  /// Runs `body` in a transaction that is not committed, with the free space of the newest version.
  private func holdingWriter(
    _ body: (WriteTransaction) throws(StorageError) -> Void
  ) throws(StorageError) {
    let transaction = try beginWrite()
    let hold = CompactionStatistics.Hold()
    defer {
      transaction.cancel()
      compactionStatistics.end(hold)
    }
    try transaction.refreshFreeSpace()
    try body(transaction)
  }

  // MARK: Moving

  /// Moves some of what lies beyond the boundary.
  private func moveNodes(
    beyond boundary: UInt64, budget: Int, _ progress: inout CompactionProgress
  ) throws(StorageError) {
    var state = compaction.withLock { $0 }
    let targets = try findTargets(beyond: boundary, budget: budget, &state)
    let transaction = try beginWrite()
    let hold = CompactionStatistics.Hold()
    defer { compactionStatistics.end(hold) }
    let moved: Int
    let sizeAfter: UInt64
    if state.sizeAtPassStart == 0 {
      state.sizeAtPassStart = transaction.base.published.logicalSize
    }
    do throws(StorageError) {
      try transaction.refreshFreeSpace()
      let fitting = try writerState.freeSpace.fitting(targets, below: boundary)
      var relocation = Relocation(writer: transaction.writer)
      transaction.root = try relocation.move(fitting, below: transaction.root)
      moved = relocation.moved
      // Committed even when nothing moved, so that a free end of the file is cut off, and the nodes
      // of the free space and the history go where they should.
      let committed = try transaction.commitCompaction(
        boundary: boundary, durability: options.durability == .inMemory ? .inMemory : .relaxed)
      sizeAfter = committed.logicalSize
      committed.release()
    } catch {
      transaction.cancel()
      throw error
    }
    progress.bytesMoved += moved
    // A pass that has not made the file smaller would be repeated for nothing: what it moved went
    // from one place near the end to another.
    let isPassOver = state.cursor.isEmpty
    progress.isFruitless = isPassOver && sizeAfter >= state.sizeAtPassStart
    if isPassOver { state.sizeAtPassStart = 0 }
    compaction.withLock { [state] current in
      current.cursor = state.cursor
      current.sizeAtPassStart = state.sizeAtPassStart
    }
  }

  /// Reads the newest version without the writer role.
  private func findTargets(
    beyond boundary: UInt64, budget: Int, _ state: inout CompactionState
  ) throws(StorageError) -> [RelocationScan.Target] {
    let snapshot = try pinNewest()
    defer { snapshot.release() }
    var scan = RelocationScan(
      source: snapshot.source, boundary: boundary, budget: budget, cursor: state.cursor)
    try scan.run(snapshot.root)
    state.cursor = scan.cursor
    return scan.targets
  }

  // MARK: Giving back

  /// Punches holes into long free runs and cuts the end of the file. The writer role is held.
  private func returnSpace(_ transaction: WriteTransaction) throws(StorageError) -> UInt64 {
    let freeSpace = writerState.freeSpace
    var state = compaction.withLock { $0 }
    let runs = try freeSpace.runsToReturn(
      atLeast: Compactor.punchSizeMin, count: Compactor.punchCountMax, from: &state.punchCursor)
    compaction.withLock { [cursor = state.punchCursor] in $0.punchCursor = cursor }
    var returned: UInt64 = 0
    let deadline = system.now() + Compactor.holdNanosecondsMax
    do throws(SystemError) {
      returned += try cutFile(transaction)
      for run in runs where system.now() <= deadline {
        returned += try punch(run)
      }
    } catch {
      throw StorageError(error, doing: "give space back to the file system")
    }
    return returned
  }

  /// A file system that cannot punch holes keeps the blocks; the file can be cut all the same.
  private func punch(_ run: Extent) throws(SystemError) -> UInt64 {
    let start = (run.offset + 4095) & ~4095
    let end = run.end & ~4095
    guard start < end else { return 0 }
    writerState.freeSpace.returned.insert(run)
    forgetDecrypted(offset: start, length: end - start)
    do throws(SystemError) {
      try file.punchHole(offset: start, length: end - start)
    } catch {
      return 0
    }
    return end - start
  }

  /// Cuts what lies beyond the logical size, once no version that a reader has or that recovery
  /// may fall back to reaches there: those are the ones before the last cut.
  private func cutFile(_ transaction: WriteTransaction) throws(SystemError) -> UInt64 {
    let lastCut = transaction.base.lastCut
    guard lastCut > 0, lockFile.durableVersion >= lastCut,
      writerState.pins.allSatisfy({ $0 >= lastCut })
    else { return 0 }
    let size = try file.size()
    let target = max(
      writerState.freeSpace.logicalSize, size - min(size, Compactor.cutSizeMax))
    guard size > target else { return 0 }
    try file.truncate(to: target)
    let start = (target + 4095) & ~4095
    if size > start { forgetDecrypted(offset: start, length: size - start) }
    return size - target
  }

  /// Compacts until nothing more can be gained; other writers get their turn between steps.
  public func compact() throws(StorageError) -> CompactionProgress {
    var total = CompactionProgress()
    var fruitless = 0
    // What waits for the durable version only is of use from here on.
    try flush()
    var unflushed = 0
    var returns = 0
    let size: UInt64
    do throws(SystemError) { size = try file.size() } catch {
      throw StorageError(error, doing: "ask for the size of the file")
    }
    let returnsMax = 16 + Int(size / (Compactor.punchSizeMin * UInt64(Compactor.punchCountMax)))
    // What a search moves is free for the next one only when it has been flushed, so the second may
    // gain what the first could not. A third finds what the second found.
    var isReturning = false
    while fruitless < 3 || isReturning {
      let step = try step(
        force: true, flushes: unflushed >= Compactor.flushedBudget || fruitless > 0)
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
    try flush()
    return total
  }
}

extension FreeSpace {
  /// Which of the targets find a hole before the boundary, if they are placed in order: to move the
  /// others would only take them from one place near the end to another.
  fileprivate func fitting(
    _ targets: [RelocationScan.Target], below boundary: UInt64
  ) throws(StorageError) -> [RelocationScan.Target] {
    var holes: [Extent] = []
    var fitting: [RelocationScan.Target] = []
    for target in targets {
      guard let hole = try takeBest(fitting: target.byteSize, below: boundary) else { continue }
      holes.append(hole)
      fitting.append(target)
    }
    for hole in holes { try add(hole) }
    return fitting
  }
}
