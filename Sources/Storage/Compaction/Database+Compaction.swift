import Platform

/// What a compaction step did.
public struct CompactionProgress: Sendable {
  /// Bytes of nodes that were moved towards the start.
  public var bytesMoved = 0
  /// Bytes that went back to the file system, as holes or by cutting the file.
  public var bytesReturned: UInt64 = 0
  /// Whether another step would find something to do.
  public var hasMore = false
}

extension Database {
  /// Does a bounded piece of compaction: takes the writer lock for some milliseconds at most.
  ///
  /// - Throws: what a commit throws.
  @discardableResult
  public func compactStep(force: Bool = false) throws(StorageError) -> CompactionProgress {
    var progress = CompactionProgress()
    let transaction = try beginWrite()
    do throws(StorageError) {
      try transaction.refreshFreeSpace()
      let state = writerState
      if force || Compactor.canMove(state.freeSpace) {
        return try moveNodes(transaction, force: force)
      }
      progress.bytesReturned = try returnSpace()
      progress.hasMore = Compactor.isWorthwhile(state.freeSpace)
      transaction.cancel()
    } catch {
      transaction.cancel()
      throw error
    }
    return progress
  }

  private func moveNodes(
    _ transaction: WriteTransaction, force: Bool
  ) throws(StorageError) -> CompactionProgress {
    var progress = CompactionProgress()
    let state = writerState
    let used = state.freeSpace.logicalSize - state.freeSpace.reusable.total
    let boundary = used + used / 16 + 65536
    var relocation = Relocation(
      writer: transaction.writer, boundary: boundary, budget: Compactor.budget,
      cursor: state.compactionCursor)
    transaction.root = try relocation.run(transaction.root)
    state.compactionCursor = relocation.cursor
    progress.bytesMoved = relocation.moved
    let sizeBefore = state.freeSpace.logicalSize
    let isStuck = relocation.moved == 0 && relocation.isComplete
    // Committed even when nothing moved, so that a free end of the file is cut off.
    let isLogInTheWay = try transaction.freeSpaceLogReaches(boundary)
    let isWorking = !isStuck || state.freeSpace.hasFreeEnd || isLogInTheWay
    if isWorking {
      let version = transaction.version
      _ = try transaction.commitCompaction(boundary: boundary)
      if writerState.freeSpace.logicalSize < sizeBefore { state.cutVersion = version }
    } else {
      transaction.cancel()
    }
    progress.bytesReturned = try whileWriting { () throws(StorageError) in try returnSpace() }
    progress.hasMore = isWorking && Compactor.canMove(state.freeSpace)
    return progress
  }

  private func whileWriting<R>(
    _ body: () throws(StorageError) -> R
  ) throws(StorageError) -> R {
    let transaction = try beginWrite()
    defer { transaction.cancel() }
    try transaction.refreshFreeSpace()
    return try body()
  }

  /// Punches holes into long free runs and cuts the end of the file. The writer lock is held.
  private func returnSpace() throws(StorageError) -> UInt64 {
    let state = writerState
    var returned: UInt64 = 0
    do {
      for run in state.freeSpace.runsToReturn(atLeast: Compactor.punchSizeMin) {
        let start = (run.offset + 4095) & ~4095
        let end = run.end & ~4095
        guard start < end else { continue }
        try file.punchHole(offset: start, length: end - start)
        state.freeSpace.markReturned(run)
        returned += end - start
      }
      returned += try cutFile()
    } catch {
      throw StorageError(error, doing: "give space back to the file system")
    }
    return returned
  }

  /// Cuts what lies beyond the logical size, once no version that anybody reads or that recovery
  /// may fall back to reaches there.
  private func cutFile() throws(SystemError) -> UInt64 {
    let state = writerState
    guard let cutVersion = state.cutVersion else { return 0 }
    lockFile.pinnedVersions(into: &state.pins)
    guard lockFile.durableVersion >= cutVersion,
      state.pins.allSatisfy({ $0 >= cutVersion })
    else { return 0 }
    let size = try file.size()
    let target = state.freeSpace.logicalSize
    state.cutVersion = nil
    guard size > target else { return 0 }
    try file.truncate(to: target)
    return size - target
  }

  /// Compacts until nothing more can be gained; other writers get their turn between steps.
  public func compact() throws(StorageError) -> CompactionProgress {
    var total = CompactionProgress()
    var idle = 0
    while idle < 3 {
      let step = try compactStep(force: true)
      total.bytesMoved += step.bytesMoved
      total.bytesReturned += step.bytesReturned
      idle = step.bytesMoved == 0 && step.bytesReturned == 0 ? idle + 1 : 0
    }
    return total
  }
}
