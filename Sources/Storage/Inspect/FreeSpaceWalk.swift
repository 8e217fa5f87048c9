/// All that is free in a version, in order of offset, a region at a time.
struct FreeSpaceWalk {
  /// A run that holds no live node.
  struct Entry {
    var extent: Extent
    /// The versions that need it: `createdIn ..< freed`; nil: none.
    var neededBy: Range<Version>?
  }

  private let freeSpace = FreeSpace()
  private let regionCount: Int
  let logicalSize: UInt64

  /// - Parameters:
  ///   - pins: what is needed by none of them counts as free; none: nothing is left out.
  init(
    _ snapshot: Snapshot, pins: [Version] = [], durable: Version? = nil
  ) throws(StorageError) {
    logicalSize = snapshot.logicalSize
    try freeSpace.advance(
      to: snapshot.version, source: snapshot.source, index: snapshot.freeSpace,
      logicalSize: snapshot.logicalSize, pins: pins, durable: durable)
    regionCount = Int((logicalSize + Region.byteSize - 1) / Region.byteSize)
  }

  /// What the version's own count says: bytes that hold no live node.
  var countedFreeBytes: UInt64 { freeSpace.freeBytes }

  func forEach(_ body: (Entry) throws(StorageError) -> Void) throws(StorageError) {
    for number in 0..<regionCount {
      try freeSpace.read(region: number)
      let region = freeSpace.regions.regions[number]
      var entries = region.runs.map { Entry(extent: Self.extent($0, number), neededBy: nil) }
      for item in region.waiting.sorted() {
        let extent = Self.extent(item.run, number)
        entries.append(Entry(extent: extent, neededBy: item.createdIn..<item.freed))
      }
      entries.sort { $0.extent.offset < $1.extent.offset }
      for entry in entries { try body(entry) }
      freeSpace.regions.remove(number)
    }
  }

  private static func extent(_ run: Region.Run, _ region: Int) -> Extent {
    Extent(
      offset: UInt64(region) * Region.byteSize + UInt64(run.start) * Region.unit,
      length: UInt64(run.length) * Region.unit)
  }
}
