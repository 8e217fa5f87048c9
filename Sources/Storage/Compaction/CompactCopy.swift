import Platform

/// Writes what a root refers to into a new file, without free space and without history.
///
/// The copy is written from its beginning to its end under another name, flushed, and then given
/// its own: at that path there is no file or a whole one. Memory does not grow with the data.
struct CompactCopy {
  let system: any System
  /// Where; nothing must be there.
  let path: String
  /// What the copy is encrypted with.
  let key: EncryptionKey?

  /// - Returns: how many bytes of nodes were copied.
  func write(_ root: NodeReference, in source: NodeSource) throws(StorageError) -> UInt64 {
    try requireNothing(at: path)
    var random = SystemRandomNumberGenerator()
    let partial = path + ".partial-" + String(random.next() as UInt64, radix: 36)
    do throws(StorageError) {
      let copied = try writeFile(root, in: source, to: partial)
      try requireNothing(at: path)
      do throws(SystemError) {
        try system.renameFile(from: partial, to: path)
        try system.synchronizeDirectory(containing: path)
      } catch { throw StorageError(error, doing: "give the copy its name") }
      return copied
    } catch {
      try? system.removeFile(path: partial)
      throw error
    }
  }

  private func requireNothing(at path: String) throws(StorageError) {
    guard system.fileExists(path: path) else { return }
    throw StorageError(
      .fileExists, path: path, "there is a file already; name another place for the copy")
  }

  private func writeFile(
    _ root: NodeReference, in source: NodeSource, to path: String
  ) throws(StorageError) -> UInt64 {
    let cipher = try key.map { (key) throws(StorageError) in
      try FileCipher.make(key, path: path)
    }
    let file: any SystemFile
    do throws(SystemError) { file = try system.openFile(path: path, mode: .create) } catch {
      throw StorageError(error, doing: "make the file of the copy")
    }
    defer { file.close() }
    var copier = TreeCopier(source: source, file: file, cipher: cipher)
    defer { copier.deallocate() }
    let copy = try copier.copy(root)
    let end = try copier.finish()
    try FileCreation.finish(
      file, root: copy, nodesEnd: end, cipher: cipher, boot: system.bootIdentifier())
    return copier.copiedBytes
  }
}
