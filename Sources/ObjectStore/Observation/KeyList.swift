import Platform

/// The objects of results, in order: a list that shares what did not change with its former self.
///
/// Chunks of about a thousand keys: replacing one key of a million copies one chunk and the list of
/// chunks, some microseconds, and copies of the list stay valid on other threads.
public struct KeyList: Sendable, RandomAccessCollection {
  private typealias Chunk = ContiguousArray<ObjectKey>

  private var chunks: ContiguousArray<Chunk> = []
  /// The index of each chunk's first key.
  private var starts: ContiguousArray<Int> = []
  public private(set) var count = 0

  static let chunkKeys = 1024

  public init() {}

  public init(_ keys: ContiguousArray<ObjectKey>) {
    var index = 0
    while index < keys.count {
      let end = Swift.min(index + Self.chunkKeys, keys.count)
      starts.append(index)
      chunks.append(Chunk(keys[index..<end]))
      index = end
    }
    count = keys.count
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  public subscript(_ index: Int) -> ObjectKey {
    precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of bounds")
    let chunk = chunk(of: index)
    return chunks[chunk][index - starts[chunk]]
  }

  /// The last chunk that begins at or before `index`.
  private func chunk(of index: Int) -> Int {
    (1..<starts.count).partitionPoint { starts[$0] <= index } - 1
  }

  /// All keys in one array.
  public var array: ContiguousArray<ObjectKey> {
    var keys = ContiguousArray<ObjectKey>()
    keys.reserveCapacity(count)
    for chunk in chunks { keys.append(contentsOf: chunk) }
    return keys
  }

  /// The first index whose key does not stand before a place, given that those keys come first.
  func partition<Failure: Error>(
    where isBefore: (ObjectKey) throws(Failure) -> Bool
  ) throws(Failure) -> Int {
    // The chunks whose first key is before the place; the place is in the last of them.
    let begun = try chunks.indices.partitionPoint { (index) throws(Failure) in
      try isBefore(chunks[index][0])
    }
    guard begun > 0 else { return 0 }
    let chunk = chunks[begun - 1]
    let place = try (1..<chunk.count).partitionPoint { (index) throws(Failure) in
      try isBefore(chunk[index])
    }
    return starts[begun - 1] + place
  }

  /// Takes out the keys at `deletions` (indices before, rising), then puts in the `insertions`
  /// (indices afterwards, rising).
  mutating func apply(deletions: [Int], insertions: [(index: Int, key: ObjectKey)]) {
    if deletions.count + insertions.count > chunks.count + 16 {
      return rebuild(deletions, insertions)
    }
    for index in deletions.reversed() { remove(at: index) }
    for (index, key) in insertions { insert(key, at: index) }
  }

  private mutating func remove(at index: Int) {
    let place = chunk(of: index)
    chunks[place].remove(at: index - starts[place])
    if chunks[place].isEmpty {
      chunks.remove(at: place)
      starts.remove(at: place)
      for later in place..<starts.count { starts[later] -= 1 }
    } else {
      for later in (place + 1)..<Swift.max(starts.count, place + 1) { starts[later] -= 1 }
    }
    count -= 1
  }

  private mutating func insert(_ key: ObjectKey, at index: Int) {
    count += 1
    if chunks.isEmpty {
      chunks.append([key])
      starts.append(0)
      return
    }
    let place = chunk(of: index)
    chunks[place].insert(key, at: index - starts[place])
    for later in (place + 1)..<Swift.max(starts.count, place + 1) { starts[later] += 1 }
    if chunks[place].count > 2 * Self.chunkKeys { split(place) }
  }

  private mutating func split(_ place: Int) {
    let half = chunks[place].count / 2
    let tail = Chunk(chunks[place][half...])
    chunks[place].removeSubrange(half...)
    chunks.insert(tail, at: place + 1)
    starts.insert(starts[place] + half, at: place + 1)
  }

  private mutating func rebuild(
    _ deletions: [Int], _ insertions: [(index: Int, key: ObjectKey)]
  ) {
    var keys = ContiguousArray<ObjectKey>()
    keys.reserveCapacity(count - deletions.count + insertions.count)
    var deletion = 0
    var insertion = 0
    var index = 0
    for chunk in chunks {
      for key in chunk {
        defer { index += 1 }
        if deletion < deletions.count, deletions[deletion] == index {
          deletion += 1
          continue
        }
        while insertion < insertions.count, insertions[insertion].index == keys.count {
          keys.append(insertions[insertion].key)
          insertion += 1
        }
        keys.append(key)
      }
    }
    for rest in insertions[insertion...] { keys.append(rest.key) }
    self = KeyList(keys)
  }
}
