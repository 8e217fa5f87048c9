import Platform

/// Gives space back while the file is in use.
///
/// A step takes the writer lock for a bounded amount of work: it punches holes into long free runs,
/// or moves up to `budget` bytes of live nodes from the end of the file into holes near its start,
/// commits, and cuts the end off once nothing pinned reaches it. What a node means plays no part:
/// its references are at a known place.
enum Compactor {
  static let budget = 1 << 20
  static let punchSizeMin: UInt64 = 65536
  private static let wasteMin: UInt64 = 1 << 20

  /// Whether so much is free, or will be once the last commit is superseded, that work on it pays.
  static func isWorthwhile(_ freeSpace: FreeSpace) -> Bool {
    let free = freeSpace.reusable.total + freeSpace.waitingBytes
    guard free > wasteMin else { return false }
    let used = freeSpace.logicalSize - free
    return free - freeSpace.returned.total > max(wasteMin, used / 4) || free > max(wasteMin, used)
  }

  /// Whether moving nodes would make the file much smaller.
  static func canMove(_ freeSpace: FreeSpace) -> Bool {
    freeSpace.reusable.total > max(wasteMin, freeSpace.usedBytes / 2)
  }
}

/// Moves nodes that lie at or beyond a boundary, a bounded number of bytes at a time.
struct Relocation {
  let writer: NodeWriter
  let boundary: UInt64
  private(set) var left: Int
  private(set) var moved = 0
  /// Child positions from the root to where the last step stopped; a hint, harmless when the tree
  /// has changed since.
  private(set) var cursor: [Int]
  private(set) var isComplete = true

  init(writer: NodeWriter, boundary: UInt64, budget: Int, cursor: [Int]) {
    self.writer = writer
    self.boundary = boundary
    left = budget
    self.cursor = cursor
  }

  mutating func run(_ root: NodeReference) throws(StorageError) -> NodeReference {
    let start = cursor
    cursor = []
    var path: [Int] = []
    return try visit(root, path: &path, start: start[...])
  }

  private mutating func visit(
    _ reference: NodeReference, path: inout [Int], start: ArraySlice<Int>
  ) throws(StorageError) -> NodeReference {
    if reference.isNone || reference.isUncommitted { return reference }
    let node = try writer.source.node(reference)
    let isBeyond = reference.offset >= boundary
    let size = node.byteSize
    let children = node.referenceCount
    var changed: MutableNode?
    var index = start.first ?? 0
    while index < children {
      if left <= 0 {
        if isComplete {
          isComplete = false
          cursor = path + [index]
        }
        break
      }
      let child = (changed?.node ?? node).reference(index)
      path.append(index)
      let rest = index == start.first ? start.dropFirst() : []
      let replacement = try visit(child, path: &path, start: rest)
      path.removeLast()
      if replacement != child {
        if changed == nil { changed = try writer.mutable(reference) }
        changed!.setReference(index, replacement)
      }
      index += 1
    }
    if changed == nil, isBeyond, left > 0 {
      changed = try writer.mutable(reference)
      left -= size
      moved += size
    }
    return changed?.reference ?? reference
  }
}
