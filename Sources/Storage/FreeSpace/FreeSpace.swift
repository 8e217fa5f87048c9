import Platform

/// What of the file is free, in the view of the writer: which bytes may be reused now, and which
/// wait for a version that somebody still reads.
///
/// The interval rule: bytes written by version b and freed by version f are needed by the versions
/// b, b+1, ... f-1 and by no other. They may be reused as soon as no pinned version is among those.
/// The newest version and the last durable one count as pinned.
///
/// One instance belongs to a `Database` and is touched only by the holder of the writer role. It
/// describes exactly `version`. Regions are read when a search for room comes to them; until then
/// the operations of the log that concern them are kept aside (`pending`). When another process
/// has committed, the log says what it did (`advance`). After a failed commit the instance is thrown
/// away: a new one reads no more than the log.
final class FreeSpace {
  /// An operation on a region that has not been read.
  struct PendingOperation {
    var operation: SpaceOperation
    var commit: UInt64
  }

  /// The version whose free space this is; 0 as long as nothing has been read.
  private(set) var version: UInt64 = 0
  var logicalSize: UInt64 = 0
  /// Units that hold no node of the version, those that wait included.
  private(set) var freeUnits: UInt64 = 0
  private(set) var index = NodeReference.none
  private(set) var map = NodeReference.none
  var groups: [RegionMap.Group] = []
  private(set) var source: NodeSource?
  private var pending: [Int: [PendingOperation]] = [:]
  /// The regions in which something waits, by the version that it waits for.
  private var blocked: [UInt64: Set<Int>] = [:]
  private(set) var pins: [UInt64] = []
  /// Regions of the log's oldest chunk that are yet to be written, for `FreeSpaceRecorder`.
  var sweep = SweepQueue()
  /// The group that compaction has looked at last.
  var moveCursor = 0
  /// Regions that may still be read for the commit under way.
  private var readsLeft = 0
  /// How many regions one commit reads in search of room before it rather grows the file.
  private static let readsMax = 256
  private static let loadedCountMax = 4096
  private(set) var loadedCount = 0
  /// Runs whose blocks have been given back to the file system, by region.
  var returned: [Int: [Region.Run]] = [:]

  init() {}

  // MARK: Following the newest version

  /// Makes this describe a version, from its index, and moves what no pinned version needs to the
  /// reusable space.
  ///
  /// - Parameters:
  ///   - pins: every version that somebody reads, and the newest, ascending; none: everything that
  ///     was freed by a version waits.
  ///   - durable: the version that a power loss would lead back to.
  func advance(
    to version: UInt64, source: NodeSource, index reference: NodeReference, logicalSize: UInt64,
    pins: [UInt64] = [], durable: UInt64? = nil
  ) throws(StorageError) {
    self.source = source
    readsLeft = Self.readsMax
    setPins(pins, durable)
    try follow(to: version, index: reference, logicalSize: logicalSize)
    if !self.pins.isEmpty { try release() }
  }

  private func follow(
    to version: UInt64, index reference: NodeReference, logicalSize: UInt64
  ) throws(StorageError) {
    if self.version == version { return }
    let index = try FreeSpaceIndex(reference, source!)
    let seen = self.version
    let canFollow = seen != 0 && seen < version && index.start <= seen
    self.version = 0
    self.logicalSize = logicalSize
    if canFollow { try follow(index) } else { try reset(index) }
    extendGroups()
    // What a region's node contains already is left out when the region is read.
    try index.forEachOperation(after: canFollow ? seen : 0) {
      (operation, commit) throws(StorageError) in try apply(operation, commit)
    }
    guard index.freeUnits <= logicalSize / Region.unit else {
      throw source!.corrupt(reference, "less free space than the file has was expected")
    }
    self.version = version
    self.index = reference
    freeUnits = index.freeUnits
  }

