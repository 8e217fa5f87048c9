/// How a region is kept in a node: its runs, then its waiting runs, ascending, as numbers of seven
/// bits a byte, low bits first, the top bit meaning that more follow.
///
/// Node header: `count` runs, `auxiliary` waiting runs. A run is its distance from the end of the
/// run before (at first from the region's start) and its length; a waiting run is the same, then
/// `createdIn`, then `freed - createdIn`.
enum RegionCoding {
  /// - Returns: nil where waiting runs overlap, which takes a damaged file: a node in it reaches
  ///   into the next, or has two parents, and both have been freed.
  static func encode(_ region: Region) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(region.runs.count * 4 + region.waiting.count * 12)
    var last: UInt32 = 0
    for run in region.runs {
      append(UInt64(run.start - last), to: &bytes)
      append(UInt64(run.length), to: &bytes)
      last = run.end
    }
    last = 0
    for item in region.waiting.sorted() {
      guard item.run.start >= last else { return nil }
      append(UInt64(item.run.start - last), to: &bytes)
      append(UInt64(item.run.length), to: &bytes)
      append(item.createdIn.rawValue, to: &bytes)
      append(item.freed.distance(from: item.createdIn), to: &bytes)
      last = item.run.end
    }
    return bytes
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 128 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// What a node holds, in order.
  ///
  /// - Returns: false where the bytes make no sense: a run outside of the region, or before its
  ///   end.
  static func decode(
    _ node: Node, run: (Region.Run) -> Bool, waiting: (Region.WaitingRun) -> Bool
  ) -> Bool {
    var reader = Reader(bytes: node.dataBytes)
    var last: UInt64 = 0
    for _ in 0..<node.count {
      guard let item = reader.run(after: &last), run(item) else { return false }
    }
    last = 0
    for _ in 0..<node.auxiliary {
      guard let item = reader.run(after: &last), let createdIn = reader.number(),
        let age = reader.number(), age > 0, createdIn < UInt64.max - age,
        waiting(
          Region.WaitingRun(
            run: item, createdIn: Version(createdIn), freed: Version(createdIn + age)))
      else { return false }
    }
    return true
  }

  private struct Reader {
    let bytes: UnsafeRawBufferPointer
    var position = 0

    mutating func number() -> UInt64? {
      var result: UInt64 = 0
      var shift: UInt64 = 0
      while position < bytes.count, shift < 63 {
        let byte = bytes[position]
        position += 1
        result |= UInt64(byte & 127) << shift
        if byte < 128 { return result }
        shift += 7
      }
      return nil
    }

    mutating func run(after last: inout UInt64) -> Region.Run? {
      guard let distance = number(), let length = number(), length > 0,
        distance <= UInt64(Region.unitCount), length <= UInt64(Region.unitCount),
        last + distance + length <= UInt64(Region.unitCount)
      else { return nil }
      let start = last + distance
      last = start + length
      return Region.Run(start: UInt32(start), length: UInt32(length))
    }
  }
}

extension RegionCoding {
  /// A new node that describes a region; none for one that is used as a whole. Nil as `encode`.
  static func makeNode(_ region: Region, _ writer: NodeWriter) -> NodeReference? {
    if region.isEmpty { return NodeReference.none }
    guard let bytes = encode(region) else { return nil }
    let node = writer.make(
      kind: .freeSpaceRegion, count: region.runs.count,
      auxiliary: UInt32(region.waiting.count), dataSize: bytes.count)
    bytes.withUnsafeBytes {
      node.data.copyMemory(from: $0.baseAddress!, byteCount: bytes.count)
    }
    return node.reference
  }
}
