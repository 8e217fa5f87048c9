extension FreeSpace {
  /// Takes a run of the lowest place that has it whole.
  ///
  /// - Parameters:
  ///   - reserve: bytes that the place has to have behind the run; they stay free.
  ///   - limit: where it has to end at the latest, reserve included.
  ///   - alignment: bytes; its offset is a multiple of this.
  func takeFirst(
    fitting length: UInt64, reserve: UInt64 = 0, below limit: UInt64 = .max, alignment: UInt64 = 8
  ) throws(StorageError) -> Extent? {
    let search = RoomSearch(
      units: Int((length + reserve) / Region.unit), alignment: Int(alignment / Region.unit),
      limit: Int(min(limit, logicalSize) / Region.unit))
    guard let start = try find(search) else { return nil }
    let extent = Extent(offset: UInt64(start) * Region.unit, length: length)
    try remove(extent)
    return extent
  }

  /// Takes `length` bytes from the run that they fill best, among the first that have them. So small
  /// nodes leave the long runs to those that need them.
  func takeBest(
    fitting length: UInt64, below limit: UInt64 = .max
  ) throws(StorageError) -> Extent? {
    let limitUnits = Int(min(limit, logicalSize) / Region.unit)
    var best = BestFit(
      units: Int(length / Region.unit), candidatesLeft: Self.fitCandidatesMax)
    try improve(&best, limit: limitUnits)
    guard let start = best.start else { return try takeFirst(fitting: length, below: limit) }
    let extent = Extent(offset: UInt64(start) * Region.unit, length: length)
    try remove(extent)
    return extent
  }

  private static var fitCandidatesMax: Int { 1024 }

  private func improve(_ best: inout BestFit, limit: Int) throws(StorageError) {
    for group in regions.groups.indices where Int(regions.groups[group].longest) >= best.units {
      if group * RegionMap.unitsPerGroup >= limit { return }
      try read(group: group)
      var hasSome = false
      for number in RegionTable.regions(of: group)
      where Int(regions.summaries[number].longest) >= best.units {
        let base = number * Region.unitCount
        if base >= limit { return }
        hasSome = true
        guard try readForSearch(number) else { continue }
        if regions.regions[number]!.improve(&best, at: base, limit: limit) { return }
      }
      if !hasSome { regions.measure(group) }
    }
  }

  private func remove(_ extent: Extent) throws(StorageError) {
    try Self.forEachPiece(of: extent) { (number, run) throws(StorageError) in
      try read(region: number)
      let removed = regions.regions[number]!.remove(run)
      precondition(removed == Int(run.length), "space that is not free was allocated")
      returned.forget(number, run)
      regions.changed(number, by: version + 1)
    }
  }

  /// Takes exactly `range` if all of it is free.
  func take(exactly range: Extent) throws(StorageError) -> Bool {
    guard range.end <= logicalSize else { return false }
    var isFree = true
    try Self.forEachPiece(of: range) { (number, run) throws(StorageError) in
      guard isFree else { return }
      try read(region: number)
      isFree = regions.regions[number]!.contains(run)
    }
    guard isFree else { return false }
    try remove(range)
    return true
  }

  /// Adds what the file has grown by, or gives back what was taken and not used.
  func add(_ extent: Extent) throws(StorageError) {
    regions.extend(toCover: logicalSize)
    try Self.forEachPiece(of: extent) { (number, run) throws(StorageError) in
      try read(region: number)
      guard regions.regions[number]!.insert(run) else {
        throw damaged("space that is free once was expected", at: extent.offset)
      }
      regions.changed(number, by: version + 1)
    }
  }

  /// The free run that the file ends with.
  func lastRun() throws(StorageError) -> Extent? {
    var start = logicalSize
    while start > 0 {
      let number = Int((start - 1) / Region.byteSize)
      let base = UInt64(number) * Region.byteSize
      try read(region: number)
      guard let run = regions.regions[number]!.runs.last,
        base + UInt64(run.end) * Region.unit == start
      else { break }
      start = base + UInt64(run.start) * Region.unit
      if run.start > 0 { break }
    }
    return start < logicalSize ? Extent(offset: start, length: logicalSize - start) : nil
  }
}