  private func reset(_ index: FreeSpaceIndex) throws(StorageError) {
    pending = [:]
    blocked = [:]
    returned = [:]
    loadedCount = 0
    sweep = SweepQueue()
    groups = try RegionMap.groups(index.map, source!)
    map = index.map
    for group in groups.indices where groups[group].waitingUnits > 0 { try load(group: group) }
  }

  /// Takes over which nodes other processes have written meanwhile; what has been read stays.
  private func follow(_ index: FreeSpaceIndex) throws(StorageError) {
    guard index.map != map else { return }
    sweep = SweepQueue()
    let new = try RegionMap.groups(index.map, source!)
    map = index.map
    for group in new.indices {
      if group >= groups.count {
        groups.append(new[group])
      } else if groups[group].reference != new[group].reference {
        groups[group].reference = new[group].reference
        groups[group].waitingUnits = new[group].waitingUnits
        if groups[group].isLoaded {
          try reload(group)
        } else {
          groups[group].summary = new[group].summary
        }
      }
    }
  }

  private func reload(_ group: Int) throws(StorageError) {
    let entries = try RegionMap.entries(groups[group].reference, source!)
    for (position, new) in entries.enumerated() {
      let region = groups[group].entries[position].region
      let touched = groups[group].entries[position].touched
      let summary = groups[group].entries[position].summary
      groups[group].entries[position] = new
      groups[group].entries[position].touched = touched
      if let region {
        groups[group].entries[position].region = region
        groups[group].entries[position].summary = summary
      }
    }
    groups[group].isOutdated = true
  }

  private func extendGroups() {
    let bytes = UInt64(RegionMap.unitsPerGroup) * Region.unit
    let needed = Int((logicalSize + bytes - 1) / bytes)
    while groups.count < needed { groups.append(RegionMap.Group()) }
  }

  private func load(group: Int) throws(StorageError) {
    guard !groups[group].isLoaded else { return }
    groups[group].entries = try RegionMap.entries(groups[group].reference, source!)
    groups[group].isOutdated = true
    let first = group * RegionMap.regionsPerGroup
    for position in 0..<RegionMap.regionsPerGroup {
      let region = first + position
      if pending[region] != nil || groups[group].entries[position].waitingUnits > 0 {
        reconsider(region)
      }
    }
  }

  private func position(_ region: Int) -> (group: Int, entry: Int) {
    (region / RegionMap.regionsPerGroup, region % RegionMap.regionsPerGroup)
  }

  // MARK: Operations

  /// Calls `body` with the part of `extent` in each region.
  static func forEachPiece(
    of extent: Extent, _ body: (_ region: Int, _ run: Region.Run) throws(StorageError) -> Void
  ) throws(StorageError) {
    var offset = extent.offset
    while offset < extent.end {
      let region = offset / Region.byteSize
      let end = min(extent.end, (region + 1) * Region.byteSize)
      let start = offset - region * Region.byteSize
      let run = Region.Run(
        start: UInt32(start / Region.unit), length: UInt32((end - offset) / Region.unit))
      try body(Int(region), run)
      offset = end
    }
  }

  /// Applies what a commit, of this process or another, has recorded.
  private func apply(_ operation: SpaceOperation, _ commit: UInt64) throws(StorageError) {
    let extent = operation.extent
    guard extent.length > 0 else { return }
    guard extent.offset >= UInt64(FileLayout.firstNode), extent.end <= 1 << 48 else {
      throw damaged("a free-space operation within the file was expected", at: extent.offset)
    }
    // The file may have been cut since; what it had beyond its end is of no use any more.
    let limit = UInt64(groups.count) * UInt64(RegionMap.unitsPerGroup) * Region.unit
    guard extent.offset < limit else { return }
    let within = Extent(offset: extent.offset, length: min(extent.length, limit - extent.offset))
    try Self.forEachPiece(of: within) { (region, run) throws(StorageError) in
      let place = position(region)
      groups[place.group].isOutdated = groups[place.group].isLoaded
      guard groups[place.group].isLoaded,
        let known = groups[place.group].entries[place.entry].region
      else { return keepAside(operation, commit, region, run) }
      try apply(operation, commit, to: known, region, run)
      groups[place.group].entries[place.entry].summary = known.summary
      groups[place.group].entries[place.entry].touched = commit
    }
  }

