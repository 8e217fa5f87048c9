/// All regions of a file as the writer knows them, by number: what their nodes record, what is free
/// in them, and the regions themselves as far as they have been read.
///
/// Everything that a search looks at lies in arrays of plain numbers. A group's `longest` and its
/// `classes` may say too much, never too little for what is known of its regions; a search that
/// finds nothing puts them right.
struct RegionTable {
  struct Group {
    var reference = NodeReference.none
    var waitingUnits: Int32 = 0
    /// As recorded, with hints; of no use once the group has been read.
    var recorded = RunSummary.used(size: RegionMap.unitsPerGroup)
    var isRead = false
    /// At least the longest run, those over the borders of two regions included.
    var longest: Int32 = 0
    var free: Int = 0
    /// At least the classes of all runs of its regions.
    var classes = SizeClassSet.none
  }

  private(set) var groups: [Group] = []
  /// By region, as far as its group has been read.
  private(set) var records: ContiguousArray<RegionMap.RegionRecord> = []
  /// Exact where the region has been read; else of what is recorded, with hints of what was freed.
  private(set) var summaries: ContiguousArray<RunSummary> = []
  /// Whoever changes one says so: `changed`. Empty where `isRead` says no.
  var regions: ContiguousArray<Region> = []
  private(set) var isRead: ContiguousArray<Bool> = []
  /// At least the classes of the runs of each region.
  private(set) var classes: ContiguousArray<SizeClassSet> = []
  /// The version of the last operation in each region that is not in its node.
  private(set) var touched: ContiguousArray<Version> = []
  private(set) var readCount = 0
  /// Free units of all regions; an estimate where regions have not been read.
  private(set) var freeUnits = 0

  var regionCount: Int { groups.count * RegionMap.regionsPerGroup }

  @inline(__always)
  static func group(of region: Int) -> Int { region / RegionMap.regionsPerGroup }

  static func regions(of group: Int) -> Range<Int> {
    group * RegionMap.regionsPerGroup..<(group + 1) * RegionMap.regionsPerGroup
  }

  // MARK: Groups

  /// Makes room for regions up to the end of a file.
  mutating func extend(toCover logicalSize: UInt64) {
    let needed = groupCount(toCover: logicalSize)
    while groups.count < needed { append(RegionMap.GroupRecord()) }
  }

  mutating func reserve(toCover logicalSize: UInt64) {
    let count = groupCount(toCover: logicalSize)
    groups.reserveCapacity(count)
    let regionCount = count * RegionMap.regionsPerGroup
    records.reserveCapacity(regionCount)
    summaries.reserveCapacity(regionCount)
    classes.reserveCapacity(regionCount)
    regions.reserveCapacity(regionCount)
    isRead.reserveCapacity(regionCount)
    touched.reserveCapacity(regionCount)
  }

  private func groupCount(toCover logicalSize: UInt64) -> Int {
    let bytes = UInt64(RegionMap.unitsPerGroup) * Region.unit
    return Int((logicalSize + bytes - 1) / bytes)
  }

  mutating func append(_ record: RegionMap.GroupRecord) {
    var group = Group()
    group.reference = record.reference
    group.waitingUnits = record.waitingUnits
    group.isRead = record.reference.isNone
    // Of a group without a node all that is known comes from the log.
    if !group.isRead {
      group.recorded = record.summary
      group.longest = record.summary.longest
      group.free = Int(record.summary.free)
      group.classes = Self.classes(of: record.summary)
    }
    freeUnits += group.free
    groups.append(group)
    let count = RegionMap.regionsPerGroup
    records.append(contentsOf: repeatElement(RegionMap.RegionRecord(), count: count))
    summaries.append(
      contentsOf: repeatElement(RunSummary.used(size: Region.unitCount), count: count))
    classes.append(contentsOf: repeatElement(.none, count: count))
    regions.append(contentsOf: repeatElement(Region(), count: count))
    isRead.append(contentsOf: repeatElement(false, count: count))
    touched.append(contentsOf: repeatElement(.zero, count: count))
  }

