import Platform

extension CollectionChanges {
  /// What these changes and then the `next` ones make together: from before these to after those.
  ///
  /// What left and came back counts as both deleted and inserted. Time: proportional to what
  /// changed.
  public func followed(by next: CollectionChanges) -> CollectionChanges {
    if isEmpty { return next }
    if next.isEmpty { return self }
    // Between the two: indices of what these changes inserted and what the next ones delete.
    let came = RankedIndices(insertions)
    let left = RankedIndices(deletions)
    let goes = RankedIndices(next.deletions)
    let comes = RankedIndices(next.insertions)
    var all = CollectionChanges()
    all.deletions = deletions
    for index in next.deletions where !came.contains(index) {
      all.deletions.append(left.placed(came.removed(index)))
    }
    all.insertions = next.insertions
    for index in insertions where !goes.contains(index) {
      all.insertions.append(comes.placed(goes.removed(index)))
    }
    all.deletions.sort()
    all.insertions.sort()
    var modified: [(old: Int, new: Int)] = []
    for (old, new) in zip(modificationsOld, modificationsNew) where !goes.contains(new) {
      modified.append((old, comes.placed(goes.removed(new))))
    }
    for (old, new) in zip(next.modificationsOld, next.modificationsNew)
    where !came.contains(old) {
      modified.append((left.placed(came.removed(old)), new))
    }
    modified.sort { $0.new < $1.new }
    for (old, new) in modified where all.modificationsNew.last != new {
      all.modify(old: old, new: new)
    }
    return all
  }
}

/// Rising indices that were taken out of a sequence or put into one.
private struct RankedIndices {
  private let indices: [Int]

  init(_ indices: [Int]) { self.indices = indices }

  func contains(_ index: Int) -> Bool {
    let place = countBelow(index)
    return place < indices.count && indices[place] == index
  }

  /// Where the element at `index`, which is none of these, stands once these are taken out.
  func removed(_ index: Int) -> Int { index - countBelow(index) }

  private func countBelow(_ index: Int) -> Int {
    indices.indices.partitionPoint { indices[$0] < index }
  }

  /// Where the element at `index` stands once these have been put in.
  func placed(_ index: Int) -> Int {
    // Of the rising numbers `indices[n] - n` those up to `index` are of elements put in before it.
    index + indices.indices.partitionPoint { indices[$0] - $0 <= index }
  }
}
