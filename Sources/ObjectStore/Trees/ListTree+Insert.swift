import Storage

// Putting elements into lists.
//
// What finds its leaf full at the leaf's end begins another, so that runs of elements, upwards or
// downwards and wherever they are put in, leave full leaves behind. A leaf that was begun so may
// stay short. It is the first to be used by its neighbours: at the border it takes what the full
// one before it cannot, and from one that would be cut in two it takes over half of the elements.
// So leaves are half full or better in the end, whatever the order was.
extension ListTreeWriter {
  func insert(
    _ root: NodeReference, at index: Int, _ value: StoredValue
  ) throws(StorageError) -> NodeReference {
    if root.isNone { return try insertRow(.none, 0, value) }
    let node = try node(root, Step())
    let result = try insertBelow(root, node, index, value, Step())
    guard let split = result.split else { return result.reference }
    let left = InnerEntry(
      result.reference, count: ListTree.count(try writer.source.node(result.reference)))
    return InnerNode.make(writer, [left, split], stride: stride)
  }

  private func insertRow(
    _ leaf: NodeReference, _ row: Int, _ value: StoredValue
  ) throws(StorageError) -> NodeReference {
    try VectorWriter.insert(
      writer, leaf, row: row, value, kind: kind, isOptional: isOptional)
  }

  private func insertBelow(
    _ reference: NodeReference, _ node: Node, _ index: Int, _ value: StoredValue, _ step: Step
  ) throws(StorageError) -> Inserted {
    guard node.kind == .listInner else { return try insertIntoLeaf(reference, node, index, value) }
    let place = childForInsertion(node, index)
    let offset = index - place.before
    let below = step.down(node, place.index)
    let child = try self.node(node.reference(place.index), below)
    if child.kind != .listInner, child.count >= limits.listElements,
      let made = try insertBesideFull(reference, node, place.index, offset, value)
    {
      return Inserted(reference: made)
    }
    let inserted = try insertBelow(node.reference(place.index), child, offset, value, below)
    let mutable = try writer.mutable(reference)
    mutable.setReference(place.index, inserted.reference)
    guard let split = inserted.split else {
      InnerNode.add(mutable, place.index, 1, stride: stride)
      return Inserted(reference: mutable.reference)
    }
    InnerNode.add(mutable, place.index, 1 - split.count, stride: stride)
    let grown = try InnerNode.insert(
      writer, mutable.reference, at: place.index + 1, split, stride: stride)
    return try splitIfFull(grown, added: place.index + 1, step.edges)
  }

  /// The child that is to take an element at `index`: at a border, the one on the left.
  private func childForInsertion(_ node: Node, _ index: Int) -> (index: Int, before: Int) {
    InnerNode.child(node, containing: max(0, index - 1), stride: stride)
  }

  private func splitIfFull(
    _ reference: NodeReference, added: Int, _ edges: TreeEdges
  ) throws(StorageError) -> Inserted {
    let node = try writer.mutable(reference)
    let children = node.node.referenceCount
    if children <= limits.innerChildren { return Inserted(reference: reference) }
    let cut = edges.cut(of: children, added: added)
    let right = InnerNode.split(writer, node, at: cut, stride: stride)
    let count = ListTree.count(try writer.source.node(right))
    return Inserted(reference: node.reference, split: InnerEntry(right, count: count))
  }

  private func insertIntoLeaf(
    _ reference: NodeReference, _ node: Node, _ index: Int, _ value: StoredValue
  ) throws(StorageError) -> Inserted {
    let count = node.count
    if count < limits.listElements {
      return Inserted(reference: try insertRow(reference, index, value))
    }
    if index == 0 {
      let left = try insertRow(.none, 0, value)
      return Inserted(reference: left, split: InnerEntry(reference, count: count))
    }
    if index == count {
      let right = try insertRow(.none, 0, value)
      return Inserted(reference: reference, split: InnerEntry(right, count: 1))
    }
    let cut = count / 2
    var left = try gather([VectorPiece(reference: reference, rows: 0..<cut)])
    var right = try gather([VectorPiece(reference: reference, rows: cut..<count)])
    try writer.release(reference)
    var rightCount = count - cut
    if index <= cut {
      left = try insertRow(left, index, value)
    } else {
      right = try insertRow(right, index - cut, value)
      rightCount += 1
    }
    return Inserted(reference: left, split: InnerEntry(right, count: rightCount))
  }

  // MARK: Full leaves

  /// Puts an element in whose place is in, or at the end of, a full leaf, where a neighbour below
  /// the same inner node has room.
  ///
  /// - Returns: nil, with nothing changed, if none has.
  private func insertBesideFull(
    _ reference: NodeReference, _ node: Node, _ child: Int, _ row: Int, _ value: StoredValue
  ) throws(StorageError) -> NodeReference? {
    let leafCount = InnerNode.count(node, child, stride: stride)
    if row == leafCount {
      guard child + 1 < node.referenceCount,
        InnerNode.count(node, child + 1, stride: stride) < limits.listElements
      else { return nil }
      _ = try leaf(node, child + 1)
      let mutable = try writer.mutable(reference)
      let right = try insertRow(mutable.node.reference(child + 1), 0, value)
      mutable.setReference(child + 1, right)
      InnerNode.add(mutable, child + 1, 1, stride: stride)
      return mutable.reference
    }
    if row == 0 { return nil }
    for left in [child, child - 1] where left >= 0 && left + 1 < node.referenceCount {
      let other = left == child ? child + 1 : left
      if InnerNode.count(node, other, stride: stride) > limits.listElements / 2 { continue }
      let before = left == child ? 0 : InnerNode.count(node, left, stride: stride)
      return try spread(reference, node, left, before + row, value)
    }
    return nil
  }

  /// A child that has to be a leaf, because one beside it is.
  private func leaf(_ node: Node, _ child: Int) throws(StorageError) -> Node {
    let leaf = try self.node(node.reference(child), Step().down(node, child))
    if leaf.kind == .listInner {
      throw writer.source.corrupt(node.reference(child), "a leaf of a list was expected")
    }
    return leaf
  }

  /// Gives two neighbouring leaves the same number of elements, and puts one in at a row of both.
  private func spread(
    _ reference: NodeReference, _ node: Node, _ left: Int, _ row: Int, _ value: StoredValue
  ) throws(StorageError) -> NodeReference {
    let (a, b) = (node.reference(left), node.reference(left + 1))
    let counts = (try leaf(node, left).count, try leaf(node, left + 1).count)
    let cut = (counts.0 + counts.1) / 2
    let mutable = try writer.mutable(reference)
    var first = try gather([
      VectorPiece(reference: a, rows: 0..<min(cut, counts.0)),
      VectorPiece(reference: b, rows: 0..<max(0, cut - counts.0)),
    ])
    var second = try gather([
      VectorPiece(reference: a, rows: min(cut, counts.0)..<counts.0),
      VectorPiece(reference: b, rows: max(0, cut - counts.0)..<counts.1),
    ])
    try writer.release(a)
    try writer.release(b)
    if row <= cut {
      first = try insertRow(first, row, value)
    } else {
      second = try insertRow(second, row - cut, value)
    }
    let firstCount = row <= cut ? cut + 1 : cut
    mutable.setReference(left, first)
    mutable.setReference(left + 1, second)
    InnerNode.setCount(mutable, left, firstCount, stride: stride)
    InnerNode.setCount(
      mutable, left + 1, counts.0 + counts.1 + 1 - firstCount, stride: stride)
    return mutable.reference
  }
}
