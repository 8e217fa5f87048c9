import Platform

/// Gives the nodes of one commit their places in the file, low addresses first.
///
/// A node that replaces one which has lasted will last too: it goes into a hole of its own size,
/// such as the one that it replaces leaves. The others will be replaced soon, together, so they go
/// into one run: then most commits are one write, and what they leave behind is one run again.
///
/// Where no run takes them all, the file grows while it is nearly full. Once much of it is free,
/// the nodes are halved until the parts fit, and in the end each goes into the hole that it fills
/// best, and the file grows only by a node that fits nowhere. So what is free stays a bounded part
/// of what is used.
struct Placement {
  let freeSpace: FreeSpace
  private let file: any SystemFile
  /// What was taken and not given back.
  private(set) var used: [Extent] = []
  /// By what the file grew.
  private(set) var grown: [Extent] = []
  private let options: Options
  typealias Nodes = Slice<UnsafeBufferPointer<UnsafeMutableRawPointer>>
  /// The version that the nodes are of.
  private let version: Version
  /// The end of the last run that was taken for nodes that will not last.
  private var runEnd: UInt64?

  struct Options {
    /// Whether new space is filled with zeros, see `fill`.
    var fillsGrowth = false
    /// Whether nodes share no block of the disk with those of earlier commits, for `strict`: a
    /// write that a power loss interrupts can then harm no node but its own.
    var keepsBlocksApart = false
    /// Compaction: nodes go below here while they fit.
    var boundary: UInt64?
    /// Bytes by which encryption makes a node longer.
    var extraSize: UInt64 = 0
  }

  /// What a disk writes at once, at the most.
  static let blockSize: UInt64 = 4096
  /// Up to this many nodes are looked at one by one.
  private static let fittedCountMax = 512
  /// A run of this many bytes takes nodes that will last and find no hole of their size.
  private static let lastingAreaSize: UInt64 = 16384
  /// In how many versions a node has to have been for its successor to be expected to last.
  private static let lastingAge = 1024

  init(freeSpace: FreeSpace, file: any SystemFile, version: Version, options: Options) {
    self.freeSpace = freeSpace
    self.file = file
    self.version = version
    self.options = options
    used.reserveCapacity(8)
  }

  /// Places nodes.
  ///
  /// - Parameters:
  ///   - nodes: in the order in which they should lie.
  ///   - reserve: bytes that will be placed right after these; a run with room for them too is
  ///     preferred.
  mutating func place(
    _ nodes: Nodes, reserve: UInt64 = 0
  ) throws(StorageError) {
    guard !nodes.isEmpty else { return }
    if options.boundary != nil { return try allocateScattered(nodes) }
    try placeLasting(nodes)
    let total = bytes(nodes)
    if total == 0 { return }
    if let runEnd {
      let adjoining = Extent(offset: runEnd, length: total)
      if !options.keepsBlocksApart || Self.isInLastBlock(adjoining, at: runEnd),
        try freeSpace.take(exactly: adjoining)
      {
        return assign(nodes, at: adjoining)
      }
    }
    if let whole = try take(total, reserve: reserve) { return assign(nodes, at: whole) }
    if isSparse {
      try allocateUnplaced(nodes)
    } else {
      try placeByGrowing(nodes, total: total, reserve: reserve)
    }
  }

  /// Places the nodes that will last where there is a hole of their size.
  private mutating func placeLasting(
    _ nodes: Nodes
  ) throws(StorageError) {
    guard nodes.count <= Self.fittedCountMax, !options.keepsBlocksApart else { return }
    var lastingBytes: UInt64 = 0
    var count = 0
    for node in nodes where willLast(node) {
      lastingBytes += placedSize(node)
      count += 1
    }
    if count == 0 { return }
    var joint = count > 1 ? try jointHole(lastingBytes) : nil
    for node in nodes where willLast(node) {
      let size = placedSize(node)
      var hole: Extent?
      if let rest = joint {
        hole = Extent(offset: rest.offset, length: size)
        joint = Extent(offset: rest.offset + size, length: rest.length - size)
      } else {
        hole = try freeSpace.takeBest(fitting: size, closely: true)
        if hole == nil { hole = try besideLasting(size) }
      }
      guard let hole else { continue }
      NodeSerializer.setFinalWord(node, hole.offset)
      used.append(hole)
    }
  }

