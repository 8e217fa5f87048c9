/// Follows the operations on a list to tell what became of its elements, without reading any.
struct ListOperationTrace {
  /// A stretch of the list as it is at the moment.
  private enum Piece {
    /// Elements of the old list, which stood from `start` on.
    case old(start: Int, count: Int, isModified: Bool)
    case new(count: Int)

    var count: Int {
      switch self {
      case .old(_, let count, _), .new(let count): count
      }
    }
  }

  private let oldCount: Int
  private var pieces: [Piece]

  /// - Parameter count: elements of the old list.
  init(count: Int) {
    oldCount = count
    pieces = count == 0 ? [] : [.old(start: 0, count: count, isModified: false)]
  }

  /// Follows one operation; false if it does not fit the list, so that the trace is of no use.
  mutating func apply(_ operation: ListOperation) -> Bool {
    switch operation {
    case .insert(let index, let count):
      guard let place = split(at: index) else { return false }
      if count > 0 { pieces.insert(.new(count: count), at: place) }
      return true
    case .remove(let index, let count): return take(index, count)
    case .set(let index): return modify(index)
    case .swap(let left, let right): return modify(left) && modify(right)
    case .move(let from, let to):
      guard take(from, 1), let place = split(at: to) else { return false }
      pieces.insert(.new(count: 1), at: place)
      return true
    case .clear:
      pieces.removeAll()
      return true
    }
  }

  private mutating func take(_ index: Int, _ count: Int) -> Bool {
    guard let start = split(at: index), let end = split(at: index + count) else { return false }
    pieces.removeSubrange(start..<end)
    return true
  }

  private mutating func modify(_ index: Int) -> Bool {
    guard let place = split(at: index), split(at: index + 1) != nil else { return false }
    if case .old(let start, let count, _) = pieces[place] {
      pieces[place] = .old(start: start, count: count, isModified: true)
    }
    return true
  }

  /// Makes a piece begin at `index`, and returns its place; nil if the list is shorter.
  private mutating func split(at index: Int) -> Int? {
    var before = 0
    for place in pieces.indices {
      if before == index { return place }
      let piece = pieces[place]
      if index < before + piece.count {
        let head = index - before
        let tail = piece.count - head
        switch piece {
        case .new:
          pieces[place] = .new(count: head)
          pieces.insert(.new(count: tail), at: place + 1)
        case .old(let start, _, let isModified):
          pieces[place] = .old(start: start, count: head, isModified: isModified)
          pieces.insert(
            .old(start: start + head, count: tail, isModified: isModified), at: place + 1)
        }
        return place + 1
      }
      before += piece.count
    }
    return index == before ? pieces.count : nil
  }

  /// Elements of the list as it is at the moment.
  var count: Int { pieces.reduce(0) { $0 + $1.count } }

  /// - Parameter modified: indices in the new list of further elements that count as modified,
  ///   rising.
  func changes(modified: [Int]) -> CollectionChanges {
    var changes = CollectionChanges()
    var oldIndex = 0
    var newIndex = 0
    var rest = modified[...]
    for piece in pieces {
      let end = newIndex + piece.count
      switch piece {
      case .new:
        changes.insertions.append(contentsOf: newIndex..<end)
        while let next = rest.first, next < end { rest.removeFirst() }
      case .old(let start, let count, let isModified):
        changes.deletions.append(contentsOf: oldIndex..<start)
        oldIndex = start + count
        if isModified {
          for offset in 0..<count { changes.modify(old: start + offset, new: newIndex + offset) }
        }
        while let next = rest.first, next < end {
          if !isModified { changes.modify(old: start + next - newIndex, new: next) }
          rest.removeFirst()
        }
      }
      newIndex = end
    }
    changes.deletions.append(contentsOf: oldIndex..<oldCount)
    return changes
  }
}
