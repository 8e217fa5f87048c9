import Platform

/// What of the file is free, in the view of the writer: which bytes may be reused now, and which
/// wait for a version that somebody still reads.
///
/// The interval rule: bytes written by version b and freed by version f are needed by the versions
/// b, b+1, ... f-1 and by no other. They may be reused as soon as no pinned version is among those.
/// The newest version and the last durable one count as pinned.
///
/// One instance belongs to a `Database` and is touched only by the holder of the writer role. It
/// describes exactly `version`, but for what its own last commit freed: that is applied by the next
/// `advance`, which knows who needs it. Regions are read when a search for room comes to them;
/// until then the operations of the log that concern them are kept aside (`pending`). When another
/// process has committed, the log says what it did. After a failed commit the instance is thrown
/// away: a new one reads no more than the log.
final class FreeSpace {
  // Access is not checked for exclusivity at run time: an instance is confined to the holder of the
  // writer role, and no access to one of these spans a call that could begin another.

  /// The version whose free space this is; 0 as long as nothing has been read.
  @exclusivity(unchecked) private(set) var version = Version.zero
  @exclusivity(unchecked) var logicalSize: UInt64 = 0
  /// Units that hold no node of the version, those that wait included.
  @exclusivity(unchecked) private(set) var freeUnits: UInt64 = 0
  @exclusivity(unchecked) private(set) var index = NodeReference.none
  @exclusivity(unchecked) private(set) var map = NodeReference.none
  @exclusivity(unchecked) var regions = RegionTable()
  @exclusivity(unchecked) private(set) var source: NodeSource?
  @exclusivity(unchecked) private var pins = PinnedVersions()
  @exclusivity(unchecked) private var pending = PendingOperations()
  /// What the last commit of this instance freed.
  @exclusivity(unchecked) private var unapplied: [FreedExtent] = []
  /// Regions of the log's oldest chunk that are yet to be written, for `FreeSpaceRecorder`.
  var sweep = SweepQueue()
  /// The group that compaction has looked at last.
  var moveCursor = 0
  /// Where the node ends that was placed last among those that will last; 0 if none was.
  var lastingEnd: UInt64 = 0
  /// Regions that may still be read for the commit under way.
  @exclusivity(unchecked) private(set) var readsLeft = 0
  /// Classes of which the regions that have been read have no run, found when no more may be read.
  @exclusivity(unchecked) var exhaustedClasses = SizeClassSet.none
  /// By class: the region in which a run of it was found last; none at first.
  @exclusivity(unchecked) var lastFits = ContiguousArray<Int?>(
    repeating: nil, count: SizeClass.largest + 1)
  /// A length for which there was no hole, and the version from which it is looked for again.
  @exclusivity(unchecked) var missedHole: (length: UInt64, until: Version) = (0, .zero)
  /// How many regions one commit reads in search of room before it rather grows the file.
  private static let readsMax = 256
  private static let readCountMax = 4096
  /// As many operations as a log holds.
  private static let pendingRoomMax = 1 << 16
  /// Operations that take as long to keep aside as a group to read.
  private static let operationsPerRead = 256
  /// Runs whose blocks have been given back to the file system.
  @exclusivity(unchecked) var returned = ReturnedRuns()

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
    to version: Version, source: NodeSource, index reference: NodeReference, logicalSize: UInt64,
    pins: [Version] = [], durable: Version? = nil
  ) throws(StorageError) {
    self.source = source
    readsLeft = Self.readsMax
    exhaustedClasses = .none
    self.pins.set(pins, durable: durable)
    try applyOwn()
    if self.version != version {
      try follow(to: version, index: reference, logicalSize: logicalSize)
    }
    while let (pin, regions) = self.pins.takeUnblocked() {
      for region in regions { try unblock(region, pin) }
    }
  }

  private func applyOwn() throws(StorageError) {
    for position in unapplied.indices {
      let run = unapplied[position]
      let operation = SpaceOperation(
        kind: .free, extent: Extent(offset: run.offset, length: run.length), version: run.createdIn)
      try apply(operation, version)
    }
    unapplied.removeAll(keepingCapacity: true)
  }

  private func follow(
    to version: Version, index reference: NodeReference, logicalSize: UInt64
  ) throws(StorageError) {
    let index = try FreeSpaceIndex(reference, source!)
    let seen = self.version
    let canFollow = seen != .zero && seen < version && index.start <= seen
    self.version = .zero
    self.logicalSize = logicalSize
    if canFollow { try follow(index) } else { try reset(index, logicalSize) }
    regions.extend(toCover: logicalSize)
    // What a region's node contains already is left out, here or when the region is read.
    if !canFollow {
      // How many there are is not known before they have been read, if the file is damaged.
      let room = min(index.operationCount, Self.pendingRoomMax)
      pending.reserve(operations: room, regions: regions.regionCount)
    }
    var last = (operation: SpaceOperation.commit(.zero), commit: Version.zero)
    try index.forEachOperation(after: canFollow ? seen : .zero) {
      (operation, commit) throws(StorageError) in
      try apply(operation, commit)
      if operation.kind == .free, last.operation.kind == .allocate, last.commit == commit,
        last.operation.extent == operation.extent
      {
        try noteReturned(operation.extent)
      }
      last = (operation, commit)
    }
    guard index.freeUnits <= logicalSize / Region.unit else {
      throw source!.corrupt(reference, "less free space than the file has was expected")
    }
    pending.prune { region, operation in isRecorded(operation.commit, region) }
    self.version = version
    self.index = reference
    freeUnits = index.freeUnits
  }

  private func reset(
    _ index: FreeSpaceIndex, _ logicalSize: UInt64
  ) throws(StorageError) {
    pending = PendingOperations()
    pins.forgetRegions()
    returned = ReturnedRuns()
    sweep = SweepQueue()
    regions = RegionTable()
    regions.reserve(toCover: logicalSize)
    for record in try RegionMap.groups(index.map, source!) { regions.append(record) }
    map = index.map
    // With what the groups record, most of a long log need not be kept aside.
    let readsAll = index.operationCount > regions.groups.count * Self.operationsPerRead
    for group in regions.groups.indices
    where readsAll || regions.groups[group].waitingUnits > 0 { try read(group: group) }
  }

  /// Takes over which nodes other processes have written meanwhile; what has been read stays.
  private func follow(_ index: FreeSpaceIndex) throws(StorageError) {
    guard index.map != map else { return }
    sweep = SweepQueue()
    let records = try RegionMap.groups(index.map, source!)
    map = index.map
    for (group, record) in records.enumerated() {
      if group >= regions.groups.count {
        regions.append(record)
      } else if regions.replace(group, by: record) {
        try regions.read(group, source!)
        reconsiderRegions(of: group)
      }
    }
  }

  /// Reads what is recorded of a group's regions, if it has not been read.
  func read(group: Int) throws(StorageError) {
    guard !regions.groups[group].isRead else { return }
    try regions.read(group, source!)
    reconsiderRegions(of: group)
  }

  /// Looks at what is known of those regions of a group that have not been read, after the group
  /// has.
  private func reconsiderRegions(of group: Int) {
    for region in RegionTable.regions(of: group)
    where !regions.isRead[region]
      && (regions.records[region].waitingUnits > 0 || !pending.isEmpty(region))
    {
      reconsider(region)
    }
  }

  // MARK: Operations

  /// Calls `body` with the part of `extent` in each region.
  @inline(__always)
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
  private func apply(_ operation: SpaceOperation, _ commit: Version) throws(StorageError) {
    let extent = operation.extent
    guard extent.length > 0 else { return }
    guard extent.offset >= UInt64(FileLayout.firstNode), extent.end <= 1 << 48 else {
      throw damaged("a free-space operation within the file was expected", at: extent.offset)
    }
    // The file may have been cut since; what it had beyond its end is of no use any more.
    let limit = UInt64(regions.regionCount) * Region.byteSize
    guard extent.offset < limit else { return }
    let within = Extent(offset: extent.offset, length: min(extent.length, limit - extent.offset))
    try Self.forEachPiece(of: within) { (region, run) throws(StorageError) in
      let part = RegionOperation(
        kind: operation.kind, run: run, createdIn: operation.version, commit: commit)
      if !regions.isRead[region] { return keepAside(part, region) }
      try apply(part, to: &regions.regions[region], region)
      regions.changed(region, by: commit)
    }
  }

  /// `known` is the region itself or a copy of it; nothing here comes back to it by its number.
  private func apply(
    _ operation: RegionOperation, to known: inout Region, _ region: Int
  ) throws(StorageError) {
    var isPossible: Bool
    switch operation.kind {
    case .commit: isPossible = true
    case .grow: isPossible = known.insert(operation.run)
    case .allocate:
      returned.forget(region, operation.run)
      var left = Int(operation.run.length) - known.remove(operation.run)
      if left > 0 { left -= known.removeWaiting(operation.run) }
      isPossible = left == 0
    case .free:
      isPossible = operation.commit > operation.createdIn
      let item = Region.WaitingRun(
        run: operation.run, createdIn: operation.createdIn, freed: operation.commit)
      if isPossible { isPossible = place(item, in: &known, region) }
    }
    guard isPossible else {
      throw damaged(
        "a consistent log of free space was expected",
        at: UInt64(region) * Region.byteSize + UInt64(operation.run.start) * Region.unit)
    }
  }

  /// Puts a freed run where it belongs now; false if it is free already.
  private func place(
    _ item: Region.WaitingRun, in known: inout Region, _ region: Int
  ) -> Bool {
    guard let pin = pins.blocking(createdIn: item.createdIn, freed: item.freed) else {
      return known.insert(item.run)
    }
    if known.addWaiting(item, blockedBy: pin) { pins.block(region, by: pin) }
    return true
  }

  /// Keeps an operation for when its region is read, and gives the search a hint.
  private func keepAside(_ operation: RegionOperation, _ region: Int) {
    if isRecorded(operation.commit, region) { return }
    pending.append(operation, to: region)
    regions.touch(region, by: operation.commit)
    hint(operation, region)
  }

  /// Whether the region's node is known to contain the operations of a commit.
  private func isRecorded(_ commit: Version, _ region: Int) -> Bool {
    commit <= regions.records[region].applied
  }

  /// What is free now becomes a hint for the search; what waits is looked at again when its pin is
  /// gone.
  private func hint(_ operation: RegionOperation, _ region: Int) {
    switch operation.kind {
    case .grow: break
    case .free:
      let pin = pins.blocking(createdIn: operation.createdIn, freed: operation.commit)
      if let pin { return pins.block(region, by: pin) }
    case .allocate, .commit: return
    }
    regions.hint(region, operation.run)
  }

  // MARK: Pins

  private func unblock(_ region: Int, _ pin: Version) throws(StorageError) {
    guard region < regions.regionCount else { return }
    if !regions.isRead[region] { return reconsider(region) }
    for item in regions.regions[region].takeWaiting(blockedBy: pin)
    where !place(item, in: &regions.regions[region], region) {
      throw damaged("a run that is freed once was expected", at: UInt64(region) * Region.byteSize)
    }
    regions.setSummary(region, regions.regions[region].summary)
  }

  /// Looks at what is known of a region that has not been read.
  private func reconsider(_ region: Int) {
    pending.forEach(in: region) { hint($0, region) }
    guard regions.groups[RegionTable.group(of: region)].isRead else { return }
    let record = regions.records[region]
    guard record.waitingUnits > 0 else { return }
    if record.blockedBy != .zero, pins.contains(record.blockedBy) {
      pins.block(region, by: record.blockedBy)
    } else {
      var summary = regions.summaries[region]
      summary.free = min(summary.size, summary.free + record.waitingUnits)
      summary.longest = summary.size
      regions.setSummary(region, summary)
    }
  }

  // MARK: Regions

  /// Reads a region, if it has not been: `regions.isRead[number]` from here on.
  @inline(__always)
  func read(region number: Int) throws(StorageError) {
    if !regions.isRead[number] { try readFromNode(number) }
  }

  private func readFromNode(_ number: Int) throws(StorageError) {
    try read(group: RegionTable.group(of: number))
    let record = regions.records[number]
    var known = try decode(record, number)
    try pending.forEach(in: number) { (operation) throws(StorageError) in
      guard operation.commit > record.applied else { return }
      try apply(operation, to: &known, number)
      regions.touch(number, by: operation.commit)
    }
    pending.remove(number)
    regions.insert(number, known)
  }

  private func decode(
    _ record: RegionMap.RegionRecord, _ number: Int
  ) throws(StorageError) -> Region {
    var known = Region()
    if record.reference.isNone { return known }
    let node = try source!.node(record.reference)
    guard node.kind == .freeSpaceRegion else {
      throw source!.corrupt(record.reference, "a region of free space was expected")
    }
    let isWhole = RegionCoding.decode(node) { run in
      known.insert(run)
    } waiting: { item in
      place(item, in: &known, number)
    }
    guard isWhole else {
      throw source!.corrupt(record.reference, "runs within their region were expected")
    }
    try source!.requireUnchanged(record.reference)
    return known
  }

  /// Reads a region, unless the commit has read enough of them.
  ///
  /// - Returns: whether the region is known.
  func readForSearch(_ number: Int) throws(StorageError) -> Bool {
    if regions.isRead[number] { return true }
    if readsLeft == 0 { return false }
    readsLeft -= 1
    try readFromNode(number)
    return true
  }

  func damaged(_ expectation: String, at offset: UInt64) -> StorageError {
    .corrupt(source?.path ?? "", at: offset, expectation)
  }

  func freedTwice(in region: Int) -> StorageError {
    damaged("space that is freed once was expected", at: UInt64(region) * Region.byteSize)
  }

  // MARK: After a commit

  /// Makes this describe the version that has just been committed, which freed `freed`.
  func committed(
    _ version: Version, index: NodeReference, map: NodeReference, freeUnits: UInt64,
    freed: [FreedExtent]
  ) {
    self.version = version
    self.index = index
    self.map = map
    self.freeUnits = freeUnits
    unapplied.append(contentsOf: freed)
    if regions.readCount > Self.readCountMax { regions.removeUnchanged() }
  }

  // MARK: How full

  /// Units that may be used now; an estimate where regions have not been read.
  var reusableUnits: UInt64 { min(UInt64(max(0, regions.freeUnits)), freeUnits) }
  var reusableBytes: UInt64 { reusableUnits * Region.unit }
  var freeBytes: UInt64 { freeUnits * Region.unit }
  var liveBytes: UInt64 { logicalSize - min(logicalSize, freeBytes) }

  /// Stops the program if what has been read contradicts itself.
  func checkInvariants() { regions.checkInvariants() }
}
