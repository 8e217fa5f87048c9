/// Checks what a node says of itself against its bytes: counts, widths, offsets, order.
///
/// A checksum proves that a node is as it was written, not that an engine wrote it. So when a node
/// is first read, its fields are compared with its size, once, by the rules of its kind. From then
/// on reads of it need no checks: every element, offset and reference that its fields name lies
/// within it. What two nodes say of each other (counts of a child in its parent, rows of a vector
/// in a cluster) is the reader's to check.
///
/// Kinds that are not listed are of layers that check them themselves.
struct NodeShape {
  let node: Node
  /// No node of the version ends beyond: nothing can be more than what fits into the file.
  let limit: UInt64

  /// What is wrong with the node, or nil.
  static func flaw(_ node: Node, limit: UInt64) -> String? {
    let shape = NodeShape(node: node, limit: limit)
    for index in 0..<node.referenceCount where !shape.isPlausible(node.reference(index)) {
      return "a reference to a node of the file expected"
    }
    return shape.ownFlaw()
  }

  /// References into private memory are addresses: one from a file must never be followed. Others
  /// are read from before anything else is known of the node.
  private func isPlausible(_ reference: NodeReference) -> Bool {
    let offset = reference.offset
    return reference.isNone
      || !reference.isUncommitted && offset % UInt64(NodeLayout.alignment) == 0
        && offset >= UInt64(FileLayout.firstNode) && offset < limit
        && limit - offset >= UInt64(NodeLayout.byteSizeMin)
  }

  private func ownFlaw() -> String? {
    switch node.kind {
    case .snapshot:
      return expect(
        node.referenceCount == SnapshotNode.referenceCount
          && node.dataSize >= SnapshotNode.dataSize, "a version's own node")
    case .historyIndex:
      return expect(
        node.count <= node.dataSize / History.entrySize, "entries of the history within the node")
    case .storeRoot: return expect(node.referenceCount > 0, "a root with a schema")
    case .schema, .blob: return expect(node.count <= node.dataSize, "as many bytes as are counted")
    case .table: return table()
    case .cluster: return cluster()
    case .integerVector: return vector(.integers)
    case .floatVector: return vector(.floats)
    case .doubleVector: return vector(.doubles)
    case .fixedVector: return vector(.fixed)
    case .byteVector: return byteVector()
    case .referenceVector:
      return expect(
        node.count == node.referenceCount && node.count <= Self.rowsMax, "a reference for each row")
    case .backlinkVector: return backlinkVector()
    case .chunkedBlob: return chunkedBlob()
    case .clusterInner: return inner(stride: 16, keyed: .rising)
    case .listInner: return inner(stride: 8, keyed: .none)
    case .pairInner: return inner(stride: 24, keyed: .pairs)
    case .pairLeaf: return pairLeaf()
    case .index: return expect(node.referenceCount >= 2, "an index of values and of nulls")
    default: return nil
    }
  }

  /// Rows of a cluster or elements of a leaf of a list.
  private static let rowsMax = 256
  /// Entries of a leaf of an index.
  private static let pairsMax = 4096
  /// Rows or elements for each byte of the file, at most: 256 zeros take a node of 32 bytes.
  private static let rowsPerByteMax: UInt64 = 8
  /// Entries of an index for each byte, at most: 4,096 equal pairs take one of 48 bytes.
  private static let pairsPerByteMax: UInt64 = 128
  /// Object keys are below this, so that they can be shifted and added to.
  private static let keyEnd: Int64 = 1 << 62

  private var data: UnsafeRawPointer { node.data }

  private func expect(_ holds: Bool, _ expectation: String) -> String? {
    holds ? nil : "\(expectation) expected"
  }

  private func word(_ offset: Int) -> UInt64 { data.load(fromByteOffset: offset, as: UInt64.self) }

  // MARK: Tables and clusters

  private func table() -> String? {
    guard node.referenceCount > 0, node.dataSize >= 16 else { return "a table expected" }
    return expect(
      word(0) < UInt64(Self.keyEnd / 2) && word(8) <= limit &* Self.rowsPerByteMax,
      "a next key and a number of objects that fit the file")
  }

