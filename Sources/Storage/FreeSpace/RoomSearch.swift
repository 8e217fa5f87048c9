/// What a search for a run of free space is for. Numbers are units of 8 bytes from the start of the
/// file.
struct RoomSearch {
  var units: Int
  var alignment: Int
  /// Where the run has to end at the latest.
  var limit: Int

  /// The run that reaches up to where the search is.
  struct Reach {
    var start = 0
    var length = 0

    /// Goes past a stretch that begins at `position`.
    @inline(__always)
    mutating func pass(_ summary: RunSummary, at position: Int) {
      if summary.prefix == summary.size {
        if length == 0 { start = position }
        length += Int(summary.size)
      } else {
        start = position + Int(summary.size - summary.suffix)
        length = Int(summary.suffix)
      }
    }
  }

  /// The first place in a run; nil if it is too short or ends beyond the limit.
  func place(start: Int, length: Int) -> Int? {
    let aligned = (start + alignment - 1) / alignment * alignment
    guard aligned + units <= start + length, aligned + units <= limit else { return nil }
    return aligned
  }
}

extension FreeSpace {
  /// The lowest place for a run, which may go over the borders of regions.
  func find(_ search: RoomSearch) throws(StorageError) -> Int? {
    var reach = RoomSearch.Reach()
    for group in regions.groups.indices {
      let base = group * RegionMap.unitsPerGroup
      if base >= search.limit { return nil }
      let edges = regions.edges(ofGroup: group)
      if Int(edges.longest) < search.units, reach.length + Int(edges.prefix) < search.units {
        reach.pass(edges, at: base)
        continue
      }
      try read(group: group)
      if let place = try find(search, in: group, &reach) { return place }
      if Int(edges.longest) >= search.units { regions.measure(group) }
    }
    return nil
  }

  private func find(
    _ search: RoomSearch, in group: Int, _ reach: inout RoomSearch.Reach
  ) throws(StorageError) -> Int? {
    for number in RegionTable.regions(of: group) {
      let base = number * Region.unitCount
      if base >= search.limit { return nil }
      var summary = regions.summaries[number]
      guard
        Int(summary.longest) >= search.units
          || reach.length + Int(summary.prefix) >= search.units
      else {
        reach.pass(summary, at: base)
        continue
      }
      guard try readForSearch(number) else {
        reach = RoomSearch.Reach()
        continue
      }
      summary = regions.summaries[number]
      if reach.length > 0, reach.length + Int(summary.prefix) >= search.units {
        try confirm(&reach, upTo: number)
        let length = reach.length + Int(summary.prefix)
        if let place = search.place(start: base - reach.length, length: length) { return place }
      }
      if let place = regions.regions[number].firstPlace(
        fitting: search.units, limit: search.limit - base, alignment: search.alignment)
      {
        return base + place
      }
      reach.pass(summary, at: base)
    }
    return nil
  }

  /// Reads the regions that a run goes through, whose summaries may have been hints only.
  private func confirm(
    _ reach: inout RoomSearch.Reach, upTo number: Int
  ) throws(StorageError) {
    let first = reach.start / Region.unitCount
    var exact = RoomSearch.Reach()
    for region in first..<number {
      guard try readForSearch(region) else {
        exact = RoomSearch.Reach()
        continue
      }
      exact.pass(regions.summaries[region], at: region * Region.unitCount)
    }
    reach = exact
  }
}
