/// When compaction pays, and how much one step of it does.
///
/// Space is given back while the file is in use. A step looks for live nodes near the end of the
/// file in a pinned version, without the writer role; then it takes the role for a bounded amount
/// of work: it moves what it found into holes nearer to the start, as a commit of its own. The same
/// commit withholds long free runs, into which holes are punched without the role, and lowers the
/// end of the file as far as there are holes; what is beyond is cut off once nothing pinned reaches
/// there. What a node means plays no part: its references are at a known place.
enum Compactor {
  /// Bytes of nodes that one step moves. Scattered holes take a call each, and a disk that is slow
  /// or busy makes them long. A kernel with 250 ticks in a second may let another thread run for
  /// four milliseconds in between, and that has to be all.
  static let movePace = HoldPace(
    nanoseconds: 200_000...600_000, sizes: (8 << 10)...(64 << 10))
  /// Bytes that a step moves when a caller waits for compaction.
  static let forcedBudget = 1 << 20
  /// Records of regions that one step moves, and how many where a caller waits.
  static let regionsMax = 16
  static let forcedRegionsMax = 256
  /// Bytes that are moved between two flushes then.
  static let flushedBudget = 16 << 20
  /// Runs, each of one region, that one step withholds.
  static let punchCountMax = 32
  /// How much of the file's end goes in one step.
  static let cutSizeMax: UInt64 = 64 << 20
  private static let wasteMin: UInt64 = 1 << 20

  /// Whether so much is free, or will be once the last commit is superseded, that work on it pays.
  static func isWorthwhile(_ freeSpace: FreeSpace) -> Bool {
    let free = freeSpace.freeBytes
    guard free > wasteMin else { return false }
    let live = freeSpace.liveBytes
    return free > max(wasteMin, live / 2)
  }

  /// Whether moving nodes would make the file much smaller.
  static func canMove(_ freeSpace: FreeSpace) -> Bool {
    freeSpace.reusableBytes > max(wasteMin, freeSpace.liveBytes / 2)
  }

  /// Whether much of what is free waits for pinned versions.
  static func isHeldBack(_ freeSpace: FreeSpace) -> Bool {
    freeSpace.freeBytes > freeSpace.reusableBytes + wasteMin
  }

  /// After a search that gained nothing the next one is for when so many versions have been
  /// committed, or so much more can be used.
  static let retryVersions: UInt64 = 1000
  static let retryBytes: UInt64 = 1 << 20

  /// Beyond this nothing should lie.
  static func boundary(_ freeSpace: FreeSpace) -> UInt64 {
    let used = freeSpace.logicalSize - min(freeSpace.logicalSize, freeSpace.reusableBytes)
    return used + used / 16 + 65536
  }
}
