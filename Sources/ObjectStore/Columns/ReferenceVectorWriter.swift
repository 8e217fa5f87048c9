import Storage

/// Changes reference vectors (roots of lists): reference i belongs to row i, there is no data.
enum ReferenceVectorWriter {
  static func set(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int, _ value: NodeReference
  ) throws(StorageError) -> NodeReference {
    if reference.isNone {
      if value.isNone { return reference }
      let node = writer.make(
        kind: .referenceVector, referenceCount: row + 1, count: row + 1)
      node.setReference(row, value)
      return node.reference
    }
    let count = try writer.source.node(reference, .referenceVector).count
    if row >= count, value.isNone { return reference }
    let growing = max(0, row + 1 - count) * 8
    let node = try writer.mutable(reference, growing: growing)
    if growing > 0 {
      writer.setReferenceCount(node, row + 1)
      node.setCount(row + 1)
    }
    node.setReference(row, value)
    return node.reference
  }

  /// Takes a row out; what it referred to is the caller's affair.
  static func removeRow(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int
  ) throws(StorageError) -> NodeReference {
    if reference.isNone { return reference }
    let count = try writer.source.node(reference, .referenceVector).count
    if row >= count { return reference }
    if count == 1 {
      try writer.release(reference)
      return .none
    }
    let node = try writer.mutable(reference)
    for index in row..<(count - 1) { node.setReference(index, node.node.reference(index + 1)) }
    writer.setReferenceCount(node, count - 1)
    node.setCount(count - 1)
    return node.reference
  }

  static func gather(
    _ writer: NodeWriter, _ pieces: [VectorPiece]
  ) throws(StorageError) -> NodeReference {
    var values: [NodeReference] = []
    for piece in pieces {
      let node =
        piece.reference.isNone ? nil : try writer.source.node(piece.reference, .referenceVector)
      for row in piece.rows {
        values.append(node.map { row < $0.count ? $0.reference(row) : .none } ?? .none)
      }
    }
    while let last = values.last, last.isNone { values.removeLast() }
    if values.isEmpty { return .none }
    let result = writer.make(
      kind: .referenceVector, referenceCount: values.count, count: values.count)
    for (row, value) in values.enumerated() { result.setReference(row, value) }
    return result.reference
  }
}
