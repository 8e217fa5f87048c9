/// Free runs whose blocks have been given back to the file system, so that it is not done again.
struct ReturnedRuns {
  private var runs: [Int: [Region.Run]] = [:]

  func contains(_ region: Int, _ run: Region.Run) -> Bool {
    runs[region]?.contains { $0.start <= run.start && run.end <= $0.end } ?? false
  }

  /// The blocks of a run, which lies in one region, have been given back.
  mutating func insert(_ extent: Extent) {
    let region = Int(extent.offset / Region.byteSize)
    let start = UInt32((extent.offset - UInt64(region) * Region.byteSize) / Region.unit)
    runs[region, default: []].append(
      Region.Run(start: start, length: UInt32(extent.length / Region.unit)))
  }

  /// A run is used again.
  mutating func forget(_ region: Int, _ run: Region.Run) {
    guard !runs.isEmpty, let known = runs[region] else { return }
    let kept = known.filter { $0.end <= run.start || run.end <= $0.start }
    runs[region] = kept.isEmpty ? nil : kept
  }
}

extension FreeSpace {
  /// Free runs whose blocks have not been given back yet, about `count` of them, of the regions
  /// from `cursor` on; moves the cursor.
  func runsToReturn(
    atLeast length: UInt64, count: Int, from cursor: inout Int
  ) throws(StorageError) -> [Extent] {
    let units = Int(length / Region.unit)
    let end = Int((logicalSize + Region.byteSize - 1) / Region.byteSize)
    var found: [Extent] = []
    var readsLeft = Self.returnReadsMax
    if cursor >= end { cursor = 0 }
    while cursor < end, found.count < count, readsLeft > 0 {
      let group = RegionTable.group(of: cursor)
      if Int(regions.groups[group].longest) < units {
        cursor = RegionTable.regions(of: group).upperBound
        continue
      }
      try read(group: group)
      if Int(regions.summaries[cursor].longest) >= units {
        if !regions.isRead[cursor] { readsLeft -= 1 }
        let base = UInt64(cursor) * Region.byteSize
        try read(region: cursor)
        for run in regions.regions[cursor].runs
        where Int(run.length) >= units && !returned.contains(cursor, run) {
          found.append(
            Extent(
              offset: base + UInt64(run.start) * Region.unit,
              length: UInt64(run.length) * Region.unit))
        }
      }
      cursor += 1
    }
    return found
  }

  private static var returnReadsMax: Int { 64 }
}
