import Storage

/// Changes list trees: each function takes the root and returns the one to put in its place.
struct ListTreeWriter {
  let writer: NodeWriter
  let kind: ValueKind
  let isOptional: Bool
  let limits: TreeLimits

  struct Inserted {
    var reference: NodeReference
    var split: InnerEntry?
  }

  var stride: Int { InnerNode.listStride }

  /// A step down the tree on the way to a change: how deep it is, and how many elements the parent
  /// says are below. A committed node that says something else is refused before it is changed;
  /// from then on both are kept right.
  struct Step {
    var depth = 0
    var expected: Int?
    var edges = TreeEdges()

    func down(_ node: Node, _ child: Int) -> Step {
      Step(
        depth: depth + 1, expected: InnerNode.count(node, child, stride: InnerNode.listStride),
        edges: edges.down(node, child))
    }
  }

  func node(_ reference: NodeReference, _ step: Step) throws(StorageError) -> Node {
    let node = try ListTree.node(reference, kind, in: writer.source)
    if step.depth > TreeLimits.depthMax { throw writer.source.tooDeep(reference) }
    if !reference.isUncommitted, let expected = step.expected, ListTree.count(node) != expected {
      throw writer.source.corrupt(reference, "\(expected) elements of a list were expected")
    }
    return node
  }

  func gather(_ pieces: [VectorPiece]) throws(StorageError) -> NodeReference {
    try VectorWriter.gather(writer, pieces, kind: kind, isOptional: isOptional)
  }

  /// Replaces the element at `index`.
  func set(
    _ root: NodeReference, at index: Int, _ value: StoredValue
  ) throws(StorageError) -> NodeReference {
    try set(root, at: index, value, Step())
  }

  private func set(
    _ root: NodeReference, at index: Int, _ value: StoredValue, _ step: Step
  ) throws(StorageError) -> NodeReference {
    let node = try node(root, step)
    guard node.kind == .listInner else {
      if index >= node.count {
        throw writer.source.corrupt(root, "a list with an element \(index) was expected")
      }
      return try VectorWriter.set(
        writer, root, row: index, value, kind: kind, isOptional: isOptional)
    }
    let place = InnerNode.child(node, containing: index, stride: stride)
    let below = try set(
      node.reference(place.index), at: index - place.before, value, step.down(node, place.index))
    let mutable = try writer.mutable(root)
    mutable.setReference(place.index, below)
    return mutable.reference
  }

  // MARK: Removing

  /// Takes the element at `index` out.
  func remove(_ root: NodeReference, at index: Int) throws(StorageError) -> NodeReference {
    var result = try removeBelow(root, index, Step())
    while !result.isNone {
      let node = try writer.source.node(result)
      guard node.kind == .listInner, node.referenceCount == 1 else { break }
      let child = node.reference(0)
      try writer.release(result)
      result = child
    }
    return result
  }

  private func removeBelow(
    _ reference: NodeReference, _ index: Int, _ step: Step
  ) throws(StorageError) -> NodeReference {
    let node = try node(reference, step)
    guard node.kind == .listInner else {
      return try VectorWriter.removeRow(writer, reference, row: index, kind: kind)
    }
    let place = InnerNode.child(node, containing: index, stride: stride)
    let below = try removeBelow(
      node.reference(place.index), index - place.before, step.down(node, place.index))
    if below.isNone, node.referenceCount == 1 {
      try writer.release(reference)
      return .none
    }
    let mutable = try writer.mutable(reference)
    if below.isNone {
      InnerNode.remove(writer, mutable, at: place.index, stride: stride)
      return mutable.reference
    }
    mutable.setReference(place.index, below)
    InnerNode.add(mutable, place.index, -1, stride: stride)
    try mergeAround(mutable, place.index)
    return mutable.reference
  }

  private func mergeAround(_ node: MutableNode, _ child: Int) throws(StorageError) {
    let below = try writer.source.node(node.node.reference(child))
    let isInner = below.kind == .listInner
    let capacity = isInner ? limits.innerChildren : limits.listElements
    if below.count >= max(1, capacity / 4), below.count > 1 { return }
    for left in [child - 1, child] where left >= 0 && left + 1 < node.node.referenceCount {
      let step = Step()
      let before = try self.node(node.node.reference(left), step.down(node.node, left))
      let after = try self.node(node.node.reference(left + 1), step.down(node.node, left + 1))
      guard (before.kind == .listInner) == (after.kind == .listInner) else {
        throw writer.source.unexpected(node.node.reference(left + 1), before.kind)
      }
      if InnerNode.shouldMerge(before.count, after.count, capacity: capacity) {
        return try merge(node, left, before.count, after.count, isInner: isInner)
      }
    }
  }

  private func merge(
    _ node: MutableNode, _ left: Int, _ leftSize: Int, _ rightSize: Int, isInner: Bool
  ) throws(StorageError) {
    let a = node.node.reference(left)
    let b = node.node.reference(left + 1)
    let added = InnerNode.count(node.node, left + 1, stride: stride)
    let merged: NodeReference
    if isInner {
      merged = try InnerNode.merge(writer, a, b, stride: stride)
    } else {
      merged = try gather([
        VectorPiece(reference: a, rows: 0..<leftSize),
        VectorPiece(reference: b, rows: 0..<rightSize),
      ])
      try writer.release(a)
      try writer.release(b)
    }
    node.setReference(left, merged)
    InnerNode.add(node, left, added, stride: stride)
    InnerNode.remove(writer, node, at: left + 1, stride: stride)
  }
}
