import Platform

extension CollectionChanges {
  /// How a sequence of values got from one version to another, by comparing the two.
  ///
  /// - Parameter isModified: whether an element that stayed counts as modified.
  public static func comparing<Element: Hashable>(
    _ old: some RandomAccessCollection<Element>, with new: some RandomAccessCollection<Element>,
    isModified: (Element) -> Bool = { _ in false }
  ) -> CollectionChanges {
    SequenceDiff.changes(from: old, to: new, isModified: isModified)
  }
}

/// A value as an element that is compared with what it was before: a number is the same as before
/// if its bits are, also one that is none, and zeros of both signs are two.
struct KeptValue: Hashable {
  let value: StoredValue

  init(_ value: StoredValue) { self.value = value }

  static func == (left: KeptValue, right: KeptValue) -> Bool {
    left.value.isIdentical(to: right.value)
  }

  func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

/// Compares two versions of a sequence element by element: for when nothing better is known.
enum SequenceDiff {
  /// Elements that occur several times are matched in the order of their occurrence. Of those that
  /// changed places, as few as possible count as moved. Time: n log n of what differs.
  ///
  /// - Parameter isModified: whether an element that stayed counts as modified.
  static func changes<Element: Hashable>(
    from old: some RandomAccessCollection<Element>, to new: some RandomAccessCollection<Element>,
    isModified: (Element) -> Bool
  ) -> CollectionChanges {
    let old = ContiguousArray(old)
    let new = ContiguousArray(new)
    var start = 0
    while start < min(old.count, new.count), old[start] == new[start] { start += 1 }
    var oldEnd = old.count
    var newEnd = new.count
    while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
      oldEnd -= 1
      newEnd -= 1
    }
    var changes = CollectionChanges()
    for index in 0..<start where isModified(old[index]) {
      changes.modify(old: index, new: index)
    }
    middle(old, start..<oldEnd, new, start..<newEnd, isModified, &changes)
    for index in oldEnd..<old.count where isModified(old[index]) {
      changes.modify(old: index, new: index - oldEnd + newEnd)
    }
    return changes
  }

  private static func middle<Element: Hashable>(
    _ old: ContiguousArray<Element>, _ oldRange: Range<Int>, _ new: ContiguousArray<Element>,
    _ newRange: Range<Int>, _ isModified: (Element) -> Bool, _ changes: inout CollectionChanges
  ) {
    let matches = matchOccurrences(old, oldRange, new, newRange)
    let stays = LongestIncreasingSubsequence.members(matches)
    var isKept = [Bool](repeating: false, count: oldRange.count)
    for (offset, stay) in stays.enumerated() {
      if stay {
        isKept[matches[offset] - oldRange.lowerBound] = true
      } else {
        changes.insertions.append(newRange.lowerBound + offset)
      }
    }
    for (offset, kept) in isKept.enumerated() where !kept {
      changes.deletions.append(oldRange.lowerBound + offset)
    }
    for (offset, stay) in stays.enumerated()
    where stay && isModified(new[newRange.lowerBound + offset]) {
      changes.modify(old: matches[offset], new: newRange.lowerBound + offset)
    }
  }

  /// For each new element the index of the old one that it is; -1 for none.
  private static func matchOccurrences<Element: Hashable>(
    _ old: ContiguousArray<Element>, _ oldRange: Range<Int>, _ new: ContiguousArray<Element>,
    _ newRange: Range<Int>
  ) -> [Int] {
    if oldRange.isEmpty { return [Int](repeating: -1, count: newRange.count) }
    // The first occurrence of each element that is still free, and from each the next.
    var first: [Element: Int] = [:]
    var next = [Int](repeating: -1, count: oldRange.count)
    first.reserveCapacity(oldRange.count)
    for index in oldRange.reversed() {
      next[index - oldRange.lowerBound] = first.updateValue(index, forKey: old[index]) ?? -1
    }
    return newRange.map { index in
      guard let found = first[new[index]], found >= 0 else { return -1 }
      first[new[index]] = next[found - oldRange.lowerBound]
      return found
    }
  }
}

/// The longest rising subsequence: what can stay in place when a sequence is reordered.
package enum LongestIncreasingSubsequence {
  /// - Parameter values: negative ones are passed over.
  /// - Returns: for each value whether it belongs to the subsequence.
  package static func members(_ values: [Int]) -> [Bool] {
    var isMember = [Bool](repeating: false, count: values.count)
    // tails[n]: the place of the smallest value that ends a rise of n + 1 values.
    var tails: [Int] = []
    var previous = [Int](repeating: -1, count: values.count)
    for (place, value) in values.enumerated() where value >= 0 {
      var length = tails.count
      if let last = tails.last, values[last] >= value {
        length = tails.indices.partitionPoint { values[tails[$0]] < value }
      }
      if length > 0 { previous[place] = tails[length - 1] }
      if length == tails.count { tails.append(place) } else { tails[length] = place }
    }
    var place = tails.last ?? -1
    while place >= 0 {
      isMember[place] = true
      place = previous[place]
    }
    return isMember
  }
}
