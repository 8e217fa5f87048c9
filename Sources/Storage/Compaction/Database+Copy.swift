import Platform

extension Database {
  /// Writes the newest version to a new file, without free space and without history. Others may
  /// go on writing here meanwhile; the version is pinned until the copy is done.
  ///
  /// - Parameter path: where; nothing must be there.
  /// - Returns: how many bytes of nodes were copied.
  /// - Throws: `.fileExists`, `.outOfDiskSpace`, `.inputOutput`, `.corrupt`; nothing is left then.
  public func writeCompactCopy(to path: String) throws(StorageError) -> UInt64 {
    let snapshot = try pinNewest()
    defer { snapshot.release() }
    return try writeCompactCopy(of: snapshot.root, in: snapshot.source, to: path)
  }

  /// The same of what `root` refers to: a pinned version, or what a write transaction has made of
  /// one so far.
  ///
  /// The copy is written from its beginning to its end under another name, flushed, and then given
  /// its own: at that path there is no file or a whole one. Memory does not grow with the data.
  ///
  /// - Returns: how many bytes of nodes were copied.
  public func writeCompactCopy(
    of root: NodeReference, in source: NodeSource, to path: String
  ) throws(StorageError) -> UInt64 {
    try requireNothing(at: path)
    var random = SystemRandomNumberGenerator()
    let partial = path + ".partial-" + String(random.next() as UInt64, radix: 36)
    do throws(StorageError) {
      let copied = try writeFile(of: root, in: source, to: partial)
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
    of root: NodeReference, in source: NodeSource, to path: String
  ) throws(StorageError) -> UInt64 {
    let file: any SystemFile
    do throws(SystemError) { file = try system.openFile(path: path, mode: .create) } catch {
      throw StorageError(error, doing: "make the file of the copy")
    }
    defer { file.close() }
    var copier = TreeCopier(source: source, file: file)
    defer { copier.deallocate() }
    let copy = try copier.copy(root)
    let end = try copier.finish()
    try FileCreation.finish(file, root: copy, nodesEnd: end, boot: system.bootIdentifier())
    return copier.copiedBytes
  }
}

/// Copies a tree to the beginning of a new file: children before their parents, so that a node is
/// written once, with the final references and checksum.
///
/// It holds one buffer, and the references of the nodes on the way down.
private struct TreeCopier {
  private let source: NodeSource
  private let file: any SystemFile
  private var size: TreeSize
  private let buffer: UnsafeMutableRawBufferPointer
  private var used = 0
  /// Where in the file the buffer begins.
  private var start = UInt64(FileLayout.firstNode)
  private(set) var copiedBytes: UInt64 = 0

  private static let bufferSize = 1 << 20
  /// What the nodes of a new file are written in.
  private static let version: UInt64 = 1

  init(source: NodeSource, file: any SystemFile) {
    self.source = source
    self.file = file
    size = TreeSize(in: source)
    buffer = .allocate(byteCount: Self.bufferSize, alignment: 16)
  }

  func deallocate() { buffer.deallocate() }

  /// - Returns: where the copy of the node is.
  mutating func copy(
    _ reference: NodeReference, depth: Int = 0
  ) throws(StorageError) -> NodeReference {
    if reference.isNone { return .none }
    let node = try source.node(reference)
    // A tree whose nodes are shared, or that goes round in a circle, has no end.
    _ = try size.bytes(of: node, reference, depth: depth)
    var children: [UInt64] = []
    children.reserveCapacity(min(node.referenceCount, 1 << 16))
    for index in 0..<node.referenceCount {
      children.append(try copy(node.reference(index), depth: depth + 1).rawValue)
    }
    return try append(node, children)
  }

  /// Writes a node with other references, and zeros behind what it uses if it is a short one.
  private mutating func append(
    _ node: Node, _ children: [UInt64]
  ) throws(StorageError) -> NodeReference {
    let offset = start + UInt64(used)
    let size = max(node.byteSize, NodeLayout.byteSizeMin)
    let padding = size - node.byteSize
    var header = [UInt8](repeating: 0, count: NodeLayout.headerSize)
    header.withUnsafeMutableBytes { header in
      header.copyMemory(from: UnsafeRawBufferPointer(start: node.address, count: header.count))
      header.storeBytes(of: UInt32(size), toByteOffset: NodeLayout.byteSize, as: UInt32.self)
      header.storeBytes(of: Self.version, toByteOffset: NodeLayout.createdIn, as: UInt64.self)
    }
    let zeros = [UInt8](repeating: 0, count: padding)
    var sum = header.withUnsafeBytes { checksum($0.baseAddress! + 4, count: $0.count - 4) }
    sum = children.withUnsafeBytes { Self.extend(sum, $0) }
    sum = Self.extend(sum, node.dataBytes)
    sum = zeros.withUnsafeBytes { Self.extend(sum, $0) }
    header.withUnsafeMutableBytes {
      $0.storeBytes(of: sum, toByteOffset: NodeLayout.checksum, as: UInt32.self)
    }
    try write(header)
    try write(children)
    try write(node.dataBytes)
    try write(zeros)
    copiedBytes += UInt64(size)
    return NodeReference(offset: offset, checksum: sum)
  }

  private static func extend(_ sum: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    guard let address = bytes.baseAddress else { return sum }
    return checksum(address, count: bytes.count, seed: sum)
  }

  private mutating func write(_ values: [some BitwiseCopyable]) throws(StorageError) {
    let result = values.withUnsafeBytes { bytes -> Result<Void, StorageError> in
      do throws(StorageError) { return .success(try write(bytes)) } catch { return .failure(error) }
    }
    try result.get()
  }

  private mutating func write(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      if used == buffer.count { try flush() }
      let count = min(rest.count, buffer.count - used)
      let part = UnsafeRawBufferPointer(rebasing: rest.prefix(count))
      UnsafeMutableRawBufferPointer(rebasing: buffer[used...]).copyMemory(from: part)
      used += count
      rest = rest.dropFirst(count)
    }
  }

  private mutating func flush() throws(StorageError) {
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<used])
    do throws(SystemError) { try file.write(bytes, at: start) } catch {
      throw StorageError(error, doing: "write the copy")
    }
    start += UInt64(used)
    used = 0
  }

  /// Writes what is left; returns where the nodes end.
  mutating func finish() throws(StorageError) -> UInt64 {
    try flush()
    return start
  }
}
