/// What compaction asks of a commit, and what the commit did of it.
///
/// Long free runs are withheld: the commit, of version v, takes them out of free space and frees
/// them again in the same breath, as if version v - 1 had been in them. So nobody uses them, in any
/// process, as long as somebody has v - 1 pinned; when nobody has, they are free, and there is
/// nothing to tidy up after a crash. Whoever keeps that pin may give their blocks back without the
/// role.
///
/// Belongs to a transaction; the writer role is held.
final class CompactionCommit {
  /// Nodes go below here while they fit.
  let boundary: UInt64
  /// Free runs to withhold, as far as the commit itself does not use them. Each lies in a region.
  let runs: [Extent]
  /// How many regions' records it moves.
  let regionsMax: Int
  /// Whether it has moved so many, and there may be more to move.
  var movesMore = false
  /// What has been withheld.
  private(set) var withheld: [Extent] = []
  /// What the version no longer has at its end.
  private(set) var cut: Extent?

  private static let sizeMin: UInt64 = 4096

  init(boundary: UInt64, runs: [Extent], regionsMax: Int) {
    self.boundary = boundary
    self.runs = runs
    self.regionsMax = regionsMax
  }

  /// The operations that recording what is withheld takes.
  var operationsMax: Int { 2 * runs.count }

  /// For the time when all nodes have their places.
  func reserve(from placement: inout Placement) throws(StorageError) {
    let freeSpace = placement.freeSpace
    cut = try placement.cutTail()
    for run in runs {
      guard let rest = try freeSpace.takeRest(of: run, atLeast: Self.sizeMin) else {
        continue
      }
      try freeSpace.noteReturned(rest)
      withheld.append(rest)
    }
  }
}
