/// A run of bytes in the file.
public struct Extent: Hashable, Sendable {
  public var offset: UInt64
  public var length: UInt64
  public var end: UInt64 { offset + length }

  public init(offset: UInt64, length: UInt64) {
    self.offset = offset
    self.length = length
  }
}

/// Disjoint extents in order of offset, neighbours joined.
///
/// Kept in blocks of a few hundred, each with its longest length, so that finding the first extent
/// of a given length looks at one number per block, and an insertion moves one block's entries.
struct ExtentSet {
  private struct Block {
    var extents: [Extent]
    var longest: UInt64

    init(_ extents: [Extent]) {
      self.extents = extents
      longest = extents.reduce(0) { max($0, $1.length) }
    }

    mutating func remeasure() {
      var best: UInt64 = 0
      for extent in extents where extent.length > best { best = extent.length }
      longest = best
    }
  }

  private static let blockCountMax = 256
  private var blocks: [Block] = []
  /// Bytes in all extents.
  private(set) var total: UInt64 = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The last block whose first extent starts at or before `offset`, or 0.
  private func blockIndex(for offset: UInt64) -> Int {
    var low = 0
    var high = blocks.count
    while low < high {
      let middle = (low + high) / 2
      if blocks[middle].extents[0].offset <= offset { low = middle + 1 } else { high = middle }
    }
    return max(0, low - 1)
  }

