import Platform

/// A set of object keys as sorted ranges that neither touch nor overlap.
public struct KeySet: Hashable, Sendable, Sequence {
  public internal(set) var ranges: [Range<Int64>]

  public init() { ranges = [] }

  init(ranges: [Range<Int64>]) { self.ranges = ranges }

  /// From keys in any order, repetitions allowed.
  init(unsorted keys: [Int64]) {
    ranges = []
    for key in keys.sorted() { append(key) }
  }

  init(sorted keys: [ObjectKey]) {
    ranges = []
    for key in keys { append(key.rawValue) }
  }

  /// Adds a key that is not below any in the set.
  mutating func append(_ key: Int64) {
    guard let last = ranges.last else { return ranges.append(key..<(key + 1)) }
    if key < last.upperBound { return }
    if key == last.upperBound {
      ranges[ranges.count - 1] = last.lowerBound..<(key + 1)
    } else {
      ranges.append(key..<(key + 1))
    }
  }

  public var isEmpty: Bool { ranges.isEmpty }

  /// How many keys are in the set.
  public var count: Int { ranges.reduce(0) { $0 + $1.count } }

  /// Whether all keys are below that one.
  func isBelow(_ end: Int64) -> Bool { (ranges.last?.upperBound ?? end) <= end }

  public func contains(_ key: ObjectKey) -> Bool { contains(key.rawValue) }

  func contains(_ key: Int64) -> Bool {
    let place = ranges.indices.partitionPoint { ranges[$0].upperBound <= key }
    return place < ranges.count && ranges[place].lowerBound <= key
  }

  public func makeIterator() -> Iterator { Iterator(ranges: ranges) }

  /// Keys in rising order.
  public struct Iterator: IteratorProtocol {
    let ranges: [Range<Int64>]
    var range = 0
    var next64: Int64

    init(ranges: [Range<Int64>]) {
      self.ranges = ranges
      next64 = ranges.first?.lowerBound ?? 0
    }

    public mutating func next() -> ObjectKey? {
      guard range < ranges.count else { return nil }
      let key = next64
      next64 += 1
      if next64 == ranges[range].upperBound {
        range += 1
        if range < ranges.count { next64 = ranges[range].lowerBound }
      }
      return ObjectKey(rawValue: key)
    }
  }

  func union(_ other: KeySet) -> KeySet {
    if isEmpty { return other }
    if other.isEmpty { return self }
    var result: [Range<Int64>] = []
    var left = ranges[...]
    var right = other.ranges[...]
    while !left.isEmpty || !right.isEmpty {
      let takeLeft =
        right.isEmpty
        || (!left.isEmpty && left.first!.lowerBound <= right.first!.lowerBound)
      let range = takeLeft ? left.removeFirst() : right.removeFirst()
      if let last = result.last, range.lowerBound <= last.upperBound {
        result[result.count - 1] =
          last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return KeySet(ranges: result)
  }

  func subtracting(_ other: KeySet) -> KeySet {
    if isEmpty || other.isEmpty { return self }
    var result: [Range<Int64>] = []
    var index = 0
    for range in ranges {
      var lower = range.lowerBound
      while index < other.ranges.count, other.ranges[index].upperBound <= lower { index += 1 }
      var cut = index
      while cut < other.ranges.count, other.ranges[cut].lowerBound < range.upperBound {
        if other.ranges[cut].lowerBound > lower {
          result.append(lower..<other.ranges[cut].lowerBound)
        }
        lower = Swift.max(lower, other.ranges[cut].upperBound)
        cut += 1
      }
      if lower < range.upperBound { result.append(lower..<range.upperBound) }
    }
    return KeySet(ranges: result)
  }
}
