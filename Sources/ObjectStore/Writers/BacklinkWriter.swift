import Storage

/// Changes backlink vectors (`BacklinkView` tells how they are laid out).
enum BacklinkWriter {
  private static var shape: ElementWriter.Shape { ElementWriter.Shape(.backlinkVector, false) }

  /// Notes one more link from `origin`.
  static func add(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int, origin: ObjectKey,
    limits: TreeLimits
  ) throws(StorageError) -> NodeReference {
    let old = try value(writer, reference, row)
    if old == 0 { return try setSingle(writer, reference, row, origin.rawValue) }
    if old & 1 == 0 {
      let node = try writer.mutable(reference)
      let index = Int(old >> 1) - 1
      let tree = try PairTree.insert(
        writer, node.node.reference(index), IndexPair(origin.rawValue, 0), limits: limits)
      node.setReference(index, tree)
      return node.reference
    }
    let pairs = [old >> 1, origin.rawValue].sorted().map { IndexPair($0, 0) }
    return try addTree(writer, reference, row, try PairTree.encode(writer, replacing: .none, pairs))
  }

  private static func value(
    _ writer: NodeWriter, _ reference: NodeReference, _ row: Int
  ) throws(StorageError) -> Int64 {
    if reference.isNone { return 0 }
    let node = try writer.source.node(reference, .backlinkVector)
    return unsafe row < node.count ? VectorMath.integer(node.data, width: node.width, row) : 0
  }

  private static func setSingle(
    _ writer: NodeWriter, _ reference: NodeReference, _ row: Int, _ origin: Int64
  ) throws(StorageError) -> NodeReference {
    try ElementWriter.setInteger(writer, reference, row: row, origin << 1 | 1, shape: shape)
  }

  /// Makes `tree` the row's set of origins, in a place of the references that is free.
  private static func addTree(
    _ writer: NodeWriter, _ reference: NodeReference, _ row: Int, _ tree: NodeReference
  ) throws(StorageError) -> NodeReference {
    var node = try writer.mutable(reference)
    let places = node.node.referenceCount
    var index = 0
    while index < places, !node.node.reference(index).isNone { index += 1 }
    if index == places {
      node = try writer.mutable(node.reference, growing: 8)
      writer.setReferenceCount(node, places + 1)
    }
    node.setReference(index, tree)
    return try ElementWriter.setInteger(
      writer, node.reference, row: row, Int64(index + 1) << 1, shape: shape)
  }

  /// Takes back one link from `origin`.
  static func remove(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int, origin: ObjectKey,
    limits: TreeLimits
  ) throws(StorageError) -> NodeReference {
    let old = try value(writer, reference, row)
    if old & 1 == 1, old >> 1 == origin.rawValue {
      return try ElementWriter.setInteger(writer, reference, row: row, 0, shape: shape)
    }
    guard old != 0, old & 1 == 0 else { throw missing(writer, reference, origin) }
    let node = try writer.mutable(reference)
    let index = Int(old >> 1) - 1
    let tree = try PairTree.remove(
      writer, node.node.reference(index), IndexPair(origin.rawValue, 0), limits: limits)
    guard let tree, !tree.isNone else { throw missing(writer, reference, origin) }
    let left = try writer.source.node(tree)
    guard left.kind == .pairLeaf, left.count == 1 else {
      node.setReference(index, tree)
      return node.reference
    }
    let single = PairLeaf(left)[0].value
    try writer.release(tree)
    node.setReference(index, .none)
    return try setSingle(writer, node.reference, row, single)
  }

  private static func missing(
    _ writer: NodeWriter, _ reference: NodeReference, _ origin: ObjectKey
  ) -> StorageError {
    writer.source.corrupt(reference, "a backlink to object \(origin.rawValue) was expected")
  }

  /// Makes the row's set of origins empty.
  static func clear(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int
  ) throws(StorageError) -> NodeReference {
    let old = try value(writer, reference, row)
    if old == 0 { return reference }
    let node = try writer.mutable(reference)
    if old & 1 == 0 {
      let index = Int(old >> 1) - 1
      try writer.releaseTree(node.node.reference(index))
      node.setReference(index, .none)
    }
    return try ElementWriter.setInteger(writer, node.reference, row: row, 0, shape: shape)
  }

  /// Takes a row out, and its set of origins with it.
  static func removeRow(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int
  ) throws(StorageError) -> NodeReference {
    let cleared = try clear(writer, reference, row: row)
    return try ElementWriter.removeRow(writer, cleared, row: row)
  }

  /// A new vector of rows from others; sets of origins move along. The old vectors stay.
  static func gather(
    _ writer: NodeWriter, _ pieces: [VectorPiece]
  ) throws(StorageError) -> NodeReference {
    var values: [Int64] = []
    var trees: [NodeReference] = []
    for piece in pieces {
      for row in piece.rows {
        let old = try value(writer, piece.reference, row)
        if old != 0, old & 1 == 0 {
          trees.append(try writer.source.node(piece.reference).reference(Int(old >> 1) - 1))
          values.append(Int64(trees.count) << 1)
        } else {
          values.append(old)
        }
      }
    }
    while let last = values.last, last == 0 { values.removeLast() }
    if values.isEmpty { return .none }
    let bits = values.reduce(0) { max($0, VectorMath.width(of: $1)) }
    let result = writer.make(
      kind: .backlinkVector, width: bits, referenceCount: trees.count, count: values.count,
      dataSize: VectorMath.integerBytes(values.count, width: bits))
    for (index, tree) in trees.enumerated() { result.setReference(index, tree) }
    let base = unsafe result.data
    for (row, value) in values.enumerated() {
      unsafe VectorMath.setInteger(base, width: bits, row, value)
    }
    return result.reference
  }
}
