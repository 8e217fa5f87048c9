/// Which regions have to be written so that the oldest part of the log can be dropped.
struct SweepQueue {
  /// The node of that part; none: no part has been looked at.
  private(set) var chunk = NodeReference.none
  /// Ascending from the end, so that the last one is next.
  private(set) var regions: [Int] = []

  init() {}

  /// The regions that `operations` concern.
  init(
    chunk: NodeReference, operations: UnsafeRawBufferPointer
  ) throws(StorageError) {
    self.chunk = chunk
    var found: Set<Int> = []
    try FreeSpaceIndex.forEach(operations) { (operation, _) throws(StorageError) in
      try FreeSpace.forEachPiece(of: operation.extent) { (region, _) in found.insert(region) }
    }
    regions = found.sorted(by: >)
  }

  var isEmpty: Bool { regions.isEmpty }

  mutating func next() -> Int? { regions.popLast() }
}