  /// What is changed together is often changed together again, so a hole of the size of all is
  /// best. Where there is none the next commits do not look for one.
  private func jointHole(_ length: UInt64) throws(StorageError) -> Extent? {
    let missed = freeSpace.missedHole
    if length == missed.length, version < missed.until { return nil }
    let hole = try freeSpace.takeBest(fitting: length, closely: true)
    if hole == nil { freeSpace.missedHole = (length, version.advanced(by: Self.missedHolePause)) }
    return hole
  }

  private static let missedHolePause: UInt64 = 16

  /// A place right after the node that was placed here last, or at the start of a long free run.
  /// Among nodes that will not last it would leave a hole on either side when they are gone.
  private func besideLasting(_ size: UInt64) throws(StorageError) -> Extent? {
    let adjoining = Extent(offset: freeSpace.lastingEnd, length: size)
    if adjoining.offset > 0, try freeSpace.take(exactly: adjoining) {
      freeSpace.lastingEnd = adjoining.end
      return adjoining
    }
    guard let hole = try freeSpace.takeFirst(fitting: size, reserve: Self.lastingAreaSize) else {
      return nil
    }
    freeSpace.lastingEnd = hole.end
    return hole
  }

  /// A copy still says when its original was written; a new node says 0.
  private func willLast(_ node: UnsafeMutableRawPointer) -> Bool {
    let createdIn = Node(address: node).createdIn
    return createdIn > .zero && createdIn < version
      && version.distance(from: createdIn) >= UInt64(Self.lastingAge)
  }

  private func placedSize(_ node: UnsafeMutableRawPointer) -> UInt64 {
    NodeSerializer.placedSize(node, extra: options.extraSize)
  }

  /// What those take that have no place yet.
  private func bytes(_ nodes: Nodes) -> UInt64 {
    var total: UInt64 = 0
    for node in nodes where !NodeSerializer.isPlaced(node) { total += placedSize(node) }
    return total
  }

  /// Whether what follows a run stays within the blocks that the run has to itself.
  private static func isInLastBlock(_ next: Extent, at end: UInt64) -> Bool {
    next.end <= (end + blockSize - 1) / blockSize * blockSize
  }

  /// Takes a run from free space, where it fits with the reserve if possible.
  private func take(
    _ length: UInt64, reserve: UInt64 = 0
  ) throws(StorageError) -> Extent? {
    guard options.keepsBlocksApart else {
      return try freeSpace.takeFirst(fitting: length, reserve: reserve)
    }
    // The blocks have to be free as a whole; what the nodes leave of the last one stays free, and
    // is of use again when the whole block is.
    let blocks = (length + Self.blockSize - 1) / Self.blockSize * Self.blockSize
    return try freeSpace.takeFirst(
      fitting: length, reserve: blocks - length, alignment: Self.blockSize)
  }

  /// Whether so much is free that nodes of one commit should be kept together less.
  private var isSparse: Bool {
    freeSpace.reusableBytes > max(Self.looseBytesMin, freeSpace.liveBytes / 4)
  }

  /// Whether so much is free that each node should go into the hole that it fills best. In a small
  /// file that costs little, and the file looks large soon.
  private var isVerySparse: Bool {
    let live = freeSpace.liveBytes
    return freeSpace.reusableBytes > (live < Self.smallLiveBytes ? live / 4 : live / 2)
  }

  private static let looseBytesMin: UInt64 = 16384
  private static let smallLiveBytes: UInt64 = 1 << 18

  private mutating func placeByGrowing(
    _ nodes: Nodes, total: UInt64, reserve: UInt64
  ) throws(StorageError) {
    do {
      try grow(by: total + reserve, generously: true)
    } catch {
      // The disk is full: the holes have to do.
      guard freeSpace.reusableBytes >= total else { throw error }
      return try allocateUnplaced(nodes)
    }
    guard let extent = try take(total) else { throw noRoom(total) }
    assign(nodes, at: extent)
  }

  private mutating func allocateUnplaced(_ nodes: Nodes) throws(StorageError) {
    let unplaced = nodes.filter { !NodeSerializer.isPlaced($0) }
    try unplaced.withUnsafeBufferPointer { (nodes) throws(StorageError) in
      try allocateScattered(nodes[...])
    }
  }

  private func noRoom(_ length: UInt64) -> StorageError {
    freeSpace.damaged("room for \(length) bytes was expected", at: freeSpace.logicalSize)
  }

  private mutating func allocateScattered(
    _ nodes: Nodes
  ) throws(StorageError) {
    if nodes.count <= Self.fittedCountMax, !options.keepsBlocksApart,
      options.boundary != nil || isVerySparse
    {
      let bySize = nodes.sorted { placedSize($0) > placedSize($1) }
      for node in bySize { try fit(node) }
    } else {
      try halve(nodes)
    }
  }

