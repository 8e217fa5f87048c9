import Platform

/// Copies a tree to the beginning of a new file: children before their parents, so that a node is
/// written once, with the final references and checksum.
///
/// It holds one buffer, and the references of the nodes on the way down.
struct TreeCopier {
  private let source: NodeSource
  private let file: any SystemFile
  private let sealer: NodeSealer?
  private var size: TreeSize
  private let buffer: UnsafeMutableRawBufferPointer
  private var used = 0
  /// Where in the file the buffer begins.
  private var start = UInt64(FileLayout.firstNode)
  private(set) var copiedBytes: UInt64 = 0

  private static let bufferSize = 1 << 20
  /// What the nodes of a new file are written in.
  private static let version = Version(1)

  init(source: NodeSource, file: any SystemFile, cipher: FileCipher?) {
    self.source = source
    self.file = file
    sealer = cipher.map { NodeSealer($0.makeNodeCipher()) }
    size = TreeSize(in: source)
    buffer = .allocate(byteCount: Self.bufferSize, alignment: 16)
  }

  func deallocate() { buffer.deallocate() }

  /// - Returns: where the copy of the node is.
  mutating func copy(
    _ reference: NodeReference, depth: Int = 0
  ) throws(StorageError) -> NodeReference {
    if reference.isNone { return .none }
    return try source.withPassingNode(reference) { (node) throws(StorageError) in
      try copy(node, reference, depth: depth)
    }
  }

  private mutating func copy(
    _ node: Node, _ reference: NodeReference, depth: Int
  ) throws(StorageError) -> NodeReference {
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
    if let sealer { return try append(node, children, size: size, sealer) }
    var header = [UInt8](repeating: 0, count: NodeLayout.headerSize)
    header.withUnsafeMutableBytes { header in
      header.copyMemory(from: UnsafeRawBufferPointer(start: node.address, count: header.count))
      header.storeBytes(of: UInt32(size), toByteOffset: NodeLayout.byteSize, as: UInt32.self)
      header.storeBytes(
        of: Self.version.rawValue, toByteOffset: NodeLayout.createdIn, as: UInt64.self)
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

  /// The same into an encrypted file, by way of memory for the whole node.
  private mutating func append(
    _ node: Node, _ children: [UInt64], size: Int, _ sealer: NodeSealer
  ) throws(StorageError) -> NodeReference {
    let offset = start + UInt64(used)
    let image = UnsafeMutableRawBufferPointer.allocate(
      byteCount: size + SealedNodeLayout.extraSize, alignment: 16)
    defer { image.deallocate() }
    image.initializeMemory(as: UInt8.self, repeating: 0)
    let sealed = SealedNode(address: image.baseAddress!, byteSize: size)
    let target = sealed.node
    target.copyMemory(from: node.address, byteCount: node.byteSize)
    target.storeBytes(of: UInt32(size), toByteOffset: NodeLayout.byteSize, as: UInt32.self)
    target.storeBytes(
      of: Self.version.rawValue, toByteOffset: NodeLayout.createdIn, as: UInt64.self)
    children.withUnsafeBytes {
      if let first = $0.baseAddress {
        (target + NodeLayout.headerSize).copyMemory(from: first, byteCount: $0.count)
      }
    }
    let sum = sealer.seal(sealed, at: offset)
    try write(UnsafeRawBufferPointer(image))
    copiedBytes += UInt64(image.count)
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
