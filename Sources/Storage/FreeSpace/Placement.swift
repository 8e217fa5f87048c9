import Platform

/// Gives the nodes of one commit their places in the file, low addresses first.
///
/// One extent that takes them all is preferred, wherever it is below the end of the file: then the
/// commit is one write. Where there is none, the file grows while it is nearly full; once a fair
/// part of it is free, the nodes go into the holes instead, the largest first, and the file grows
/// only by a node that fits nowhere. So what is free stays a bounded part of what is used.
struct Placement {
  private(set) var freeSpace: FreeSpace
  private let file: any SystemFile
  /// What was taken and not given back, by offset, neighbours joined.
  private(set) var used: [Extent] = []
  /// By what the file grew.
  private(set) var grown: [Extent] = []

  /// Free runs that compaction does not want to use while there are others.
  private var hidden: [Extent] = []
  private var boundary: UInt64?

  /// Up to this many nodes are fitted one by one; more are halved until they fit.
  private static let fittedCountMax = 64

  /// Whether new space is filled with zeros, see `extend`.
  private let fillsGrowth: Bool

  init(freeSpace: FreeSpace, file: any SystemFile, fillsGrowth: Bool) {
    self.freeSpace = freeSpace
    self.file = file
    self.fillsGrowth = fillsGrowth
  }

  /// Forgets what was used and grown so far: it is recorded elsewhere.
  mutating func forgetRecorded() {
    used = []
    grown = []
  }

  /// Ends placing and gives the free space to its owner.
  consuming func finish() -> FreeSpace {
    unhide()
    return freeSpace
  }

  /// From here on nodes go below `boundary`, into whatever holes there are, while they fit.
  mutating func compact(below boundary: UInt64) {
    self.boundary = boundary
    let size = freeSpace.logicalSize
    guard boundary < size else { return }
    hidden = freeSpace.hide(Extent(offset: boundary, length: size - boundary))
  }

  private mutating func unhide() {
    for extent in hidden { freeSpace.putBack(extent) }
    hidden = []
  }

  /// Places nodes.
  ///
  /// - Parameters:
  ///   - nodes: in the order in which they should lie.
  ///   - reserve: bytes that will be placed right after these; an extent with room for them too is
  ///     preferred.
  mutating func place(
    _ nodes: ArraySlice<UnsafeMutableRawPointer>, reserve: UInt64 = 0
  ) throws(StorageError) {
    guard !nodes.isEmpty else { return }
    let total = Self.bytes(nodes)
    if boundary != nil { return try spread(nodes) }
    if let last = used.last {
      let adjoining = Extent(offset: last.end, length: total)
      if freeSpace.take(exactly: adjoining) { return settle(nodes, at: adjoining) }
    }
    if let whole = freeSpace.takeFirst(fitting: total + reserve) {
      freeSpace.putBack(Extent(offset: whole.offset + total, length: reserve))
      return settle(nodes, at: Extent(offset: whole.offset, length: total))
    }
    if isSparse {
      try spread(nodes)
    } else {
      try placeByGrowing(nodes, total: total, reserve: reserve)
    }
  }

  private static func bytes(_ nodes: ArraySlice<UnsafeMutableRawPointer>) -> UInt64 {
    nodes.reduce(0) { $0 + UInt64(Node(address: $1).byteSize) }
  }

  private var isSparse: Bool {
    freeSpace.reusable.total > max(16384, freeSpace.usedBytes / 4)
  }

  private mutating func placeByGrowing(
    _ nodes: ArraySlice<UnsafeMutableRawPointer>, total: UInt64, reserve: UInt64
  ) throws(StorageError) {
    do {
      try grow(by: total + reserve, generously: true)
    } catch {
      // The disk is full: the holes have to do.
      guard freeSpace.reusable.total >= total else { throw error }
      return try spread(nodes)
    }
    let extent = freeSpace.takeFirst(fitting: total)!
    settle(nodes, at: extent)
  }

  private mutating func spread(
    _ nodes: ArraySlice<UnsafeMutableRawPointer>
  ) throws(StorageError) {
    if nodes.count <= Self.fittedCountMax {
      let bySize = nodes.sorted {
        Node(address: $0).byteSize > Node(address: $1).byteSize
      }
      for node in bySize { try fit([node][...]) }
    } else {
      try halve(nodes)
    }
    joinUsed()
  }

