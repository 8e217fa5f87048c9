/// One run of `Database.verify`.
struct Verification {
  private(set) var report = VerifyReport()
  /// Ascending, the newest last.
  private let versions: [Snapshot]
  private let newest: Snapshot

  /// Places whose findings are looked for in detail, at most.
  private static let gapsMax = 16
  /// Extents that are kept for that, at most.
  private static let partsMax = 1 << 20
  /// Bytes of nodes between two calls of `progress`.
  private static let progressStep: UInt64 = 64 << 20

  init(versions: [Snapshot]) {
    self.versions = versions
    newest = versions[versions.count - 1]
  }

  mutating func run(_ progress: (VerifyProgress) -> Void) throws(StorageError) {
    report.logicalSize = newest.logicalSize
    var known: CellSet?
    if versions.count > 1 { known = try cells() }
    var coverage = Coverage(UInt64(FileLayout.firstNode)..<newest.logicalSize)
    walk(newest, number: versions.count, known: nil, progress) { (extent, report) in
      known?.insert(extent.offset)
      report.liveBytes += extent.length
      report.nodeCount += 1
      _ = coverage.add(extent)
    }
    try forEachFreeRun { (extent, neededBy, report) in
      if neededBy == nil {
        report.reusableBytes += extent.length
      } else {
        report.waitingBytes += extent.length
      }
      if !coverage.add(extent) { report.add("a free run beyond the file", at: extent.offset) }
    }
    try tellGaps(coverage.gaps(max: Self.gapsMax))
    for (index, snapshot) in versions.dropLast().enumerated() {
      try check(snapshot, number: index + 1, known: known!, progress)
    }
    report.versions = versions.map(\.version)
  }

  private func cells() throws(StorageError) -> CellSet {
    let limit = versions.reduce(0) { max($0, $1.logicalSize) }
    do { return try CellSet(limit: limit) } catch {
      throw StorageError(error, doing: "get memory for what has been verified")
    }
  }

  private mutating func walk(
    _ snapshot: Snapshot, number: Int, known: CellSet?, _ progress: (VerifyProgress) -> Void,
    _ body: (Extent, inout VerifyReport) -> Void
  ) {
    var state = VerifyProgress(
      version: snapshot.version, versionNumber: number, versionCount: versions.count, bytesDone: 0,
      bytesTotal: snapshot.logicalSize)
    var reported: UInt64 = 0
    var report = report
    let prefix = snapshot === newest ? "" : "version \(snapshot.version): "
    var findings: [(UInt64, String)] = []
    var walk = TreeWalk(source: snapshot.source, version: snapshot.version, known: known)
    walk.visit(snapshot.node) { (offset, message) in
      if findings.count <= VerifyReport.findingsMax { findings.append((offset, prefix + message)) }
    } _: { extent in
      body(extent, &report)
      state.bytesDone += extent.length
      if state.bytesDone - reported >= Self.progressStep {
        reported = state.bytesDone
        progress(state)
      }
    }
    for (offset, message) in findings { report.add(message, at: offset) }
    self.report = report
    state.bytesTotal = state.bytesDone
    progress(state)
  }

  /// The free space as the newest version records it, nothing released.
  private mutating func forEachFreeRun(
    _ body: (Extent, Range<Version>?, inout VerifyReport) -> Void
  ) throws(StorageError) {
    var report = report
    try FreeSpaceWalk(newest).forEach { body($0.extent, $0.neededBy, &report) }
    self.report = report
  }

  // MARK: What is wrong where

  private struct Part {
    var extent: Extent
    var isLive: Bool
  }

  /// Walks once more, for the parts of the file that nodes and free runs do not cover exactly.
  private mutating func tellGaps(_ gaps: [Extent]) throws(StorageError) {
    if gaps.isEmpty { return }
    var parts: [Part] = []
    func add(_ extent: Extent, isLive: Bool) {
      if parts.count < Self.partsMax,
        gaps.contains(where: { extent.offset < $0.end && $0.offset < extent.end })
      {
        parts.append(Part(extent: extent, isLive: isLive))
      }
    }
    var walk = TreeWalk(source: newest.source, version: newest.version)
    walk.visit(newest.node) { (_, _) in
    } _: {
      add($0, isLive: true)
    }
    try forEachFreeRun { (extent, _, _) in add(extent, isLive: false) }
    parts.sort { $0.extent.offset < $1.extent.offset }
    for gap in gaps { tell(gap, parts) }
  }

  private mutating func tell(_ gap: Extent, _ parts: [Part]) {
    var place = max(gap.offset, UInt64(FileLayout.firstNode))
    for part in parts where part.extent.offset < gap.end && gap.offset < part.extent.end {
      let name = part.isLive ? "a live node" : "a free run"
      if part.extent.offset < place {
        if part.extent.offset >= gap.offset {
          report.add("\(name) overlaps what ends at byte \(place)", at: part.extent.offset)
        }
      } else if part.extent.offset > place {
        report.add(
          "\(part.extent.offset - place) bytes are neither live nor free", at: place)
      }
      place = max(place, part.extent.end)
    }
    let end = min(gap.end, newest.logicalSize)
    if place < end {
      report.add("\(end - place) bytes are neither live nor free", at: place)
    }
  }

  // MARK: Older versions

  /// Every node of a pinned version is live still, or waits for just that version.
  private mutating func check(
    _ snapshot: Snapshot, number: Int, known: CellSet, _ progress: (VerifyProgress) -> Void
  ) throws(StorageError) {
    let kept = try cells()
    try forEachFreeRun { (extent, neededBy, _) in
      if neededBy?.contains(snapshot.version) ?? false { kept.insert(extent) }
    }
    walk(snapshot, number: number, known: known, progress) { (extent, report) in
      if !kept.containsAll(extent) {
        report.add(
          "version \(snapshot.version): a node that the version needs may be reused",
          at: extent.offset)
      }
    }
  }
}
