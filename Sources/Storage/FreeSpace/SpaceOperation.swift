/// What a commit did to the free space, as the log keeps it: 16 bytes.
///
///     word 0   bits 0..<45 offset in units of 8 bytes, bits 45..<47 kind, bits 47..<64 for `free`:
///              length in units
///     word 1   `free`: the version that wrote the bytes; `commit`: the version whose operations
///              follow; else the length in units
///
/// A freed run too long for one operation takes several.
struct SpaceOperation: Hashable {
  enum Kind: UInt64 {
    /// The operations that follow are those of the version in word 1.
    case commit = 0
    /// The run holds nodes now, or is no longer part of the file.
    case allocate = 1
    /// The version no longer needs the run.
    case free = 2
    /// The file has grown by the run.
    case grow = 3
  }

  var kind: Kind
  var extent: Extent
  /// The version that wrote a freed run; the version of a commit.
  var version: Version

  static let byteSize = 16
  private static let freeUnitsMax: UInt64 = 1 << 17 - 1
  private static let offsetMask: UInt64 = 1 << 45 - 1

  static func commit(_ version: Version) -> SpaceOperation {
    SpaceOperation(kind: .commit, extent: Extent(offset: 0, length: 0), version: version)
  }

  /// How many operations a freed run takes.
  static func freeCount(_ freed: FreedExtent) -> Int {
    Int((freed.length / Region.unit + freeUnitsMax - 1) / freeUnitsMax)
  }

  /// Calls `body` with one operation, or with several where a freed run is too long for one.
  static func forEachFree(_ freed: FreedExtent, _ body: (SpaceOperation) -> Void) {
    var offset = freed.offset
    let end = freed.offset + freed.length
    while offset < end {
      let length = min(end - offset, freeUnitsMax * Region.unit)
      let extent = Extent(offset: offset, length: length)
      body(SpaceOperation(kind: .free, extent: extent, version: freed.createdIn))
      offset += length
    }
  }

  static func allocate(_ extent: Extent) -> SpaceOperation {
    SpaceOperation(kind: .allocate, extent: extent, version: .zero)
  }

  static func grow(_ extent: Extent) -> SpaceOperation {
    SpaceOperation(kind: .grow, extent: extent, version: .zero)
  }

  func store(to place: UnsafeMutableRawPointer) {
    let length = extent.length / Region.unit
    var first = extent.offset / Region.unit | kind.rawValue << 45
    var second = version.rawValue
    switch kind {
    case .commit: break
    case .free: first |= length << 47
    case .allocate, .grow: second = length
    }
    place.storeBytes(of: first, as: UInt64.self)
    place.storeBytes(of: second, toByteOffset: 8, as: UInt64.self)
  }

  init(kind: Kind, extent: Extent, version: Version) {
    self.kind = kind
    self.extent = extent
    self.version = version
  }

  init(from place: UnsafeRawPointer) {
    let first = place.loadUnaligned(as: UInt64.self)
    let second = place.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    kind = Kind(rawValue: first >> 45 & 3)!  // Two bits, four kinds.
    let offset = (first & Self.offsetMask) * Region.unit
    switch kind {
    case .commit:
      extent = Extent(offset: 0, length: 0)
      version = Version(second)
    case .free:
      extent = Extent(offset: offset, length: (first >> 47) * Region.unit)
      version = Version(second)
    case .allocate, .grow:
      // What a damaged log names beyond any file is cut to what can be added up.
      extent = Extent(offset: offset, length: min(second, Self.offsetMask) * Region.unit)
      version = .zero
    }
  }
}
