/// Finds nodes that lie at or beyond a boundary, in a pinned version, a bounded number at a time.
struct RelocationScan {
  /// A node, and the child positions that lead to it from the root.
  struct Target {
    var path: [Int]
    var reference: NodeReference
    var byteSize: UInt64
  }

  private let source: NodeSource
  private let boundary: UInt64
  private var bytesLeft: Int
  private(set) var targets: [Target] = []
  /// Where to go on; empty at the end. A hint, harmless when the tree has changed since.
  private(set) var cursor: [Int]

  private static let depthMax = 64
  /// What a small node counts for at least: each costs a search for a hole, and a call to write it.
  private static let chargeMin = 4096

  var isComplete: Bool { cursor.isEmpty }

  init(source: NodeSource, boundary: UInt64, budget: Int, cursor: [Int]) {
    self.source = source
    self.boundary = boundary
    bytesLeft = budget
    self.cursor = cursor
  }

  mutating func run(_ root: NodeReference) throws(StorageError) {
    let start = cursor
    cursor = []
    var path: [Int] = []
    try visit(root, &path, start: start[...])
  }

  /// Children before parents, so that what is found can be moved in the order found.
  private mutating func visit(
    _ reference: NodeReference, _ path: inout [Int], start: ArraySlice<Int>
  ) throws(StorageError) {
    guard !reference.isNone else { return }
    guard path.count < Self.depthMax else {
      throw source.corrupt(reference, "a tree of at most \(Self.depthMax) levels was expected")
    }
    let isBeyond = reference.offset >= boundary
    // The contents of a leaf that stays where it is need not be read.
    let peeked = try source.peekReferenceCount(reference)
    if peeked > 0 {
      let node = try source.node(reference)
      var index = start.first ?? 0
      while index < node.referenceCount {
        if bytesLeft <= 0 {
          if cursor.isEmpty { cursor = path + [index] }
          return
        }
        let rest = index == start.first ? start.dropFirst() : []
        path.append(index)
        try visit(node.reference(index), &path, start: rest)
        path.removeLast()
        index += 1
      }
    }
    if isBeyond, bytesLeft > 0 {
      let size = source.footprint(of: try source.node(reference))
      bytesLeft -= max(size, Self.chargeMin)
      targets.append(Target(path: path, reference: reference, byteSize: UInt64(size)))
    }
  }
}

/// Moves what a scan has found, as far as it is still where it was.
struct Relocation {
  let writer: NodeWriter
  private(set) var moved = 0

  init(writer: NodeWriter) { self.writer = writer }

  /// - Returns: the new root.
  mutating func move(
    _ targets: [RelocationScan.Target], below root: NodeReference
  ) throws(StorageError) -> NodeReference {
    try visit(root, targets[...], depth: 0)
  }

  /// The targets all begin with the path to `reference`, and lie one behind the other.
  private mutating func visit(
    _ reference: NodeReference, _ targets: ArraySlice<RelocationScan.Target>, depth: Int
  ) throws(StorageError) -> NodeReference {
    if reference.isNone { return reference }
    let node = try writer.source.node(reference)
    var changed: MutableNode?
    var rest = targets
    while let first = rest.first {
      guard first.path.count > depth else {
        rest = rest.dropFirst()
        guard first.reference == reference, changed == nil else { continue }
        changed = try writer.mutable(reference)
        moved += node.byteSize
        continue
      }
      let index = first.path[depth]
      let group = rest.prefix { $0.path.count > depth && $0.path[depth] == index }
      rest = rest[group.endIndex...]
      guard index < node.referenceCount else { continue }
      let child = node.reference(index)
      let replacement = try visit(child, group, depth: depth + 1)
      guard replacement != child else { continue }
      if changed == nil { changed = try writer.mutable(reference) }
      changed!.setReference(index, replacement)
    }
    return changed?.reference ?? reference
  }
}
