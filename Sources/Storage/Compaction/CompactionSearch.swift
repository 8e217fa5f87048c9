/// Where the search for nodes to move is, and whether it makes the file smaller.
///
/// A pass goes through the whole tree. One that has not made the file smaller would be repeated for
/// nothing: what it moved went from one place near the end to another. What it moved away from is
/// free after the commits that moved it, so the next pass is the first to know.
struct CompactionSearch {
  /// Where the pass goes on; empty: the next step begins one.
  var cursor: [Int] = []
  /// `FreeSpace.usedEnd` when the pass began; nil where none has begun with this boundary.
  private var endAtPassStart: UInt64?
  /// Bytes that have been moved since.
  private var movedInPass = 0
  /// Whether records of free space have been moved since that may not be the last to move.
  private var movesRecords = false
  /// How often the boundary has been raised.
  private var raises = 0
  /// `FreeSpace.usedEnd` when the first pass began with the lowest boundary.
  private var endAtFirst: UInt64?

  /// Beyond 7/8 of the way from the live data's size to the end nothing is worth a search.
  private static let raisesMax = 3

  /// Where nodes are moved from: what would be the end if they filled all holes. The holes before
  /// it may be too short for what lies beyond; then those halfway to the end do for a part of it.
  func boundary(_ freeSpace: FreeSpace) -> UInt64 {
    var boundary = Compactor.boundary(freeSpace)
    guard boundary < freeSpace.logicalSize else { return boundary }
    for _ in 0..<raises { boundary += (freeSpace.logicalSize - boundary) / 2 }
    return boundary
  }

  /// What became of a pass.
  enum Outcome {
    case goesOn
    /// None with a higher boundary is left either.
    case isFruitless
  }

  /// At the start of a pass. The writer role is held.
  ///
  /// - Returns: nil if the last pass has gained something, or was none.
  mutating func beginPass(_ freeSpace: FreeSpace) throws(StorageError) -> Outcome? {
    let end = try freeSpace.usedEnd()
    if let before = endAtPassStart, end >= before { return endInVain(end) }
    if endAtFirst == nil { endAtFirst = end }
    endAtPassStart = end
    movedInPass = 0
    movesRecords = false
    return nil
  }

  /// At the end of a step.
  mutating func note(moved: Int, movesRecords: Bool) -> Outcome {
    movedInPass += moved
    self.movesRecords = self.movesRecords || movesRecords
    guard cursor.isEmpty, movedInPass == 0, !self.movesRecords else { return .goesOn }
    return endInVain(endAtPassStart ?? 0)
  }

  /// What moved with a raised boundary left room for more: where that made the file smaller, it
  /// begins again with the lowest.
  private mutating func endInVain(_ end: UInt64) -> Outcome {
    let (raises, first) = (raises, endAtFirst ?? end)
    self = CompactionSearch()
    if raises < Self.raisesMax {
      self.raises = raises + 1
      endAtFirst = first
      return .goesOn
    }
    return end < first - first / 8 ? .goesOn : .isFruitless
  }
}
