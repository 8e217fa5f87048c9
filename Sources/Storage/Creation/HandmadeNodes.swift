import Platform

/// Nodes that are made without a transaction, one behind the other.
struct HandmadeNodes {
  private let start: UInt64
  private let sealer: NodeSealer?
  private var bytes: [UInt8] = []

  init(start: UInt64, cipher: FileCipher?) {
    self.start = start
    sealer = cipher.map { NodeSealer($0.makeNodeCipher()) }
  }

  /// Bytes by which encryption makes a node longer.
  var extraSize: Int { sealer == nil ? 0 : SealedNodeLayout.extraSize }

  /// - Parameter size: of the whole node, a multiple of 8, at least `NodeLayout.byteSizeMin`.
  mutating func add(
    kind: NodeKind, size: Int, references: [NodeReference], count: Int,
    _ fill: (_ data: UnsafeMutableRawPointer) -> Void
  ) -> NodeReference {
    let place = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: size + extraSize))
    let (extraSize, sealer, start) = (extraSize, sealer, start)
    return bytes.withUnsafeMutableBytes { bytes in
      let image = bytes.baseAddress! + place
      let node = image + extraSize
      node.storeBytes(of: kind.rawValue, toByteOffset: NodeLayout.kind, as: UInt8.self)
      node.storeBytes(of: UInt32(size), toByteOffset: NodeLayout.byteSize, as: UInt32.self)
      node.storeBytes(of: UInt32(count), toByteOffset: NodeLayout.count, as: UInt32.self)
      node.storeBytes(of: 1, toByteOffset: NodeLayout.createdIn, as: UInt64.self)
      node.storeBytes(
        of: UInt32(references.count), toByteOffset: NodeLayout.referenceCount, as: UInt32.self)
      for (index, reference) in references.enumerated() {
        node.storeBytes(
          of: reference.rawValue, toByteOffset: NodeLayout.headerSize + index * 8, as: UInt64.self)
      }
      fill(node + NodeLayout.headerSize + references.count * 8)
      let offset = start + UInt64(place)
      if let sealer {
        let sum = sealer.seal(SealedNode(address: image, byteSize: size), at: offset)
        return NodeReference(offset: offset, checksum: sum)
      }
      let sum = checksum(node + 4, count: size - 4)
      node.storeBytes(of: sum, as: UInt32.self)
      return NodeReference(offset: offset, checksum: sum)
    }
  }

  func write(to file: any SystemFile) throws(SystemError) {
    var failure: SystemError?
    bytes.withUnsafeBytes { bytes in
      do throws(SystemError) { try file.write(bytes, at: start) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