  private func apply(
    _ operation: SpaceOperation, _ commit: UInt64, to known: Region, _ region: Int,
    _ run: Region.Run
  ) throws(StorageError) {
    var isPossible: Bool
    switch operation.kind {
    case .commit: isPossible = true
    case .grow: isPossible = known.insert(run)
    case .allocate:
      forgetReturned(region, run)
      var left = Int(run.length) - known.remove(run)
      if left > 0 { left -= known.removeWaiting(run) }
      isPossible = left == 0
    case .free:
      isPossible = commit > operation.version
      let item = Region.WaitingRun(run: run, born: operation.version, freed: commit)
      if isPossible { isPossible = place(item, in: known, region) }
    }
    guard isPossible else {
      throw damaged("a consistent log of free space was expected", at: operation.extent.offset)
    }
  }

  /// Puts a freed run where it belongs now; false if it is free already.
  private func place(_ item: Region.WaitingRun, in known: Region, _ region: Int) -> Bool {
    guard let pin = blockingPin(born: item.born, freed: item.freed) else {
      return known.insert(item.run)
    }
    known.addWaiting(item, blockedBy: pin)
    blocked[pin, default: []].insert(region)
    return true
  }

  /// Keeps an operation for when its region is read, and gives the search a hint.
  private func keepAside(
    _ operation: SpaceOperation, _ commit: UInt64, _ region: Int, _ run: Region.Run
  ) {
    var part = operation
    part.extent = Extent(
      offset: UInt64(region) * Region.byteSize + UInt64(run.start) * Region.unit,
      length: UInt64(run.length) * Region.unit)
    pending[region, default: []].append(PendingOperation(operation: part, commit: commit))
    let place = position(region)
    if groups[place.group].isLoaded {
      groups[place.group].entries[place.entry].touched = commit
    }
    switch operation.kind {
    case .grow: hint(region, run)
    case .free:
      if let pin = blockingPin(born: operation.version, freed: commit) {
        blocked[pin, default: []].insert(region)
      } else {
        hint(region, run)
      }
    case .allocate, .commit: break
    }
  }

  /// Says that a run of a region that has not been read is free, so that a search looks there.
  private func hint(_ region: Int, _ run: Region.Run) {
    let place = position(region)
    func raise(_ summary: inout RunSummary, start: Int, size: Int) {
      let length = Int(run.length)
      summary.free = min(size, summary.free + length)
      if start == 0 { summary.prefix = max(summary.prefix, length) }
      if start + length == size { summary.suffix = max(summary.suffix, length) }
      summary.longest = max(summary.longest, length)
      summary.free = max(summary.free, summary.longest)
    }
    if groups[place.group].isLoaded {
      raise(
        &groups[place.group].entries[place.entry].summary, start: Int(run.start),
        size: Region.unitCount)
      groups[place.group].isOutdated = true
    } else {
      raise(
        &groups[place.group].summary, start: place.entry * Region.unitCount + Int(run.start),
        size: RegionMap.unitsPerGroup)
    }
  }

  // MARK: Pins

  /// The newest pinned version in `born ..< freed`.
  private func blockingPin(born: UInt64, freed: UInt64) -> UInt64? {
    if pins.isEmpty { return freed - 1 }
    var low = 0
    var high = pins.count
    while low < high {
      let middle = (low + high) / 2
      if pins[middle] < freed { low = middle + 1 } else { high = middle }
    }
    guard low > 0, pins[low - 1] >= born else { return nil }
    return pins[low - 1]
  }

  private func isPinned(_ version: UInt64) -> Bool {
    blockingPin(born: version, freed: version + 1) != nil
  }

  private func setPins(_ pins: [UInt64], _ durable: UInt64?) {
    self.pins.removeAll(keepingCapacity: true)
    self.pins.append(contentsOf: pins)
    guard let durable, let place = pins.firstIndex(where: { $0 >= durable }) else { return }
    if pins[place] != durable { self.pins.insert(durable, at: place) }
  }

