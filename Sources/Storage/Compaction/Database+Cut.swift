import Platform

/// How much of a file's end is cut off at once.
///
/// A file system drops the pages and blocks of what is cut while no other process can write; with
/// some, ten megabytes take a millisecond, with some a quarter of one. Each call has a cost of its
/// own. So a piece is as large as the last ones have shown that it may be.
struct CutPace {
  private(set) var size: UInt64 = 1 << 20

  private static let nanosecondsMin: UInt64 = 1_000_000
  private static let nanosecondsMax: UInt64 = 4_000_000
  private static let sizes: ClosedRange<UInt64> = (256 << 10)...Compactor.cutSizeMax

  /// Called when a piece has been cut off that was as large as it might be.
  mutating func note(nanoseconds: UInt64) {
    if nanoseconds > Self.nanosecondsMax { size = max(size / 2, Self.sizes.lowerBound) }
    if nanoseconds < Self.nanosecondsMin { size = min(size * 2, Self.sizes.upperBound) }
  }
}

extension Database {
  /// Cuts the free end of the file off, piece by piece; other writers get their turn between them.
  ///
  /// - Returns: the bytes that the file is shorter, at most a little more than
  ///   `Compactor.cutSizeMax`; less than that if there is no more to cut.
  func cutEnd() throws(StorageError) -> UInt64 {
    var returned: UInt64 = 0
    var pace = compaction.withLock { $0.cutPace }
    while returned < Compactor.cutSizeMax {
      let size = pace.size
      var cut: UInt64 = 0
      try holdingWriter { (transaction) throws(StorageError) in
        let start = system.now()
        do throws(SystemError) { cut = try cutFile(transaction, atMost: size) } catch {
          throw StorageError(error, doing: "give space back to the file system")
        }
        if cut == size { pace.note(nanoseconds: system.now() &- start) }
      }
      returned += cut
      if cut < size { break }
    }
    compaction.withLock { [pace] in $0.cutPace = pace }
    return returned
  }

  /// Cuts what lies beyond the logical size, once no version that a reader has or that recovery
  /// may fall back to reaches there: those are the ones before the last cut.
  private func cutFile(
    _ transaction: WriteTransaction, atMost piece: UInt64
  ) throws(SystemError) -> UInt64 {
    let lastCut = transaction.base.lastCut
    guard lastCut > 0, lockFile.durableVersion >= lastCut,
      writerState.pins.allSatisfy({ $0 >= lastCut })
    else { return 0 }
    let size = try file.size()
    let target = max(writerState.freeSpace.logicalSize, size - min(size, piece))
    guard size > target else { return 0 }
    try file.truncate(to: target)
    let start = (target + 4095) & ~4095
    if size > start { forgetDecrypted(offset: start, length: size - start) }
    return size - target
  }
}
