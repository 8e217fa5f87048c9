import Coordination

extension Database {
  /// Checks the newest version and every pinned one, on a file in use: all checksums, that no byte
  /// is used twice, and that each byte is exactly one of live, reusable, or waiting for a version.
  /// The layers above add what their nodes mean.
  public func verify() throws(StorageError) -> VerifyReport {
    let snapshot = try pinNewest()
    defer { snapshot.release() }
    var report = VerifyReport()
    let newest = walk(snapshot.node, snapshot.source, version: snapshot.version, into: &report)
    report.logicalSize = snapshot.logicalSize
    report.nodeCount = newest.count
    report.liveBytes = newest.reduce(0) { $0 + $1.length }
    let entries = try freeSpaceEntries(snapshot)
    checkPartition(newest, entries, snapshot: snapshot, report: &report)
    try checkPinned(newest, entries, newest: snapshot.version, report: &report)
    report.versions.append(snapshot.version)
    return report
  }

  private func walk(
    _ root: NodeReference, _ source: NodeSource, version: UInt64, into report: inout VerifyReport
  ) -> [Extent] {
    var walk = TreeWalk(source: source, version: version)
    walk.visit(root)
    for finding in walk.findings { report.add(finding.message, at: finding.offset) }
    return walk.extents.sorted { $0.offset < $1.offset }
  }

  /// The free space as the snapshot records it, nothing released, in order.
  private func freeSpaceEntries(
    _ snapshot: Snapshot
  ) throws(StorageError) -> [FreeSpaceWalk.Entry] {
    var entries: [FreeSpaceWalk.Entry] = []
    try FreeSpaceWalk(snapshot).forEach { entries.append($0) }
    return entries
  }

  /// Live nodes and free entries, sorted, must cover the file without gap or overlap.
  private func checkPartition(
    _ live: [Extent], _ entries: [FreeSpaceWalk.Entry], snapshot: Snapshot,
    report: inout VerifyReport
  ) {
    var parts = live.map { (extent: $0, isLive: true) }
    for entry in entries {
      parts.append((entry.extent, false))
      if entry.neededBy == nil {
        report.reusableBytes += entry.extent.length
      } else {
        report.waitingBytes += entry.extent.length
      }
    }
    parts.sort { $0.extent.offset < $1.extent.offset }
    var place = UInt64(FileLayout.firstNode)
    for part in parts {
      let name = part.isLive ? "a live node" : "a free run"
      if part.extent.offset < place {
        report.add("\(name) overlaps what ends at byte \(place)", at: part.extent.offset)
      } else if part.extent.offset > place {
        report.add(
          "\(part.extent.offset - place) bytes are neither live nor free", at: place)
      }
      place = max(place, part.extent.end)
    }
    if place != snapshot.logicalSize {
      report.add("the last part ends at byte \(place), the file at \(snapshot.logicalSize)")
    }
  }

  private func checkPinned(
    _ live: [Extent], _ entries: [FreeSpaceWalk.Entry], newest: UInt64, report: inout VerifyReport
  ) throws(StorageError) {
    let liveSet = Set(live)
    for pin in pins() where pin.version != newest && pin.isAlive {
      if report.versions.contains(pin.version) { continue }
      let mapping = try mapping(covering: pin.published.logicalSize)
      let source = NodeSource(mapping: mapping, limit: pin.published.logicalSize)
      var part = VerifyReport()
      let reached = walk(
        NodeReference(rawValue: pin.published.root), source, version: pin.version, into: &part)
      checkKept(reached, liveSet, entries, version: pin.version, report: &part)
      // What was let go of meanwhile may have been reused under the walk: that says nothing.
      guard pins().contains(where: { $0.version == pin.version && $0.isAlive }) else { continue }
      for finding in part.findings {
        report.add("version \(pin.version): \(finding.message)", at: finding.offset)
      }
      report.versions.append(pin.version)
    }
    report.versions.sort()
  }

  /// Every node of a pinned version is live still, or waits for just that version.
  private func checkKept(
    _ reached: [Extent], _ live: Set<Extent>, _ entries: [FreeSpaceWalk.Entry], version: UInt64,
    report: inout VerifyReport
  ) {
    var waiting: [FreeSpaceWalk.Entry] = []
    // A node may lie on the border of two regions, each of which has a part of it.
    for entry in entries where entry.neededBy?.contains(version) ?? false {
      if let last = waiting.last, last.extent.end == entry.extent.offset {
        waiting[waiting.count - 1].extent.length += entry.extent.length
      } else {
        waiting.append(entry)
      }
    }
    for extent in reached where !live.contains(extent) {
      var low = 0
      var high = waiting.count
      while low < high {
        let middle = (low + high) / 2
        if waiting[middle].extent.offset <= extent.offset {
          low = middle + 1
        } else {
          high = middle
        }
      }
      if low == 0 || waiting[low - 1].extent.end < extent.end {
        report.add("a node that the version needs may be reused", at: extent.offset)
      }
    }
  }
}