  /// Moves what no pinned version needs to the reusable space.
  private func release() throws(StorageError) {
    for pin in Array(blocked.keys) where !isPinned(pin) {
      guard let regions = blocked.removeValue(forKey: pin) else { continue }
      for region in regions { try unblock(region, pin) }
    }
  }

  private func unblock(_ region: Int, _ pin: UInt64) throws(StorageError) {
    let place = position(region)
    guard groups[place.group].isLoaded,
      let known = groups[place.group].entries[place.entry].region
    else { return reconsider(region) }
    for item in known.takeWaiting(blockedBy: pin) where !self.place(item, in: known, region) {
      throw damaged("a run that is freed once was expected", at: UInt64(region) * Region.byteSize)
    }
    groups[place.group].entries[place.entry].summary = known.summary
    groups[place.group].isOutdated = true
  }

  /// Looks at what is known of a region that has not been read: what is free now becomes a hint,
  /// what waits is looked at again when its pin is gone.
  private func reconsider(_ region: Int) {
    for item in pending[region] ?? [] {
      if item.operation.kind == .grow { hint(region, Self.run(of: item.operation, in: region)) }
      guard item.operation.kind == .free else { continue }
      if let pin = blockingPin(born: item.operation.version, freed: item.commit) {
        blocked[pin, default: []].insert(region)
      } else {
        hint(region, Self.run(of: item.operation, in: region))
      }
    }
    let place = position(region)
    guard groups[place.group].isLoaded else { return }
    let entry = groups[place.group].entries[place.entry]
    guard entry.waitingUnits > 0 else { return }
    if entry.blockedBy != 0, isPinned(entry.blockedBy) {
      blocked[entry.blockedBy, default: []].insert(region)
    } else {
      groups[place.group].entries[place.entry].summary = RunSummary(
        size: Region.unitCount,
        free: min(Region.unitCount, entry.summary.free + entry.waitingUnits),
        prefix: entry.summary.prefix, suffix: entry.summary.suffix, longest: Region.unitCount)
      groups[place.group].isOutdated = true
    }
  }

  private static func run(of operation: SpaceOperation, in region: Int) -> Region.Run {
    let start = operation.extent.offset - UInt64(region) * Region.byteSize
    return Region.Run(
      start: UInt32(start / Region.unit), length: UInt32(operation.extent.length / Region.unit))
  }

  // MARK: Regions

  /// The region, read if it has not been.
  func region(_ number: Int) throws(StorageError) -> Region {
    let place = position(number)
    try load(group: place.group)
    if let known = groups[place.group].entries[place.entry].region { return known }
    let entry = groups[place.group].entries[place.entry]
    let known = try decode(entry, number)
    for item in pending.removeValue(forKey: number) ?? [] where item.commit > entry.applied {
      let run = Self.run(of: item.operation, in: number)
      try apply(item.operation, item.commit, to: known, number, run)
      groups[place.group].entries[place.entry].touched = item.commit
    }
    groups[place.group].entries[place.entry].region = known
    groups[place.group].entries[place.entry].summary = known.summary
    groups[place.group].isOutdated = true
    loadedCount += 1
    return known
  }

  private func decode(
    _ entry: RegionMap.Entry, _ number: Int
  ) throws(StorageError) -> Region {
    let known = Region()
    if entry.reference.isNone { return known }
    let node = try source!.node(entry.reference)
    guard node.kind == .freeSpaceRegion else {
      throw source!.corrupt(entry.reference, "a region of free space was expected")
    }
    let isWhole = RegionCoding.decode(node) { run in
      known.insert(run)
    } waiting: { item in
      place(item, in: known, number)
    }
    guard isWhole else {
      throw source!.corrupt(entry.reference, "runs within their region were expected")
    }
    return known
  }

