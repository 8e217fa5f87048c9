/// How the regions of a file are found: a map node with a reference per group, a group node with a
/// reference per region, each with what a search for room has to know before it goes down.
///
/// Map data, 24 bytes per group: free, prefix, suffix and longest run, waiting units (UInt32 each),
/// UInt32 zero. Group data, 40 bytes per region: UInt64 `applied` (its node contains the operations
/// up to this version), UInt64 `blockedBy` (the one version that all its waiting runs wait for; 0:
/// several), then free, prefix, suffix, longest, waiting units (UInt32 each), UInt32 zero. A
/// reference is none where nothing has been recorded.
enum RegionMap {
  static let regionsPerGroup = 64
  static let unitsPerGroup = regionsPerGroup * Region.unitCount
  static let groupEntrySize = 24
  static let regionEntrySize = 40

  /// What a map says of a group.
  struct GroupRecord {
    var reference = NodeReference.none
    var summary = RunSummary.used(size: RegionMap.unitsPerGroup)
    var waitingUnits: Int32 = 0
  }

  /// What a group says of a region.
  struct RegionRecord {
    var reference = NodeReference.none
    var applied = Version.zero
    var blockedBy = Version.zero
    var waitingUnits: Int32 = 0
  }

  // MARK: Reading

  static func groups(
    _ map: NodeReference, _ source: NodeSource
  ) throws(StorageError) -> [GroupRecord] {
    if map.isNone { return [] }
    let node = try source.node(map)
    guard node.kind == .regionMap, node.dataSize >= node.referenceCount * groupEntrySize else {
      throw source.corrupt(map, "the map of free space was expected")
    }
    var groups: [GroupRecord] = []
    groups.reserveCapacity(node.referenceCount)
    for index in 0..<node.referenceCount {
      let place = node.data + index * groupEntrySize
      guard let summary = summary(at: place, size: unitsPerGroup) else {
        throw source.corrupt(map, "free space within its group was expected")
      }
      groups.append(
        GroupRecord(
          reference: node.reference(index), summary: summary,
          waitingUnits: waiting(at: place + 16)))
    }
    return groups
  }

  /// Calls `body` with each region of a group that something has been recorded of.
  static func forEachRegion(
    _ group: NodeReference, _ source: NodeSource,
    _ body: (_ position: Int, _ record: RegionRecord, _ summary: RunSummary) -> Void
  ) throws(StorageError) {
    if group.isNone { return }
    let node = try source.node(group)
    guard node.kind == .regionGroup, node.referenceCount == regionsPerGroup,
      node.dataSize >= regionsPerGroup * regionEntrySize
    else { throw source.corrupt(group, "a group of free-space regions was expected") }
    for index in 0..<regionsPerGroup {
      let place = node.data + index * regionEntrySize
      guard let summary = summary(at: place + 16, size: Region.unitCount) else {
        throw source.corrupt(group, "free space within its region was expected")
      }
      let record = RegionRecord(
        reference: node.reference(index), applied: Version(place.load(as: UInt64.self)),
        blockedBy: Version(place.load(fromByteOffset: 8, as: UInt64.self)),
        waitingUnits: waiting(at: place + 32))
      body(index, record, summary)
    }
  }

  private static func waiting(at place: UnsafeRawPointer) -> Int32 {
    Int32(clamping: place.load(as: UInt32.self))
  }

  /// Hints need not agree with each other.
  private static func summary(at place: UnsafeRawPointer, size: Int) -> RunSummary? {
    func number(_ index: Int) -> Int32? {
      let number = place.load(fromByteOffset: index * 4, as: UInt32.self)
      return number <= size ? Int32(number) : nil
    }
    guard let free = number(0), let prefix = number(1), let suffix = number(2),
      let longest = number(3)
    else { return nil }
    return RunSummary(
      size: Int32(size), free: free, prefix: prefix, suffix: suffix, longest: longest)
  }

  // MARK: Writing

  static func write(_ groups: [GroupRecord], _ writer: NodeWriter) -> NodeReference {
    let node = writer.make(
      kind: .regionMap, referenceCount: groups.count, count: groups.count,
      dataSize: groups.count * groupEntrySize)
    for (index, group) in groups.enumerated() {
      node.setReference(index, group.reference)
      store(group.summary, group.waitingUnits, at: node.data + index * groupEntrySize)
    }
    return node.reference
  }

  static func write(
    _ regions: [(record: RegionRecord, summary: RunSummary)], _ writer: NodeWriter
  ) -> NodeReference {
    let node = writer.make(
      kind: .regionGroup, referenceCount: regions.count, count: regions.count,
      dataSize: regions.count * regionEntrySize)
    for (index, region) in regions.enumerated() {
      node.setReference(index, region.record.reference)
      let place = node.data + index * regionEntrySize
      place.storeBytes(of: region.record.applied.rawValue, as: UInt64.self)
      place.storeBytes(of: region.record.blockedBy.rawValue, toByteOffset: 8, as: UInt64.self)
      store(region.summary, region.record.waitingUnits, at: place + 16)
    }
    return node.reference
  }

  private static func store(
    _ summary: RunSummary, _ waiting: Int32, at place: UnsafeMutableRawPointer
  ) {
    place.storeBytes(of: summary.free, as: Int32.self)
    place.storeBytes(of: summary.prefix, toByteOffset: 4, as: Int32.self)
    place.storeBytes(of: summary.suffix, toByteOffset: 8, as: Int32.self)
    place.storeBytes(of: summary.longest, toByteOffset: 12, as: Int32.self)
    place.storeBytes(of: waiting, toByteOffset: 16, as: Int32.self)
  }
}