  private mutating func halve(
    _ nodes: Nodes
  ) throws(StorageError) {
    if nodes.count == 1 { return try fit(nodes[nodes.startIndex]) }
    let total = bytes(nodes)
    if options.boundary == nil || options.keepsBlocksApart {
      if let whole = try take(total) { return assign(nodes, at: whole) }
    } else if let boundary = options.boundary,
      let whole = try freeSpace.takeFirst(fitting: total, below: boundary)
    {
      return assign(nodes, at: whole)
    }
    let middle = nodes.startIndex + nodes.count / 2
    try halve(nodes[..<middle])
    try halve(nodes[middle...])
  }

  private mutating func fit(_ node: UnsafeMutableRawPointer) throws(StorageError) {
    let size = placedSize(node)
    var extent = try hole(size)
    if extent == nil {
      try grow(by: size, generously: false)
      extent = try take(size)
    }
    guard let extent else { throw noRoom(size) }
    NodeSerializer.setFinalWord(node, extent.offset)
    noteUsed(extent)
  }

  private func hole(_ length: UInt64) throws(StorageError) -> Extent? {
    if options.keepsBlocksApart { return try take(length) }
    if let boundary = options.boundary {
      if let hole = try freeSpace.takeBest(fitting: length, below: boundary) { return hole }
      // As low as may be, so that a later step gains by it all the same.
      return try freeSpace.takeFirst(fitting: length)
    }
    return try freeSpace.takeBest(fitting: length)
  }

  private mutating func assign(
    _ nodes: Nodes, at extent: Extent
  ) {
    var offset = extent.offset
    for node in nodes where !NodeSerializer.isPlaced(node) {
      NodeSerializer.setFinalWord(node, offset)
      offset += placedSize(node)
    }
    noteUsed(extent)
  }

  private mutating func noteUsed(_ extent: Extent) {
    runEnd = extent.end
    if let last = used.last, last.end == extent.offset {
      used[used.count - 1].length += extent.length
    } else {
      used.append(extent)
    }
  }

  /// Brings `used` in order and joins neighbours, when everything has been placed.
  mutating func joinUsed() {
    guard used.count > 1 else { return }
    used.sort { $0.offset < $1.offset }
    var last = 0
    for index in 1..<used.count {
      if used[last].end == used[index].offset {
        used[last].length += used[index].length
      } else {
        last += 1
        used[last] = used[index]
      }
    }
    used.removeLast(used.count - 1 - last)
  }

  // MARK: Growth

  /// Extends the file: by a step that goes with its size, or by little more than is needed.
  private mutating func grow(by needed: UInt64, generously: Bool) throws(StorageError) {
    let spare = options.keepsBlocksApart ? 2 * Self.blockSize : 0
    let exact = (needed + spare + 4095) & ~4095
    let step = min(
      max(freeSpace.logicalSize / 64, min(freeSpace.logicalSize / 8, 1 << 18), 32768), 64 << 20)
    let wanted = generously ? max((step + 4095) & ~4095, exact) : exact
    do throws(SystemError) {
      try reserve(wanted)
    } catch {
      guard wanted > exact else { throw StorageError(error, doing: "grow the file") }
      do throws(SystemError) { try reserve(exact) } catch {
        throw StorageError(error, doing: "grow the file")
      }
      return try extend(by: exact)
    }
    try extend(by: wanted)
  }

  private func reserve(_ length: UInt64) throws(SystemError) {
    let start = freeSpace.logicalSize
    try file.allocate(offset: start, length: length)
    if options.fillsGrowth, length <= Self.fillSizeMax { try fill(start, length) }
  }

  private mutating func extend(by length: UInt64) throws(StorageError) {
    let extent = Extent(offset: freeSpace.logicalSize, length: length)
    freeSpace.logicalSize = extent.end
    grown.append(extent)
    try freeSpace.add(extent)
  }

  private static let fillSizeMax: UInt64 = 4 << 20

  /// The first write to a block that has only been reserved changes the file system's own records,
  /// and then a flush costs its journal's, too. Filled at once, a step of growth pays that once and
  /// not with every commit that goes there.
  private func fill(_ start: UInt64, _ length: UInt64) throws(SystemError) {
    let zeros = [UInt8](repeating: 0, count: 65536)
    var offset = start
    if options.keepsBlocksApart {
      // The file may end within a block of an earlier commit, which is not to be written to.
      offset = (start + Self.blockSize - 1) / Self.blockSize * Self.blockSize
    }
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
}
