import Storage

extension PairLeaf {
  @inline(__always)
  static func store(_ address: UnsafeMutableRawPointer, _ bytes: Int, _ value: UInt64) {
    switch bytes {
    case 8: unsafe address.storeBytes(of: value, as: UInt64.self)
    case 4: unsafe address.storeBytes(of: UInt32(truncatingIfNeeded: value), as: UInt32.self)
    case 2: unsafe address.storeBytes(of: UInt16(truncatingIfNeeded: value), as: UInt16.self)
    case 1: unsafe address.storeBytes(of: UInt8(truncatingIfNeeded: value), as: UInt8.self)
    default: break
    }
  }

  /// Whether `distance` from a base fits in that many bytes.
  @inline(__always)
  static func fits(_ distance: UInt64, _ bytes: Int) -> Bool {
    bytes == 8 || distance >> UInt64(bytes &* 8) == 0
  }

  /// Puts `pair` in at `index`, which keeps the order, and returns the leaf's reference.
  static func insert(
    _ writer: NodeWriter, _ reference: NodeReference, at index: Int, _ pair: IndexPair
  ) throws(StorageError) -> NodeReference {
    let leaf = PairLeaf(try writer.source.node(reference))
    let value = UInt64(bitPattern: pair.value &- leaf.baseValue)
    let key = UInt64(bitPattern: pair.key &- leaf.baseKey)
    guard pair.value >= leaf.baseValue, pair.key >= leaf.baseKey, fits(value, leaf.valueBytes),
      fits(key, leaf.keyBytes)
    else { return try insertReencoding(writer, reference, leaf, at: index, pair) }
    let stride = leaf.stride
    let node = try writer.mutable(reference, growing: stride &+ 7)
    let count = leaf.count
    let place = unsafe node.data + (headSize &+ index &* stride)
    unsafe (place + stride).copyMemory(from: place, byteCount: (count &- index) &* stride)
    unsafe store(place, leaf.valueBytes, value)
    unsafe store(place + leaf.valueBytes, leaf.keyBytes, key)
    node.setCount(count &+ 1)
    node.setDataSize(headSize &+ (count &+ 1) &* stride)
    return node.reference
  }

  private static func insertReencoding(
    _ writer: NodeWriter, _ reference: NodeReference, _ leaf: PairLeaf, at index: Int,
    _ pair: IndexPair
  ) throws(StorageError) -> NodeReference {
    let total = leaf.count + 1
    let pairs = UnsafeMutablePointer<IndexPair>.allocate(capacity: total)
    defer { unsafe pairs.deallocate() }
    for place in 0..<total {
      unsafe pairs[place] = place < index ? leaf[place] : place == index ? pair : leaf[place - 1]
    }
    let buffer = unsafe UnsafeBufferPointer(start: pairs, count: total)
    return try unsafe encode(writer, replacing: reference, buffer)
  }

  /// Takes entry `index` out of a leaf that has others.
  static func remove(
    _ writer: NodeWriter, _ reference: NodeReference, at index: Int
  ) throws(StorageError) -> NodeReference {
    let node = try writer.mutable(reference)
    let leaf = PairLeaf(node.node)
    let place = unsafe node.data + (headSize + index * leaf.stride)
    unsafe place.copyMemory(
      from: place + leaf.stride, byteCount: (leaf.count - index - 1) * leaf.stride)
    node.setCount(leaf.count - 1)
    node.setDataSize(headSize + (leaf.count - 1) * leaf.stride)
    return node.reference
  }

  /// A leaf of these pairs, as narrow as they allow, in place of `old` (which may be none; the
  /// pairs must not lie in it).
  static func encode(
    _ writer: NodeWriter, replacing old: NodeReference, _ pairs: UnsafeBufferPointer<IndexPair>
  ) throws(StorageError) -> NodeReference {
    let baseValue = unsafe pairs[0].value
    let spanValue = unsafe UInt64(bitPattern: pairs[pairs.count - 1].value &- baseValue)
    var baseKey = unsafe pairs[0].key
    var highKey = unsafe pairs[0].key
    for index in 0..<pairs.count {
      let pair = unsafe pairs[index]
      baseKey = min(baseKey, pair.key)
      highKey = max(highKey, pair.key)
    }
    let valueBytes = VectorMath.offsetWidth(of: spanValue) >> 3
    let keyBytes = VectorMath.offsetWidth(of: UInt64(bitPattern: highKey &- baseKey)) >> 3
    let stride = valueBytes + keyBytes
    let size = headSize + pairs.count * stride
    let node = try writer.remake(
      old, kind: .pairLeaf, width: valueBytes * 8, flags: UInt16(keyBytes * 8),
      count: pairs.count, dataSize: size)
    let data = unsafe node.data
    unsafe data.storeBytes(of: baseValue, as: Int64.self)
    unsafe data.storeBytes(of: baseKey, toByteOffset: 8, as: Int64.self)
    var place = unsafe data + headSize
    for index in 0..<pairs.count {
      let pair = unsafe pairs[index]
      unsafe store(place, valueBytes, UInt64(bitPattern: pair.value &- baseValue))
      unsafe store(place + valueBytes, keyBytes, UInt64(bitPattern: pair.key &- baseKey))
      unsafe place += stride
    }
    node.setDataSize(size)
    return node.reference
  }

  /// The entries `range` as pairs.
  func pairs(_ range: Range<Int>) -> [IndexPair] { range.map { self[$0] } }
}