  /// Takes over what another process has written of a group; what has been read stays.
  ///
  /// - Returns: whether the group's regions have to be read anew, with `read`.
  mutating func replace(_ group: Int, by record: RegionMap.GroupRecord) -> Bool {
    guard groups[group].reference != record.reference else { return false }
    groups[group].reference = record.reference
    groups[group].waitingUnits = record.waitingUnits
    if groups[group].isRead { return true }
    freeUnits += Int(record.summary.free) - groups[group].free
    groups[group].recorded = record.summary
    groups[group].longest = record.summary.longest
    groups[group].free = Int(record.summary.free)
    groups[group].classes = Self.classes(of: record.summary)
    return false
  }

  /// Reads what a group's node says of its regions, where they have not been read themselves.
  mutating func read(_ group: Int, _ source: NodeSource) throws(StorageError) {
    var found: [(Int, RegionMap.RegionRecord, RunSummary)] = []
    try RegionMap.forEachRegion(groups[group].reference, source) { (position, record, summary) in
      found.append((position, record, summary))
    }
    if !groups[group].isRead {
      groups[group].isRead = true
      freeUnits -= groups[group].free
      groups[group].free = 0
      groups[group].longest = 0
      groups[group].classes = .none
    }
    let first = Self.regions(of: group).lowerBound
    for (position, record, summary) in found {
      records[first + position] = record
      if !isRead[first + position] { setSummary(first + position, summary) }
    }
  }

  mutating func setReference(ofGroup group: Int, _ reference: NodeReference) {
    groups[group].reference = reference
  }

  /// What its regions' records say has been written to a new node of the group.
  mutating func recordGroup(_ group: Int, _ reference: NodeReference) {
    groups[group].reference = reference
    groups[group].waitingUnits = Self.regions(of: group).reduce(0) {
      $0 + records[$1].waitingUnits
    }
  }

  func groupRecords() -> [RegionMap.GroupRecord] {
    groups.indices.map { group in
      RegionMap.GroupRecord(
        reference: groups[group].reference, summary: summary(ofGroup: group),
        waitingUnits: groups[group].waitingUnits)
    }
  }

  func regionRecords(
    ofGroup group: Int
  ) -> [(record: RegionMap.RegionRecord, summary: RunSummary)] {
    Self.regions(of: group).map { (records[$0], summaries[$0]) }
  }

  private func summary(ofGroup group: Int) -> RunSummary {
    guard groups[group].isRead else { return groups[group].recorded }
    var sum = RunSummary()
    for region in Self.regions(of: group) { sum.append(summaries[region]) }
    return sum
  }

  /// The free runs that a group begins and ends with, and its longest.
  func edges(ofGroup group: Int) -> RunSummary {
    guard groups[group].isRead else { return groups[group].recorded }
    var edges = RunSummary.used(size: RegionMap.unitsPerGroup)
    edges.longest = groups[group].longest
    for region in Self.regions(of: group) {
      edges.prefix += summaries[region].prefix
      if summaries[region].prefix < summaries[region].size { break }
    }
    for region in Self.regions(of: group).reversed() {
      edges.suffix += summaries[region].suffix
      if summaries[region].suffix < summaries[region].size { break }
    }
    return edges
  }

  /// After a search that found nothing: how long the longest run of a group really is.
  mutating func measure(_ group: Int) { groups[group].longest = summary(ofGroup: group).longest }

  /// What may be in a stretch of which only this is known.
  private static func classes(of summary: RunSummary) -> SizeClassSet {
    summary.longest == 0 ? .none : .upTo(SizeClass.of(Int(summary.longest)))
  }

  /// After a search that found nothing of a class in a region; and in none of its group.
  mutating func setClasses(_ region: Int, _ known: SizeClassSet) { classes[region] = known }

  mutating func remove(class missing: Int, fromGroup group: Int) {
    groups[group].classes.remove(missing)
  }

  // MARK: Regions