  /// In `extents`, the first that starts after `offset`.
  private static func upperBound(_ extents: [Extent], _ offset: UInt64) -> Int {
    var low = 0
    var high = extents.count
    while low < high {
      let middle = (low + high) / 2
      if extents[middle].offset <= offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Adds an extent that overlaps none that is here.
  mutating func insert(_ extent: Extent) {
    guard extent.length > 0 else { return }
    total += extent.length
    guard !blocks.isEmpty else {
      blocks = [Block([extent])]
      count = 1
      return
    }
    let block = blockIndex(for: extent.offset)
    let position = Self.upperBound(blocks[block].extents, extent.offset)
    var joined = extent
    var joinsPrevious = false
    if position > 0, blocks[block].extents[position - 1].end == extent.offset {
      joined = Extent(
        offset: blocks[block].extents[position - 1].offset,
        length: blocks[block].extents[position - 1].length + extent.length)
      joinsPrevious = true
    }
    if position < blocks[block].extents.count {
      if joined.end == blocks[block].extents[position].offset {
        joined.length += blocks[block].extents[position].length
        blocks[block].extents.remove(at: position)
        count -= 1
      }
    } else if block + 1 < blocks.count, joined.end == blocks[block + 1].extents[0].offset {
      joined.length += blocks[block + 1].extents[0].length
      removeExtent(block: block + 1, position: 0)
    }
    if joinsPrevious {
      blocks[block].extents[position - 1] = joined
    } else {
      blocks[block].extents.insert(joined, at: position)
      count += 1
    }
    if joined.length > blocks[block].longest { blocks[block].longest = joined.length }
    if blocks[block].extents.count > Self.blockCountMax { splitBlock(block) }
  }

  private mutating func splitBlock(_ index: Int) {
    let half = blocks[index].extents.count / 2
    let upper = Array(blocks[index].extents[half...])
    blocks[index].extents.removeSubrange(half...)
    blocks[index].remeasure()
    blocks.insert(Block(upper), at: index + 1)
  }

  private mutating func removeExtent(block: Int, position: Int) {
    let removed = blocks[block].extents.remove(at: position)
    count -= 1
    if blocks[block].extents.isEmpty {
      blocks.remove(at: block)
    } else if removed.length == blocks[block].longest {
      blocks[block].remeasure()
    }
  }

  /// Takes `length` bytes from the start of the first extent that has them.
  mutating func takeFirst(fitting length: UInt64) -> Extent? {
    for block in blocks.indices where blocks[block].longest >= length {
      for position in blocks[block].extents.indices
      where blocks[block].extents[position].length >= length {
        return take(block: block, position: position, length: length)
      }
    }
    return nil
  }

  private static let fitCandidatesMax = 1024

  /// Takes `length` bytes from the extent that they fill best, among the first that have them. So
  /// small nodes leave the long extents to those that need them.
  mutating func takeBest(fitting length: UInt64) -> Extent? {
    var best: (block: Int, position: Int, length: UInt64)?
    var looked = 0
    search: for block in blocks.indices where blocks[block].longest >= length {
      for position in blocks[block].extents.indices {
        let candidate = blocks[block].extents[position].length
        guard candidate >= length else { continue }
        if candidate < best?.length ?? .max { best = (block, position, candidate) }
        if candidate - length <= length / 8 { break search }
        looked += 1
        if looked >= Self.fitCandidatesMax { break search }
      }
    }
    guard let best else { return nil }
    return take(block: best.block, position: best.position, length: length)
  }

  private mutating func take(block: Int, position: Int, length: UInt64) -> Extent {
    let found = blocks[block].extents[position]
    total -= length
    if found.length == length {
      removeExtent(block: block, position: position)
    } else {
      blocks[block].extents[position] = Extent(
        offset: found.offset + length, length: found.length - length)
      if found.length == blocks[block].longest { blocks[block].remeasure() }
    }
    return Extent(offset: found.offset, length: length)
  }

  /// Takes exactly `range` if all of it is here.
  mutating func take(exactly range: Extent) -> Bool {
    guard !blocks.isEmpty, range.length > 0 else { return false }
    let block = blockIndex(for: range.offset)
    let position = Self.upperBound(blocks[block].extents, range.offset) - 1
    guard position >= 0 else { return false }
    let extent = blocks[block].extents[position]
    guard extent.offset <= range.offset, range.end <= extent.end else { return false }
    total -= range.length
    cut(block: block, position: position, low: range.offset, high: range.end)
    return true
  }

  /// Removes whatever part of `range` is here, and returns the parts.
  @discardableResult
  mutating func subtract(_ range: Extent) -> [Extent] {
    guard range.length > 0, !blocks.isEmpty else { return [] }
    var removed: [Extent] = []
    var block = blockIndex(for: range.offset)
    var position = max(0, Self.upperBound(blocks[block].extents, range.offset) - 1)
    while block < blocks.count {
      if position >= blocks[block].extents.count {
        block += 1
        position = 0
        continue
      }
      let extent = blocks[block].extents[position]
      if extent.offset >= range.end { break }
      let low = max(extent.offset, range.offset)
      let high = min(extent.end, range.end)
      if low >= high {
        position += 1
        continue
      }
      removed.append(Extent(offset: low, length: high - low))
      total -= high - low
      cut(block: block, position: position, low: low, high: high)
      // What is left of the extent lies outside of the range: look again from here.
      if block >= blocks.count { break }
    }
    return removed
  }

  /// Removes `low..<high` from the extent at a place.
  private mutating func cut(block: Int, position: Int, low: UInt64, high: UInt64) {
    let extent = blocks[block].extents[position]
    let before = Extent(offset: extent.offset, length: low - extent.offset)
    let after = Extent(offset: high, length: extent.end - high)
    switch (before.length > 0, after.length > 0) {
    case (false, false):
      removeExtent(block: block, position: position)
      return
    case (true, false): blocks[block].extents[position] = before
    case (false, true): blocks[block].extents[position] = after
    case (true, true):
      blocks[block].extents[position] = before
      blocks[block].extents.insert(after, at: position + 1)
      count += 1
    }
    if extent.length == blocks[block].longest { blocks[block].remeasure() }
    if blocks[block].extents.count > Self.blockCountMax { splitBlock(block) }
  }

  /// How many bytes of `range` are here.
  func bytes(in range: Extent) -> UInt64 {
    guard !blocks.isEmpty else { return 0 }
    var sum: UInt64 = 0
    for block in blocks[blockIndex(for: range.offset)...] {
      if block.extents[0].offset >= range.end { break }
      for extent in block.extents {
        let low = max(extent.offset, range.offset)
        let high = min(extent.end, range.end)
        if low < high { sum += high - low }
      }
    }
    return sum
  }

  func forEach(_ body: (Extent) -> Void) {
    for block in blocks {
      for extent in block.extents { body(extent) }
    }
  }

  /// The extent with the highest offset.
  var last: Extent? { blocks.last?.extents.last }

  /// The length of the longest extent.
  var longest: UInt64 { blocks.reduce(0) { max($0, $1.longest) } }
}
