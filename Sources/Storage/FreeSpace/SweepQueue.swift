/// Which regions have to be written so that the oldest part of the log can be dropped.
struct SweepQueue {
  /// The node of that part; none: no part has been looked at.
  private(set) var chunk = NodeReference.none
  /// A bit for each region.
  private var words: [UInt64] = []
  /// The words before it are zero.
  private var position = 0

  init() {}

  /// The regions that `operations` concern, of the first `regionCount`.
  init(
    chunk: NodeReference, operations: UnsafeRawBufferPointer, regionCount: Int
  ) throws(StorageError) {
    self.chunk = chunk
    var found = [UInt64](repeating: 0, count: (regionCount + 63) / 64)
    try FreeSpaceIndex.forEach(operations) { (operation, _) throws(StorageError) in
      try FreeSpace.forEachPiece(of: operation.extent) { (region, _) in
        if region < regionCount { found[region / 64] |= 1 << UInt64(region % 64) }
      }
    }
    words = found
    skipEmpty()
  }

  private mutating func skipEmpty() {
    while position < words.count, words[position] == 0 { position += 1 }
  }

  var isEmpty: Bool { position == words.count }

  /// The lowest of them, which leaves the queue.
  mutating func next() -> Int? {
    guard !isEmpty else { return nil }
    let bit = words[position].trailingZeroBitCount
    words[position] &= words[position] - 1
    defer { skipEmpty() }
    return position * 64 + bit
  }
}
