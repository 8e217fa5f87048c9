import Storage

/// What an inner node says of a child; which fields are kept depends on the stride.
struct InnerEntry {
  var reference: NodeReference
  var first: IndexPair
  var count: Int

  init(_ reference: NodeReference, first: IndexPair = IndexPair(0, 0), count: Int) {
    self.reference = reference
    self.first = first
    self.count = count
  }
}

extension InnerNode {
  static func kind(stride: Int) -> NodeKind {
    switch stride {
    case listStride: return .listInner
    case clusterStride: return .clusterInner
    default: return .pairInner
    }
  }

  static func make(
    _ writer: NodeWriter, _ entries: [InnerEntry], stride: Int
  ) -> NodeReference {
    let node = writer.make(
      kind: kind(stride: stride), referenceCount: entries.count, count: entries.count,
      dataSize: entries.count * stride)
    for (index, entry) in entries.enumerated() { set(node, index, entry, stride: stride) }
    return node.reference
  }

  static func entry(_ node: Node, _ index: Int, stride: Int) -> InnerEntry {
    let base = unsafe node.data + index * stride
    var first = IndexPair(0, 0)
    if stride >= clusterStride { first.value = unsafe base.load(as: Int64.self) }
    if stride >= pairStride { first.key = unsafe base.load(fromByteOffset: 8, as: Int64.self) }
    return InnerEntry(
      node.reference(index), first: first, count: count(node, index, stride: stride))
  }

  @inline(__always)
  static func set(_ node: MutableNode, _ index: Int, _ entry: InnerEntry, stride: Int) {
    node.setReference(index, entry.reference)
    setFirst(node, index, entry.first, stride: stride)
    setCount(node, index, entry.count, stride: stride)
  }

  @inline(__always)
  static func setFirst(_ node: MutableNode, _ index: Int, _ first: IndexPair, stride: Int) {
    let base = unsafe node.data + index &* stride
    if stride >= clusterStride { unsafe base.storeBytes(of: first.value, as: Int64.self) }
    if stride >= pairStride {
      unsafe base.storeBytes(of: first.key, toByteOffset: 8, as: Int64.self)
    }
  }

  @inline(__always)
  static func setCount(_ node: MutableNode, _ index: Int, _ count: Int, stride: Int) {
    let offset = index &* stride &+ (stride &- 8)
    unsafe node.data.storeBytes(of: UInt64(count), toByteOffset: offset, as: UInt64.self)
  }

  /// Adds to the count of a child.
  @inline(__always)
  static func add(_ node: MutableNode, _ index: Int, _ change: Int, stride: Int) {
    setCount(node, index, count(node.node, index, stride: stride) &+ change, stride: stride)
  }

  /// Puts in a child; the node may move.
  static func insert(
    _ writer: NodeWriter, _ reference: NodeReference, at index: Int, _ entry: InnerEntry,
    stride: Int
  ) throws(StorageError) -> NodeReference {
    let node = try writer.mutable(reference, growing: 8 + stride)
    let count = node.node.referenceCount
    writer.setReferenceCount(node, count + 1)
    var place = count
    while place > index {
      node.setReference(place, node.node.reference(place - 1))
      place -= 1
    }
    node.setDataSize((count + 1) * stride)
    let data = unsafe node.data
    unsafe (data + (index + 1) * stride).copyMemory(
      from: data + index * stride, byteCount: (count - index) * stride)
    node.setCount(count + 1)
    set(node, index, entry, stride: stride)
    return node.reference
  }

  /// Takes a child out of a mutable node, which must have others.
  static func remove(_ writer: NodeWriter, _ node: MutableNode, at index: Int, stride: Int) {
    let count = node.node.referenceCount
    let data = unsafe node.data
    unsafe (data + index * stride).copyMemory(
      from: data + (index + 1) * stride, byteCount: (count - index - 1) * stride)
    for place in index..<(count - 1) {
      node.setReference(place, node.node.reference(place + 1))
    }
    node.setDataSize((count - 1) * stride)
    writer.setReferenceCount(node, count - 1)
    node.setCount(count - 1)
  }

  /// Cuts a node in two at `index`; the upper part becomes a new node.
  static func split(
    _ writer: NodeWriter, _ node: MutableNode, at index: Int, stride: Int
  ) -> NodeReference {
    let entries = (index..<node.node.referenceCount).map {
      entry(node.node, $0, stride: stride)
    }
    let right = make(writer, entries, stride: stride)
    node.setDataSize(index * stride)
    writer.setReferenceCount(node, index)
    node.setCount(index)
    return right
  }

  /// Appends the children of `right` to `left` and lets go of `right`.
  static func merge(
    _ writer: NodeWriter, _ left: NodeReference, _ right: NodeReference, stride: Int
  ) throws(StorageError) -> NodeReference {
    var result = left
    let other = try writer.source.node(right)
    for index in 0..<other.referenceCount {
      let place = try writer.source.node(result).referenceCount
      result = try insert(
        writer, result, at: place, entry(other, index, stride: stride), stride: stride)
    }
    try writer.release(right)
    return result
  }

  /// Whether two neighbours are to become one: one is rather empty and both fit well.
  static func shouldMerge(_ left: Int, _ right: Int, capacity: Int) -> Bool {
    min(left, right) < max(1, capacity / 4) && left + right <= capacity - capacity / 4
      || left + right <= max(1, capacity / 4)
  }
}
