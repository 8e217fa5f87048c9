import Platform

/// Collects the uncommitted nodes below a root, children before parents, and writes them out.
///
/// The words in front of each node (see `Arena`) keep where it goes: zero until it is collected,
/// then one, then its place, then, once it is written, its final reference. The nodes themselves
/// are not changed: whoever reads the transaction's own view can go on until it moves to the
/// snapshot.
struct NodeSerializer {
  private(set) var nodes: [UnsafeMutableRawPointer] = []
  private(set) var totalBytes: UInt64 = 0
  /// Bytes by which encryption makes a node longer.
  private let extraSize: UInt64

  init(extraSize: UInt64) {
    self.extraSize = extraSize
    nodes.reserveCapacity(32)
  }

  /// Adds all uncommitted nodes below `reference`.
  mutating func collect(_ reference: NodeReference) {
    guard reference.isUncommitted else { return }
    let address = UnsafeMutableRawPointer(mutating: reference.address)
    let node = Node(address: address)
    precondition(Self.finalWord(address) == 0, "a node has two parents")
    Self.setFinalWord(address, 1)
    var place = address + NodeLayout.headerSize
    for _ in 0..<node.referenceCount {
      let child = NodeReference(rawValue: place.load(as: UInt64.self))
      if child.isUncommitted { collect(child) }
      place += 8
    }
    nodes.append(address)
    totalBytes += placedSize(address)
  }

  /// Adds one node whose children have been collected.
  mutating func append(_ node: MutableNode) {
    Self.setFinalWord(node.address, 1)
    nodes.append(node.address)
    totalBytes += placedSize(node.address)
  }

  /// Whether a node that has been collected has got its place.
  static func isPlaced(_ node: UnsafeMutableRawPointer) -> Bool { finalWord(node) != 1 }

  /// Bytes that a node takes in the file, `extra` of them for encryption.
  static func placedSize(_ address: UnsafeMutableRawPointer, extra: UInt64) -> UInt64 {
    UInt64(max(Node(address: address).byteSize, NodeLayout.byteSizeMin)) + extra
  }

  private func placedSize(_ address: UnsafeMutableRawPointer) -> UInt64 {
    Self.placedSize(address, extra: extraSize)
  }

  /// The reference that a written node is known by from here on; that of a node in the file is what
  /// it was.
  static func finalReference(_ reference: NodeReference) -> NodeReference {
    guard reference.isUncommitted else { return reference }
    return NodeReference(
      rawValue: finalWord(UnsafeMutableRawPointer(mutating: reference.address)))
  }

  static func finalWord(_ address: UnsafeMutableRawPointer) -> UInt64 {
    (address - 8).load(as: UInt64.self)
  }

  static func setFinalWord(_ address: UnsafeMutableRawPointer, _ value: UInt64) {
    (address - 8).storeBytes(of: value, as: UInt64.self)
  }

  /// Writes all nodes to their places.
  ///
  /// - Parameter proving: whether the extents are wanted with their checksums, for a slot that
  ///   lists them.
  /// - Parameter sealer: encrypts the nodes on their way.
  /// - Returns: the extents, neighbours joined; none where they are not wanted.
  func write(
    to file: any SystemFile, version: Version, sealer: NodeSealer?, proving: Bool,
    scratch: inout ScratchBuffer
  ) throws(SystemError) -> [CommitSlot.ProvenExtent] {
    if nodes.count <= Self.sortedCountMax, totalBytes <= Self.sortedBytesMax,
      gapCount > Self.gapCountMax
    {
      return try writeSorted(
        to: file, version: version, sealer: sealer, proving: proving, scratch: &scratch)
    }
    return try writeInOrder(
      to: file, version: version, sealer: sealer, proving: proving, scratch: &scratch)
  }

  /// How many nodes do not lie right behind the one before.
  private var gapCount: Int {
    var end: UInt64 = 0
    var count = 0
    for address in nodes {
      let offset = Self.finalWord(address)
      if offset != end { count += 1 }
      end = offset + placedSize(address)
    }
    return count
  }

  /// Tells the mapping that these nodes are known: they need not be verified in the process that
  /// has just made them.
  func markVerified(in verified: VerifiedNodes, version: Version) {
    for address in nodes {
      verified.mark(
        NodeReference(rawValue: Self.finalWord(address)).offset, createdIn: version)
    }
  }

  /// So few writes are not worth the sorting.
  private static let gapCountMax = 3
  private static let sortedCountMax = 256
  private static let sortedBytesMax: UInt64 = 1 << 20

