@testable import Storage

/// The nodes of an encrypted file as they lie in it.
enum SealedNodes {
  /// Every node of a version, with what it takes in the file.
  static func all(of snapshot: Snapshot) throws -> [(offset: Int, length: Int)] {
    var extents: [(offset: Int, length: Int)] = []
    var walk = TreeWalk(source: snapshot.source, version: snapshot.version)
    walk.visit(snapshot.node) { (_, _) in
    } _: {
      extents.append((Int($0.offset), Int($0.length)))
    }
    return extents
  }

  /// Whether bytes look like a node's image.
  static func isNode(_ bytes: [UInt8], at offset: Int) -> Bool {
    guard offset + SealedNodeLayout.text <= bytes.count else { return false }
    let size = unsafe bytes.withUnsafeBytes {
      unsafe $0.loadUnaligned(fromByteOffset: offset + SealedNodeLayout.byteSize, as: UInt64.self)
    }
    return size >= 64 && size < 1 << 20 && size % 8 == 0
  }
}