  /// Lets a region go that has been read; for a walk that does not come back.
  func forget(region number: Int) {
    let place = position(number)
    groups[place.group].entries[place.entry].region = nil
    if place.entry == RegionMap.regionsPerGroup - 1 { groups[place.group].entries = [] }
    loadedCount -= 1
  }

  func damaged(_ expectation: String, at offset: UInt64) -> StorageError {
    .corrupt(source?.path ?? "", at: offset, expectation)
  }

  private func changed(_ region: Int, _ known: Region) {
    let place = position(region)
    groups[place.group].entries[place.entry].summary = known.summary
    groups[place.group].entries[place.entry].touched = version + 1
    groups[place.group].isOutdated = true
  }

  // MARK: Taking

  /// Takes a run of the lowest place that has it whole.
  ///
  /// - Parameters:
  ///   - limit: where it has to end at the latest.
  ///   - alignment: bytes; its offset is a multiple of this.
  func takeFirst(
    fitting length: UInt64, below limit: UInt64 = .max, alignment: UInt64 = 8
  ) throws(StorageError) -> Extent? {
    let search = RoomSearch(
      units: Int(length / Region.unit), alignment: Int(alignment / Region.unit),
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
    let units = Int(length / Region.unit)
    let limitUnits = Int(min(limit, logicalSize) / Region.unit)
    var best = BestFit(units: units, candidatesLeft: Self.fitCandidatesMax)
    search: for group in groups.indices {
      if group * RegionMap.unitsPerGroup >= limitUnits { break }
      groups[group].summarize()
      guard groups[group].summary.longest >= units else { continue }
      try load(group: group)
      for entry in 0..<RegionMap.regionsPerGroup {
        let number = group * RegionMap.regionsPerGroup + entry
        let base = number * Region.unitCount
        guard groups[group].entries[entry].summary.longest >= units, base < limitUnits,
          let known = try regionForSearch(number)
        else { continue }
        if known.improve(&best, at: base, limit: limitUnits) { break search }
      }
    }
    guard let start = best.start else { return try takeFirst(fitting: length, below: limit) }
    let extent = Extent(offset: UInt64(start) * Region.unit, length: length)
    try remove(extent)
    return extent
  }

  private static let fitCandidatesMax = 1024

  /// The region, unless the commit has read enough of them.
  func regionForSearch(_ number: Int) throws(StorageError) -> Region? {
    let place = position(number)
    if groups[place.group].isLoaded,
      let known = groups[place.group].entries[place.entry].region
    {
      return known
    }
    if readsLeft == 0 { return nil }
    readsLeft -= 1
    return try region(number)
  }

  /// Loads a group for a search.
  func prepare(_ group: Int) throws(StorageError) { try load(group: group) }

  private func remove(_ extent: Extent) throws(StorageError) {
    try Self.forEachPiece(of: extent) { (number, run) throws(StorageError) in
      let known = try region(number)
      let removed = known.remove(run)
      precondition(removed == Int(run.length), "space that is not free was allocated")
      forgetReturned(number, run)
      changed(number, known)
    }
  }

  /// Takes exactly `range` if all of it is free.
  func take(exactly range: Extent) throws(StorageError) -> Bool {
    guard range.end <= logicalSize else { return false }
    var isFree = true
    try Self.forEachPiece(of: range) { (number, run) throws(StorageError) in
      guard isFree else { return }
      let known = try region(number)
      isFree = known.contains(run)
    }
    guard isFree else { return false }
    try remove(range)
    return true
  }

  /// Gives back what was taken and not used, or adds what the file has grown by.
  func putBack(_ extent: Extent) throws(StorageError) {
    extendGroups()
    try Self.forEachPiece(of: extent) { (number, run) throws(StorageError) in
      let known = try region(number)
      guard known.insert(run) else {
        throw damaged("space that is free once was expected", at: extent.offset)
      }
      changed(number, known)
    }
  }

  /// The free run that the file ends with.
  func lastRun() throws(StorageError) -> Extent? {
    var start = logicalSize
    while start > 0 {
      let number = Int((start - 1) / Region.byteSize)
      let base = UInt64(number) * Region.byteSize
      guard let run = try region(number).runs.last,
        base + UInt64(run.end) * Region.unit == start
      else { break }
      start = base + UInt64(run.start) * Region.unit
      if run.start > 0 { break }
    }
    return start < logicalSize ? Extent(offset: start, length: logicalSize - start) : nil
  }

  // MARK: After a commit

  /// Records what a commit freed; it waits for the version before.
  func addFreed(_ freed: [FreedExtent], by commit: UInt64) throws(StorageError) {
    for run in freed {
      let operation = SpaceOperation(
        kind: .free, extent: Extent(offset: run.offset, length: run.length), version: run.born)
      try apply(operation, commit)
    }
  }

  /// Makes this describe the version that has just been committed.
  func committed(
    _ version: UInt64, index: NodeReference, map: NodeReference, freeUnits: UInt64
  ) {
    self.version = version
    self.index = index
    self.map = map
    self.freeUnits = freeUnits
    if loadedCount > Self.loadedCountMax { dropCleanRegions() }
  }

  /// Forgets regions whose nodes say all that is known of them.
  private func dropCleanRegions() {
    for group in groups.indices where groups[group].isLoaded {
      for position in groups[group].entries.indices {
        let entry = groups[group].entries[position]
        guard let known = entry.region, entry.touched <= entry.applied,
          known.waitingUnits == entry.waitingUnits
        else { continue }
        groups[group].entries[position].region = nil
        loadedCount -= 1
      }
    }
  }

  // MARK: How full

  /// Units that may be used now; an estimate where regions have not been read.
  var reusableUnits: UInt64 {
    var sum = 0
    for group in groups.indices {
      groups[group].summarize()
      sum += groups[group].summary.free
    }
    return min(UInt64(sum), freeUnits)
  }

  var reusableBytes: UInt64 { reusableUnits * Region.unit }
  var freeBytes: UInt64 { freeUnits * Region.unit }
  var liveBytes: UInt64 { logicalSize - min(logicalSize, freeBytes) }

  /// Stops the program if a region that has been read contradicts itself or its summary.
  func checkInvariants() {
    for group in groups {
      for entry in group.entries {
        guard let region = entry.region else { continue }
        region.checkInvariants()
        precondition(entry.summary == region.summary, "a region's summary is outdated")
      }
    }
  }

  // MARK: Giving back

  /// Free runs whose blocks have not been given back yet, `count` of them at the most, of the regions
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
      let place = position(cursor)
      groups[place.group].summarize()
      if groups[place.group].summary.longest < units {
        cursor = (place.group + 1) * RegionMap.regionsPerGroup
        continue
      }
      try load(group: place.group)
      if groups[place.group].entries[place.entry].summary.longest >= units {
        if groups[place.group].entries[place.entry].region == nil { readsLeft -= 1 }
        let known = try region(cursor)
        for run in known.runs where Int(run.length) >= units && !isReturned(run, cursor) {
          let base = UInt64(cursor) * Region.byteSize
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

  private static let returnReadsMax = 64

  private func isReturned(_ run: Region.Run, _ region: Int) -> Bool {
    returned[region]?.contains { $0.start <= run.start && run.end <= $0.end } ?? false
  }

  /// The blocks of a run, which lies in one region, have been given back.
  func markReturned(_ extent: Extent) {
    let region = Int(extent.offset / Region.byteSize)
    let start = UInt32((extent.offset - UInt64(region) * Region.byteSize) / Region.unit)
    returned[region, default: []].append(
      Region.Run(start: start, length: UInt32(extent.length / Region.unit)))
  }

  private func forgetReturned(_ region: Int, _ run: Region.Run) {
    guard !returned.isEmpty, let runs = returned[region] else { return }
    let kept = runs.filter { $0.end <= run.start || run.end <= $0.start }
    returned[region] = kept.isEmpty ? nil : kept
  }
}