  /// Finishes the nodes in memory, children first, and then writes them in the order of their
  /// places, so that neighbours go out together whatever their order in the tree.
  private func writeSorted(
    to file: any SystemFile, version: Version, sealer: NodeSealer?, proving: Bool,
    scratch: inout ScratchBuffer
  ) throws(SystemError) -> [CommitSlot.ProvenExtent] {
    scratch.reserve(Int(totalBytes), keeping: 0)
    let base = scratch.bytes.baseAddress!
    var order = nodes.enumerated().map { (offset: Self.finalWord($1), node: $0) }
    order.sort { $0.offset < $1.offset }
    var places = [Int](repeating: 0, count: nodes.count)
    var runs: [(offset: UInt64, place: Int, length: Int)] = []
    var place = 0
    for (offset, index) in order {
      let size = Int(placedSize(nodes[index]))
      places[index] = place
      if let last = runs.last, last.offset + UInt64(last.length) == offset {
        runs[runs.count - 1].length += size
      } else {
        runs.append((offset, place, size))
      }
      place += size
    }
    for (index, address) in nodes.enumerated() {
      Self.finish(address, copyTo: base + places[index], version: version, sealer)
    }
    var extents: [CommitSlot.ProvenExtent] = []
    for run in runs {
      let bytes = UnsafeRawBufferPointer(start: base + run.place, count: run.length)
      try file.write(bytes, at: run.offset)
      guard proving else { continue }
      extents.append(
        CommitSlot.ProvenExtent(
          offset: run.offset, length: UInt64(run.length),
          checksum: checksum(bytes.baseAddress!, count: run.length)))
    }
    return extents
  }

  private func writeInOrder(
    to file: any SystemFile, version: Version, sealer: NodeSealer?, proving: Bool,
    scratch: inout ScratchBuffer
  ) throws(SystemError) -> [CommitSlot.ProvenExtent] {
    var output = ExtentWriter(file: file, proving: proving)
    for address in nodes {
      let target = try output.room(
        at: Self.finalWord(address), size: Int(placedSize(address)), scratch: &scratch)
      Self.finish(address, copyTo: target, version: version, sealer)
    }
    return try output.finish(scratch: &scratch)
  }

  /// Copies a node to where it is written from, with its final references, version and checksum, or
  /// its tag where it is encrypted.
  private static func finish(
    _ address: UnsafeMutableRawPointer, copyTo place: UnsafeMutableRawPointer, version: Version,
    _ sealer: NodeSealer?
  ) {
    let target = sealer == nil ? place : place + SealedNodeLayout.extraSize
    let node = Node(address: address)
    let used = node.byteSize
    let size = max(used, NodeLayout.byteSizeMin)
    target.copyMemory(from: address, byteCount: used)
    if size > used {
      (target + used).initializeMemory(as: UInt8.self, repeating: 0, count: size - used)
      target.storeBytes(of: UInt32(size), toByteOffset: NodeLayout.byteSize, as: UInt32.self)
    }
    target.storeBytes(of: version.rawValue, toByteOffset: NodeLayout.createdIn, as: UInt64.self)
    finishReferences(target, count: node.referenceCount)
    let offset = finalWord(address)
    let sum: UInt32
    if let sealer {
      sum = sealer.seal(SealedNode(address: place, byteSize: size), at: offset)
    } else {
      sum = checksum(target + 4, count: size - 4)
      target.storeBytes(of: sum, as: UInt32.self)
    }
    setFinalWord(address, NodeReference(offset: offset, checksum: sum).rawValue)
  }

  private static func finishReferences(_ target: UnsafeMutableRawPointer, count: Int) {
    var place = target + NodeLayout.headerSize
    for _ in 0..<count {
      let reference = NodeReference(rawValue: place.load(as: UInt64.self))
      if reference.isUncommitted {
        let child = UnsafeMutableRawPointer(mutating: reference.address)
        place.storeBytes(of: finalWord(child), as: UInt64.self)
      }
      place += 8
    }
  }
}

/// Gathers adjoining nodes into large writes.
private struct ExtentWriter {
  private static let writeSizeMax = 1 << 20

  let file: any SystemFile
  let proving: Bool
  private var extents: [CommitSlot.ProvenExtent] = []
  private var start: UInt64 = 0
  private var filled = 0

  init(file: any SystemFile, proving: Bool) {
    self.file = file
    self.proving = proving
  }

  /// Memory for `size` bytes that go to `offset`; earlier bytes are written out when they do not
  /// adjoin or are many.
  mutating func room(
    at offset: UInt64, size: Int, scratch: inout ScratchBuffer
  ) throws(SystemError) -> UnsafeMutableRawPointer {
    if filled > 0, start + UInt64(filled) != offset || filled + size > Self.writeSizeMax {
      try flush(scratch: &scratch)
    }
    if filled == 0 { start = offset }
    scratch.reserve(filled + size, keeping: filled)
    let target = scratch.bytes.baseAddress! + filled
    filled += size
    return target
  }

  private mutating func flush(scratch: inout ScratchBuffer) throws(SystemError) {
    if filled == 0 { return }
    let bytes = UnsafeRawBufferPointer(rebasing: scratch.bytes[0..<filled])
    try file.write(bytes, at: start)
    defer { filled = 0 }
    guard proving else { return }
    if let last = extents.last, last.offset + last.length == start {
      extents[extents.count - 1].length += UInt64(filled)
      extents[extents.count - 1].checksum = checksum(
        bytes.baseAddress!, count: filled, seed: last.checksum)
    } else {
      extents.append(
        CommitSlot.ProvenExtent(
          offset: start, length: UInt64(filled),
          checksum: checksum(bytes.baseAddress!, count: filled)))
    }
  }

  mutating func finish(
    scratch: inout ScratchBuffer
  ) throws(SystemError) -> [CommitSlot.ProvenExtent] {
    try flush(scratch: &scratch)
    return extents
  }
}
