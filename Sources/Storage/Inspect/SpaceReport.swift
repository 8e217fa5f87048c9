/// What the bytes of a file go to, below the object store. Together with what lies beyond the
/// logical size, every byte of the file is in exactly one of the parts.
public struct SpaceReport: Sendable {
  /// The newest version, which the figures are about.
  public var version = Version.zero
  public var fileBytes: UInt64 = 0
  /// The layer above's nodes.
  public var dataBytes: UInt64 = 0
  public var historyBytes: UInt64 = 0
  /// Commits, or runs of merged ones, whose log of changes is kept.
  public var historyEntries = 0
  /// Header and commit slots, the map of free space, the version's own node.
  public var bookkeepingBytes: UInt64 = 0
  /// What may be used again at once, and what lies beyond the logical size.
  public var freeBytes: UInt64 = 0
  /// What waits for an older version that is pinned, or for the next flush.
  public var waitingBytes: UInt64 = 0
  /// Every pinned version with the bytes that it alone keeps from being used again.
  public var retainedBytes: [Version: UInt64] = [:]
}

/// Adds up what the bytes of one version's file go to.
struct SpaceSurvey {
  let snapshot: Snapshot
  let fileBytes: UInt64
  /// The versions that are pinned now, by any process.
  let pinned: Set<Version>
  let durableVersion: Version

  func run() throws(StorageError) -> SpaceReport {
    var report = SpaceReport()
    report.version = snapshot.version
    report.fileBytes = fileBytes
    try addHistory(to: &report)
    var size = TreeSize(in: snapshot.source)
    report.bookkeepingBytes =
      UInt64(FileLayout.firstNode)
      + UInt64(snapshot.source.footprint(of: try snapshot.source.node(snapshot.node)))
      + (try size.bytes(below: snapshot.freeSpace))
    try addFreeSpace(to: &report)
    let accounted =
      report.historyBytes + report.bookkeepingBytes + report.freeBytes + report.waitingBytes
    report.dataBytes = report.fileBytes > accounted ? report.fileBytes - accounted : 0
    return report
  }

  private func addHistory(to report: inout SpaceReport) throws(StorageError) {
    var size = TreeSize(in: snapshot.source)
    report.historyBytes = try size.bytes(below: snapshot.history)
    if snapshot.history.isNone { return }
    report.historyEntries = try snapshot.source.node(snapshot.history).count
  }

  private func addFreeSpace(to report: inout SpaceReport) throws(StorageError) {
    let readers = pinned.union([snapshot.version]).sorted()
    let needed = pinned.union([snapshot.version, durableVersion]).sorted()
    for version in pinned { report.retainedBytes[version] = 0 }
    let walk = try FreeSpaceWalk(snapshot, pins: readers, durable: durableVersion)
    try walk.forEach { entry in
      guard let range = entry.neededBy else {
        report.freeBytes += entry.extent.length
        return
      }
      report.waitingBytes += entry.extent.length
      let keepers = needed.filter { range.contains($0) }
      if keepers.count == 1 { report.retainedBytes[keepers[0]]? += entry.extent.length }
    }
    if report.fileBytes > snapshot.logicalSize {
      report.freeBytes += report.fileBytes - snapshot.logicalSize
    }
  }
}