  private func cluster() -> String? {
    let count = node.count
    let width = node.width
    guard (1...Self.rowsMax).contains(count), Widths.distances.contains(width),
      8 + count * width / 8 <= node.dataSize
    else { return "a cluster of 1 to 256 objects with keys expected" }
    let base = Int64(bitPattern: word(0))
    guard base >= 0, base < Self.keyEnd else { return "an object key expected" }
    if width == 0 { return nil }
    var last: UInt64?
    for row in 0..<count {
      let offset = distance(8, width / 8, row)
      if let last, offset <= last { return "rising keys expected" }
      last = offset
    }
    return expect(last! < UInt64(Self.keyEnd - base), "object keys expected")
  }

  /// Element `row` of unsigned distances of that many bytes, from `start` on.
  private func distance(_ start: Int, _ bytes: Int, _ row: Int) -> UInt64 {
    let place = start + row * bytes
    switch bytes {
    case 1: return UInt64(data.load(fromByteOffset: place, as: UInt8.self))
    case 2: return UInt64(data.loadUnaligned(fromByteOffset: place, as: UInt16.self))
    case 4: return UInt64(data.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    case 8: return data.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    default: return 0
    }
  }

  // MARK: Vectors

  /// Bits that an element may have: every node that is read for the first time is asked.
  private enum Widths {
    case distances, integers, floats, doubles, fixed

    func contains(_ width: Int) -> Bool {
      switch (self, width) {
      case (.distances, 0), (.distances, 8), (.distances, 16), (.distances, 32), (.distances, 64),
        (.integers, 0), (.integers, 1), (.integers, 8), (.integers, 16), (.integers, 32),
        (.integers, 64), (.floats, 32), (.doubles, 64), (.fixed, 96), (.fixed, 128):
        true
      default: false
      }
    }
  }

  private func vector(_ widths: Widths) -> String? {
    let count = node.count
    let bitmaps = Int(node.flags & 1) * bitmapBytes
    guard count <= Self.rowsMax, widths.contains(node.width), node.flags & ~1 == 0,
      bitmaps + (count * node.width + 7) / 8 <= node.dataSize
    else { return "a vector of \(count) elements of one width expected" }
    if bitmaps > 0, !endsClean(0) { return "a bitmap of \(count) rows expected" }
    if node.width == 1, !endsClean(bitmaps) { return "\(count) bits expected" }
    return nil
  }

  private var bitmapBytes: Int { (node.count + 63) / 64 * 8 }

  /// Whether the bits at and beyond the count are 0; whole words of them may be missing.
  private func endsClean(_ start: Int) -> Bool {
    let count = node.count
    if count % 64 == 0 { return true }
    let place = start + count / 64 * 8
    return place + 8 > node.dataSize || word(place) >> UInt64(count % 64) == 0
  }

  private func byteVector() -> String? {
    let count = node.count
    let flags = node.flags
    guard count <= Self.rowsMax, flags & ~3 == 0 else { return "a vector of byte strings expected" }
    let start = (Int(flags & 1) + Int(flags >> 1)) * bitmapBytes
    let heap = start + ((count + 1) * 2 + 7) & ~7
    guard heap <= node.dataSize else { return "\(count) offsets expected" }
    for bitmap in 0..<start / max(bitmapBytes, 1) where !endsClean(bitmap * bitmapBytes) {
      return "a bitmap of \(count) rows expected"
    }
    var last = 0
    for row in 0...count {
      let end = Int(data.load(fromByteOffset: start + row * 2, as: UInt16.self))
      if end < last || (row == 0 && end != 0) { return "rising offsets expected" }
      last = end
    }
    guard heap + last <= node.dataSize else { return "a heap of \(last) bytes expected" }
    return largeRows(bitmap: Int(flags & 1) * bitmapBytes, offsets: start)
  }

  /// Large rows have a reference each, and no bytes in the heap.
  private func largeRows(bitmap: Int, offsets: Int) -> String? {
    if node.flags & 2 == 0 {
      return expect(node.referenceCount == 0, "no large values")
    }
    var large = 0
    for row in 0..<node.count where word(bitmap + row / 64 * 8) >> UInt64(row % 64) & 1 != 0 {
      let place = offsets + row * 2
      let isEmpty =
        data.load(fromByteOffset: place, as: UInt16.self)
        == data.load(fromByteOffset: place + 2, as: UInt16.self)
      guard isEmpty, large < node.referenceCount, !node.reference(large).isNone else {
        return "a reference for each large value expected"
      }
      large += 1
    }
    return expect(large == node.referenceCount, "a reference for each large value")
  }

  private func backlinkVector() -> String? {
    if node.flags != 0 { return "a vector of backlinks expected" }
    if let flaw = vector(.integers) { return flaw }
    for row in 0..<node.count {
      let value = integer(row)
      if value < 0 { return "origins expected" }
      if value & 1 == 1 || value == 0 { continue }
      let index = value >> 1 - 1
      guard index < node.referenceCount, !node.reference(Int(index)).isNone else {
        return "a tree for each row with several origins expected"
      }
    }
    return nil
  }

  private func integer(_ row: Int) -> Int64 {
    switch node.width {
    case 1: Int64(data.load(fromByteOffset: row / 8, as: UInt8.self) >> UInt8(row % 8) & 1)
    case 8: Int64(data.load(fromByteOffset: row, as: Int8.self))
    case 16: Int64(data.load(fromByteOffset: row * 2, as: Int16.self))
    case 32: Int64(data.load(fromByteOffset: row * 4, as: Int32.self))
    case 64: data.load(fromByteOffset: row * 8, as: Int64.self)
    default: 0
    }
  }

  /// Large values: as many chunks as their bytes need, and no more bytes than the file has.
  private func chunkedBlob() -> String? {
    let chunk: UInt64 = 1 << 24
    guard node.dataSize >= 8, word(0) > 0, word(0) <= limit,
      UInt64(node.referenceCount) == (word(0) + chunk - 1) / chunk
    else { return "the chunks of a large value expected" }
    return noneMissing()
  }

  private func noneMissing() -> String? {
    for index in 0..<node.referenceCount where node.reference(index).isNone {
      return "a child expected"
    }
    return nil
  }

  // MARK: Trees

  private enum Keys { case none, rising, pairs }

  /// An entry of `stride` bytes for each child, which ends with the elements below it.
  private func inner(stride: Int, keyed: Keys) -> String? {
    let children = node.referenceCount
    guard children > 0, children * stride <= node.dataSize else {
      return "an inner node with an entry for each child expected"
    }
    let perByte = keyed == .pairs ? Self.pairsPerByteMax : Self.rowsPerByteMax
    var total: UInt64 = 0
    for index in 0..<children {
      let below = word(index * stride + stride - 8)
      guard below > 0, below <= limit &* perByte &- total else {
        return "numbers of elements that fit the file expected"
      }
      total += below
      if index > 0, !isRising(index * stride, stride, keyed) { return "rising separators expected" }
    }
    return noneMissing()
  }

  private func isRising(_ place: Int, _ stride: Int, _ keyed: Keys) -> Bool {
    let first = Int64(bitPattern: word(place))
    let before = Int64(bitPattern: word(place - stride))
    switch keyed {
    case .none: return true
    case .rising: return before < first
    case .pairs:
      let second = Int64(bitPattern: word(place + 8))
      return (before, Int64(bitPattern: word(place - stride + 8))) <= (first, second)
    }
  }

  private func pairLeaf() -> String? {
    let count = node.count
    let value = node.width
    let key = Int(node.flags)
    guard (1...Self.pairsMax).contains(count), Widths.distances.contains(value),
      Widths.distances.contains(key),
      16 + count * (value + key) / 8 <= node.dataSize
    else { return "a leaf of an index with its entries expected" }
    let stride = (value + key) / 8
    // A base and a distance must not be more than a number can hold.
    let valueMax = UInt64(bitPattern: .max &- Int64(bitPattern: word(0)))
    let keyMax = UInt64(bitPattern: .max &- Int64(bitPattern: word(8)))
    var last = (UInt64(0), UInt64(0))
    for index in 0..<count {
      let place = 16 + index * stride
      let pair = (distance(place, value / 8, 0), distance(place + value / 8, key / 8, 0))
      if pair < last || pair.0 > valueMax || pair.1 > keyMax { return "rising entries expected" }
      last = pair
    }
    return nil
  }
}
