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

  /// Takes `length` bytes from the run that they fill best, to within an eighth; the lowest of
  /// those. So small nodes leave the long runs to those that need them.
  ///
  /// - Parameter closely: whether it is to be a run that is longer by less than an eighth, or none.
  func takeBest(
    fitting length: UInt64, below limit: UInt64 = .max, closely: Bool = false
  ) throws(StorageError) -> Extent? {
    let units = Int(length / Region.unit)
    let limitUnits = Int(min(limit, logicalSize) / Region.unit)
    guard let start = try bestFit(units, limit: limitUnits, closely: closely) else {
      // What is left are runs that go over the borders of regions.
      return closely ? nil : try takeFirst(fitting: length, below: limit)
    }
    let extent = Extent(offset: UInt64(start) * Region.unit, length: length)
    try remove(extent)
    return extent
  }

  private func bestFit(
    _ units: Int, limit: Int, closely: Bool
  ) throws(StorageError) -> Int? {
    let best = SizeClass.of(units)
    var wanted = SizeClassSet.from(best)
    wanted.subtract(exhaustedClasses)
    while true {
      var found = SizeClassSet.none
      for group in regions.groups { found.formUnion(group.classes.intersection(wanted)) }
      if found.isEmpty || closely && found.first > best { return nil }
      let place = try firstPlace(units, class: found.first, limit: limit, closely: closely)
      if let place { return place }
      wanted.remove(found.first)
      // Any run of a larger class would have done.
      if readsLeft == 0, found.first > best, limit == Int(logicalSize / Region.unit) {
        exhaustedClasses.insert(found.first)
      }
    }
  }

  /// Regions with runs of a class that are all too short, after which a search goes on to longer
  /// runs.
  private static var missesMax: Int { 8 }

  /// A place in the region in which a run of the class was found last.
  private func lastFit(_ units: Int, class wanted: Int, limit: Int) -> Int? {
    guard let number = lastFits[wanted], number < regions.regionCount, regions.isRead[number],
      regions.classes[number].contains(wanted)
    else { return nil }
    let base = number * Region.unitCount
    let place = regions.regions[number].firstPlace(
      fitting: units, class: wanted, limit: limit - base)
    if let place { return base + place }
    return nil
  }

  private func firstPlace(
    _ units: Int, class wanted: Int, limit: Int, closely: Bool
  ) throws(StorageError) -> Int? {
    if closely, let place = lastFit(units, class: wanted, limit: limit) { return place }
    var missesLeft = Self.missesMax
    for group in regions.groups.indices where regions.groups[group].classes.contains(wanted) {
      if group * RegionMap.unitsPerGroup >= limit { return nil }
      try read(group: group)
      var hasClass = false
      for number in RegionTable.regions(of: group) where regions.classes[number].contains(wanted) {
        let base = number * Region.unitCount
        guard base < limit, try readForSearch(number) else {
          hasClass = true
          continue
        }
        let place = regions.regions[number].firstPlace(
          fitting: units, class: wanted, limit: limit - base)
        if let place {
          lastFits[wanted] = number
          return base + place
        }
        regions.setClasses(number, regions.regions[number].classes)
        if regions.classes[number].contains(wanted) {
          hasClass = true
          missesLeft -= 1
          if missesLeft == 0 { return nil }
        }
      }
      if !hasClass { regions.remove(class: wanted, fromGroup: group) }
    }
    return nil
  }

  private func remove(_ extent: Extent) throws(StorageError) {
    try Self.forEachPiece(of: extent) { (number, run) throws(StorageError) in
      try read(region: number)
      let removed = regions.regions[number].remove(run)
      precondition(removed == Int(run.length), "space that is not free was allocated")
      returned.forget(number, run)
      regions.changed(number, by: version.next)
    }
  }

  /// Takes exactly `range` if all of it is free.
  func take(exactly range: Extent) throws(StorageError) -> Bool {
    guard range.end <= logicalSize else { return false }
    var isFree = true
    try Self.forEachPiece(of: range) { (number, run) throws(StorageError) in
      guard isFree else { return }
      try read(region: number)
      isFree = regions.regions[number].contains(run)
    }
    guard isFree else { return false }
    try remove(range)
    return true
  }

  /// Adds what the file has grown by, or gives back what was taken and not used.
  func add(_ extent: Extent) throws(StorageError) {
    regions.extend(toCover: logicalSize)
    exhaustedClasses = .none
    try Self.forEachPiece(of: extent) { (number, run) throws(StorageError) in
      try read(region: number)
      guard regions.regions[number].insert(run) else {
        throw damaged("space that is free once was expected", at: extent.offset)
      }
      regions.changed(number, by: version.next)
    }
  }

  /// The free run that the file ends with.
  func lastRun() throws(StorageError) -> Extent? {
    var start = logicalSize
    while start > 0 {
      let number = Int((start - 1) / Region.byteSize)
      let base = UInt64(number) * Region.byteSize
      try read(region: number)
      guard let run = regions.regions[number].runs.last,
        base + UInt64(run.end) * Region.unit == start
      else { break }
      start = base + UInt64(run.start) * Region.unit
      if run.start > 0 { break }
    }
    return start < logicalSize ? Extent(offset: start, length: logicalSize - start) : nil
  }
}
