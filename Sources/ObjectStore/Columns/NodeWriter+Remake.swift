import Storage

extension NodeWriter {
  /// A node of the same kind to take the place of `old`, with room for what is asked: the old one's
  /// memory where that is this transaction's and large enough, so that rewriting a node again and
  /// again does not use up memory. References and data are undefined: write all of them.
  func remake(
    _ old: NodeReference, kind: NodeKind, width: Int = 0, flags: UInt16 = 0,
    referenceCount: Int = 0, count: Int, dataSize: Int
  ) throws(StorageError) -> MutableNode {
    let size = (NodeLayout.headerSize + referenceCount * 8 + dataSize + 7) & ~7
    if old.isUncommitted {
      let node = try unsafe MutableNode(
        address: UnsafeMutableRawPointer(mutating: source.node(old).address))
      if size <= node.capacity {
        unsafe node.address.storeBytes(
          of: UInt32(referenceCount), toByteOffset: NodeLayout.referenceCount, as: UInt32.self)
        node.setWidth(width)
        node.setFlags(flags)
        node.setCount(count)
        node.setAuxiliary(0)
        node.setDataSize(dataSize)
        return node
      }
    } else {
      try release(old)
    }
    return make(
      kind: kind, width: width, flags: flags, referenceCount: referenceCount, count: count,
      dataSize: dataSize, reserve: old.isUncommitted ? size / 2 : 0)
  }
}
