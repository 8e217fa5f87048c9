/// What of the free space compaction gives back to the file system.
extension FreeSpace {
  /// What of a free run is worth a hole, at least.
  static var returnSizeMin: UInt64 { 65536 }
  private static var pageSize: UInt64 { 4096 }
  private static var returnReadsMax: Int { 64 }

  /// Free runs, ascending, each of one region, whose blocks have not been given back yet: those
  /// that the file ends with, then those of the regions from `cursor` on, which moves. No more than
  /// half of what may be used: writers find room while these are withheld.
  func runsToReturn(count: Int, from cursor: inout Int) throws(StorageError) -> [Extent] {
    var bytesLeft = reusableBytes / 2
    var found: [Extent] = []
    /// Whether there may be more.
    func add(_ run: Extent) -> Bool {
      guard found.count < count, found.isEmpty || run.length <= bytesLeft else { return false }
      bytesLeft -= min(bytesLeft, run.length)
      found.append(run)
      return true
    }
    let end = try endToCut()
    if let end {
      try forEachPieceOfEnd(from: end.offset) { (number, run) in
        guard Self.bytes(returned.unreturned(number, run)) >= Self.pageSize else { return true }
        return add(Self.extent(run, number))
      }
    }
    try forEachLongRun(from: &cursor) { (run) in
      run.offset >= end?.offset ?? .max || add(run)
    }
    return found.sorted { $0.offset < $1.offset }
  }

  /// Looks at a bounded number of regions, until `body` returns false.
  private func forEachLongRun(
    from cursor: inout Int, _ body: (Extent) -> Bool
  ) throws(StorageError) {
    let units = Int(Self.returnSizeMin / Region.unit)
    let end = Int((logicalSize + Region.byteSize - 1) / Region.byteSize)
    var readsLeft = Self.returnReadsMax
    if cursor >= end { cursor = 0 }
    while cursor < end, readsLeft > 0 {
      let group = RegionTable.group(of: cursor)
      if Int(regions.groups[group].longest) < units {
        cursor = RegionTable.regions(of: group).upperBound
        continue
      }
      try read(group: group)
      if Int(regions.summaries[cursor].longest) >= units {
        if !regions.isRead[cursor] { readsLeft -= 1 }
        try read(region: cursor)
        for run in regions.regions[cursor].runs
        where Int(run.length) >= units && returned.unreturned(cursor, run) >= units {
          if !body(Self.extent(run, cursor)) { return }
        }
      }
      cursor += 1
    }
  }

  /// The free end of the file, from a page's start, if it is worth to be cut off.
  private func endToCut() throws(StorageError) -> Extent? {
    guard let last = try lastRun() else { return nil }
    return Self.wholePages(from: last.offset, to: last.end)
  }

  /// Where the file would end if what it ends with were cut off, as far as that is worth it.
  func usedEnd() throws(StorageError) -> UInt64 { try endToCut()?.offset ?? logicalSize }

  private static func wholePages(from start: UInt64, to end: UInt64) -> Extent? {
    let first = (start + pageSize - 1) / pageSize * pageSize
    guard first < end, end - first >= returnSizeMin else { return nil }
    return Extent(offset: first, length: end - first)
  }

  /// What of the free end of the file can be cut off: as much of it as has no blocks any more,
  /// because to cut off others takes milliseconds.
  func returnedEnd() throws(StorageError) -> Extent? {
    guard let end = try endToCut() else { return nil }
    var start = logicalSize
    try forEachPieceOfEnd(from: end.offset) { (number, run) in
      guard Self.bytes(returned.unreturned(number, run)) < Self.pageSize else { return false }
      start = Self.extent(run, number).offset
      return true
    }
    return Self.wholePages(from: start, to: logicalSize)
  }

  /// Calls `body` with the parts of the free end in each region, the last first, until it returns
  /// false.
  private func forEachPieceOfEnd(
    from start: UInt64, _ body: (_ region: Int, _ run: Region.Run) -> Bool
  ) throws(StorageError) {
    var number = Int((logicalSize - 1) / Region.byteSize)
    while number >= 0, UInt64(number + 1) * Region.byteSize > start {
      try read(region: number)
      let base = UInt64(number) * Region.byteSize
      guard var run = regions.regions[number].runs.last else { return }
      if base + Self.bytes(Int(run.start)) < start {
        let first = UInt32((start - base) / Region.unit)
        run = Region.Run(start: first, length: run.end - first)
      }
      guard body(number, run) else { return }
      number -= 1
    }
  }

  /// Takes what is left free of a run of one region, if that is so long.
  func takeRest(of run: Extent, atLeast length: UInt64) throws(StorageError) -> Extent? {
    let number = Int(run.offset / Region.byteSize)
    try read(region: number)
    for rest in regions.regions[number].runs {
      let extent = Self.extent(rest, number)
      let start = max(extent.offset, run.offset)
      let end = min(extent.end, run.end)
      guard start < end, end - start >= length else { continue }
      let taken = Extent(offset: start, length: end - start)
      guard try take(exactly: taken) else { return nil }
      return taken
    }
    return nil
  }

  /// Compaction, here or in another process, has withheld a run to give its blocks back.
  func noteReturned(_ extent: Extent) throws(StorageError) {
    guard extent.end <= UInt64(regions.regionCount) * Region.byteSize else { return }
    try Self.forEachPiece(of: extent) { (region, run) in returned.insert(region, run) }
  }

  private static func bytes(_ units: Int) -> UInt64 { UInt64(units) * Region.unit }

  private static func extent(_ run: Region.Run, _ region: Int) -> Extent {
    Extent(
      offset: UInt64(region) * Region.byteSize + UInt64(run.start) * Region.unit,
      length: UInt64(run.length) * Region.unit)
  }
}
