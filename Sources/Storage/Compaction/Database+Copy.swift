import Platform

extension Database {
  /// Writes the newest version to a new file, without free space and without history. Others may
  /// go on writing here meanwhile.
  ///
  /// The copy is put together in memory, so as much of that is needed as there is data.
  ///
  /// - Parameter path: where; nothing must be there.
  /// - Returns: how many bytes of nodes were copied.
  public func writeCompactCopy(to path: String) throws(StorageError) -> UInt64 {
    if system.fileExists(path: path) {
      throw StorageError(
        .fileExists, path: path, "there is a file already; name another place for the copy")
    }
    let snapshot = try pinNewest()
    defer { snapshot.release() }
    var options = DatabaseOptions()
    options.durability = .strict
    options.compactsInBackground = false
    let copy = try Database.open(path: path, options: options, system: system)
    let transaction = try copy.beginWrite()
    var copier = TreeCopier(source: snapshot.source, writer: transaction.writer)
    do throws(StorageError) {
      transaction.root = try copier.copy(snapshot.root)
      try transaction.commit().release()
    } catch {
      transaction.cancel()
      throw error
    }
    return copier.copiedBytes
  }
}

/// Copies a tree into a write transaction of another database.
private struct TreeCopier {
  let source: NodeSource
  let writer: NodeWriter
  private(set) var copiedBytes: UInt64 = 0

  init(source: NodeSource, writer: NodeWriter) {
    self.source = source
    self.writer = writer
  }

  mutating func copy(_ reference: NodeReference) throws(StorageError) -> NodeReference {
    if reference.isNone { return .none }
    let node = try source.node(reference)
    let made = writer.make(
      kind: node.kind, width: node.width, flags: node.flags, referenceCount: node.referenceCount,
      count: node.count, auxiliary: node.auxiliary, dataSize: node.dataSize)
    made.data.copyMemory(from: node.data, byteCount: node.dataSize)
    for index in 0..<node.referenceCount {
      made.setReference(index, try copy(node.reference(index)))
    }
    copiedBytes += UInt64(node.byteSize)
    return made.reference
  }
}