  mutating func setSummary(_ region: Int, _ summary: RunSummary) {
    let group = Self.group(of: region)
    classes[region] = isRead[region] ? regions[region].classes : Self.classes(of: summary)
    groups[group].classes.formUnion(classes[region])
    let change = Int(summary.free - summaries[region].free)
    summaries[region] = summary
    groups[group].free += change
    freeUnits += change
    let bounds = Self.regions(of: group)
    // The runs that go over its two borders; they may be one.
    var before: Int32 = 0
    if summary.prefix > 0 {
      var last = region - 1
      while last >= bounds.lowerBound {
        before += summaries[last].suffix
        if summaries[last].suffix < summaries[last].size { break }
        last -= 1
      }
    }
    var after: Int32 = 0
    if summary.suffix > 0 {
      var next = region + 1
      while next < bounds.upperBound {
        after += summaries[next].prefix
        if summaries[next].prefix < summaries[next].size { break }
        next += 1
      }
    }
    let longest =
      summary.prefix == summary.size
      ? before + summary.size + after
      : max(summary.longest, before + summary.prefix, summary.suffix + after)
    if longest > groups[group].longest { groups[group].longest = longest }
  }

  /// Says that a run of a region that has not been read is free, so that a search looks there.
  mutating func hint(_ region: Int, _ run: Region.Run) {
    let group = Self.group(of: region)
    if groups[group].isRead {
      var summary = summaries[region]
      summary.hint(start: Int32(run.start), length: Int32(run.length))
      setSummary(region, summary)
    } else {
      let base = region % RegionMap.regionsPerGroup * Region.unitCount
      groups[group].recorded.hint(
        start: Int32(base) + Int32(run.start), length: Int32(run.length))
      let free = Int(groups[group].recorded.free)
      freeUnits += free - groups[group].free
      groups[group].free = free
      groups[group].longest = max(groups[group].longest, groups[group].recorded.longest)
      groups[group].classes.formUnion(Self.classes(of: groups[group].recorded))
    }
  }

  /// A region has been read.
  mutating func insert(_ region: Int, _ known: Region) {
    regions[region] = known
    isRead[region] = true
    readCount += 1
    setSummary(region, known.summary)
  }

  /// A region that has been read has changed.
  @inline(__always)
  mutating func changed(_ region: Int, by version: Version) {
    touched[region] = version
    setSummary(region, regions[region].summary)
  }

  mutating func touch(_ region: Int, by version: Version) { touched[region] = version }

  mutating func setRecord(_ region: Int, _ record: RegionMap.RegionRecord) {
    records[region] = record
  }

  /// Lets a region go that has been read.
  mutating func remove(_ region: Int) {
    guard isRead[region] else { return }
    regions[region] = Region()
    isRead[region] = false
    readCount -= 1
  }

  /// Lets regions go whose nodes say all that is known of them.
  mutating func removeUnchanged() {
    for region in regions.indices {
      guard isRead[region], touched[region] <= records[region].applied,
        regions[region].waiting.units == Int(records[region].waitingUnits)
      else { continue }
      remove(region)
    }
  }

  func checkInvariants() {
    var free = 0
    for group in groups.indices {
      free += groups[group].free
      guard groups[group].isRead else { continue }
      let sum = summary(ofGroup: group)
      precondition(Int(sum.free) == groups[group].free, "a group's free units are miscounted")
      precondition(sum.longest <= groups[group].longest, "a long run is missed")
      for region in Self.regions(of: group) {
        guard isRead[region] else { continue }
        let known = regions[region]
        known.checkInvariants()
        precondition(classes[region].isSuperset(of: known.classes), "a class is missed")
        precondition(groups[group].classes.isSuperset(of: classes[region]), "a class is missed")
        precondition(summaries[region] == known.summary, "a region's summary is outdated")
      }
    }
    precondition(free == freeUnits, "the free units are miscounted")
    precondition(readCount == isRead.count { $0 }, "the regions read are miscounted")
  }
}
