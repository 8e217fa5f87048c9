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

  /// A region as its group knows it.
  struct Entry {
    var reference = NodeReference.none
    var applied: UInt64 = 0
    var blockedBy: UInt64 = 0
    var waitingUnits = 0
    /// Exact where `region` is there; else of what is recorded, with hints of what was freed since.
    var summary = RunSummary.used(size: Region.unitCount)
    var region: Region?
    /// The version of the last operation in it that is not in its node.
    var touched: UInt64 = 0
  }

  /// 16 MiB of the file.
  struct Group {
    var reference = NodeReference.none
    var summary = RunSummary.used(size: RegionMap.unitsPerGroup)
    var waitingUnits = 0
    /// Empty until the group has been read.
    var entries: [Entry] = []
    /// Whether `summary` has to be made from the entries anew.
    var isOutdated = false

    var isLoaded: Bool { !entries.isEmpty }

    mutating func summarize() {
      guard isOutdated else { return }
      isOutdated = false
      var sum = RunSummary()
      for entry in entries { sum.append(entry.summary) }
      summary = sum
    }
  }

  // MARK: Reading

  /// The groups of a map, none of them loaded.
  static func groups(_ map: NodeReference, _ source: NodeSource) throws(StorageError) -> [Group] {
    if map.isNone { return [] }
    let node = try source.node(map)
    guard node.kind == .regionMap, node.dataSize >= node.referenceCount * groupEntrySize else {
      throw source.corrupt(map, "the map of free space was expected")
    }
    var groups: [Group] = []
    groups.reserveCapacity(node.referenceCount)
    for index in 0..<node.referenceCount {
      let place = node.data + index * groupEntrySize
      guard let summary = summary(at: place, size: unitsPerGroup) else {
        throw source.corrupt(map, "free space within its group was expected")
      }
      groups.append(
        Group(
          reference: node.reference(index), summary: summary,
          waitingUnits: Int(place.load(fromByteOffset: 16, as: UInt32.self))))
    }
    return groups
  }

  /// The entries of a group.
  static func entries(
    _ group: NodeReference, _ source: NodeSource
  ) throws(StorageError) -> [Entry] {
    if group.isNone { return Array(repeating: Entry(), count: regionsPerGroup) }
    let node = try source.node(group)
    guard node.kind == .regionGroup, node.referenceCount == regionsPerGroup,
      node.dataSize >= regionsPerGroup * regionEntrySize
    else { throw source.corrupt(group, "a group of free-space regions was expected") }
    var entries: [Entry] = []
    entries.reserveCapacity(regionsPerGroup)
    for index in 0..<regionsPerGroup {
      let place = node.data + index * regionEntrySize
      guard let summary = summary(at: place + 16, size: Region.unitCount) else {
        throw source.corrupt(group, "free space within its region was expected")
      }
      var entry = Entry()
      entry.reference = node.reference(index)
      entry.applied = place.load(as: UInt64.self)
      entry.blockedBy = place.load(fromByteOffset: 8, as: UInt64.self)
      entry.waitingUnits = Int(place.load(fromByteOffset: 32, as: UInt32.self))
      entry.summary = summary
      entries.append(entry)
    }
    return entries
  }

  private static func summary(at place: UnsafeRawPointer, size: Int) -> RunSummary? {
    func number(_ index: Int) -> Int {
      Int(place.load(fromByteOffset: index * 4, as: UInt32.self))
    }
    let summary = RunSummary(
      size: size, free: number(0), prefix: number(1), suffix: number(2), longest: number(3))
    // Hints need not agree with each other.
    let numbers = [summary.free, summary.prefix, summary.suffix, summary.longest]
    return numbers.allSatisfy { $0 <= size } ? summary : nil
  }

  // MARK: Writing

  static func write(_ groups: [Group], _ writer: NodeWriter) -> NodeReference {
    let node = writer.make(
      kind: .regionMap, referenceCount: groups.count, count: groups.count,
      dataSize: groups.count * groupEntrySize)
    for (index, group) in groups.enumerated() {
      node.setReference(index, group.reference)
      let place = node.data + index * groupEntrySize
      store(group.summary, waiting: group.waitingUnits, at: place)
    }
    return node.reference
  }

  static func write(_ entries: [Entry], _ writer: NodeWriter) -> NodeReference {
    let node = writer.make(
      kind: .regionGroup, referenceCount: entries.count, count: entries.count,
      dataSize: entries.count * regionEntrySize)
    for (index, entry) in entries.enumerated() {
      node.setReference(index, entry.reference)
      let place = node.data + index * regionEntrySize
      place.storeBytes(of: entry.applied, as: UInt64.self)
      place.storeBytes(of: entry.blockedBy, toByteOffset: 8, as: UInt64.self)
      store(entry.summary, waiting: entry.waitingUnits, at: place + 16)
    }
    return node.reference
  }

  private static func store(
    _ summary: RunSummary, waiting: Int, at place: UnsafeMutableRawPointer
  ) {
    let numbers = [summary.free, summary.prefix, summary.suffix, summary.longest, waiting]
    for (index, number) in numbers.enumerated() {
      place.storeBytes(of: UInt32(number), toByteOffset: index * 4, as: UInt32.self)
    }
  }
}