  private mutating func halve(
    _ nodes: ArraySlice<UnsafeMutableRawPointer>
  ) throws(StorageError) {
    if nodes.count == 1 { return try fit(nodes) }
    let total = Self.bytes(nodes)
    if let whole = freeSpace.takeFirst(fitting: total) { return settle(nodes, at: whole) }
    let middle = nodes.startIndex + nodes.count / 2
    try halve(nodes[..<middle])
    try halve(nodes[middle...])
  }

  private mutating func fit(_ nodes: ArraySlice<UnsafeMutableRawPointer>) throws(StorageError) {
    let total = Self.bytes(nodes)
    if let hole = freeSpace.takeBest(fitting: total) { return settle(nodes, at: hole) }
    if let boundary, !hidden.isEmpty {
      // As low as may be, so that a later step gains by it all the same.
      unhide()
      defer { compact(below: boundary) }
      if let hole = freeSpace.takeFirst(fitting: total) { return settle(nodes, at: hole) }
    }
    try grow(by: total, generously: false)
    settle(nodes, at: freeSpace.takeFirst(fitting: total)!)
  }

  private mutating func settle(
    _ nodes: ArraySlice<UnsafeMutableRawPointer>, at extent: Extent
  ) {
    var offset = extent.offset
    for node in nodes {
      NodeSerializer.setFinalWord(node, offset)
      offset += UInt64(Node(address: node).byteSize)
    }
    if let last = used.last, last.end == extent.offset {
      used[used.count - 1].length += extent.length
    } else {
      used.append(extent)
    }
  }

  private mutating func joinUsed() {
    used.sort { $0.offset < $1.offset }
    var joined: [Extent] = []
    for extent in used {
      if let last = joined.last, last.end == extent.offset {
        joined[joined.count - 1].length += extent.length
      } else {
        joined.append(extent)
      }
    }
    used = joined
  }

  /// Extends the file: by a step that goes with its size, or by little more than is needed.
  private mutating func grow(by needed: UInt64, generously: Bool) throws(StorageError) {
    let exact = (needed + 4095) & ~4095
    let step = min(max(freeSpace.logicalSize / 8, 32768), 64 << 20)
    let wanted = generously ? max((step + 4095) & ~4095, exact) : exact
    do {
      try extend(by: wanted)
    } catch {
      guard wanted > exact else { throw StorageError(error, doing: "grow the file") }
      do { try extend(by: exact) } catch {
        throw StorageError(error, doing: "grow the file")
      }
    }
  }

  /// The first write to a block that has only been reserved changes the file system's own records,
  /// and then a flush costs its journal's, too. Filled at once, a step of growth pays that once and
  /// not with every commit that goes there.
  private func fill(_ start: UInt64, _ length: UInt64) throws(SystemError) {
    let zeros = [UInt8](repeating: 0, count: 65536)
    var offset = start
    while offset < start + length {
      let count = Int(min(UInt64(zeros.count), start + length - offset))
      let failure = zeros.withUnsafeBytes { bytes -> SystemError? in
        do throws(SystemError) {
          try file.write(UnsafeRawBufferPointer(rebasing: bytes[0..<count]), at: offset)
          return nil
        } catch {
          return error
        }
      }
      if let failure { throw failure }
      offset += UInt64(count)
    }
  }

  private static let fillSizeMax: UInt64 = 4 << 20

  private mutating func extend(by length: UInt64) throws(SystemError) {
    let start = freeSpace.logicalSize
    try file.allocate(offset: start, length: length)
    if fillsGrowth, length <= Self.fillSizeMax { try fill(start, length) }
    let extent = Extent(offset: start, length: length)
    freeSpace.logicalSize = extent.end
    grown.append(extent)
    freeSpace.putBack(extent)
  }
}

extension Placement {
  static var cutSizeMin: UInt64 { 65536 }

  /// Takes the free run at the end of the file out of it, so that the file can be cut there. What is
  /// free is complete afterwards; `compact(below:)` has to be called again for what is yet to be
  /// placed.
  mutating func cutTail() -> Extent? {
    unhide()
    guard let last = freeSpace.reusable.last, last.end == freeSpace.logicalSize,
      last.length >= Self.cutSizeMin
    else { return nil }
    // Something stays for what this commit has yet to place.
    let kept = Self.cutSizeMin / 2
    let cut = Extent(offset: last.offset + kept, length: last.length - kept)
    guard freeSpace.take(exactly: cut) else { return nil }
    freeSpace.logicalSize = cut.offset
    return cut
  }
}
