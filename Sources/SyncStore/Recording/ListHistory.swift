import ObjectStore

/// The elements of a list, followed through what was done to it. Each has a number: its index in
/// the list before, or a higher one if it was put in since.
struct ListHistory {
  private(set) var elements: [Int]
  /// Elements that were replaced and may be among those of the list before.
  private var replaced: Set<Int> = []
  private let countBefore: Int
  private var next: Int

  init(count: Int) {
    elements = Array(0..<count)
    countBefore = count
    next = count
  }

  /// All of it. Nil if it is not known, or does not lead from one count to the other.
  init?(_ change: ListChange?, from count: Int, to end: Int) {
    guard case .operations(let operations) = change, operations.lead(from: count, to: end) else {
      return nil
    }
    self.init(count: count)
    for operation in operations { apply(operation) }
  }

  func isNew(_ element: Int) -> Bool { element >= countBefore }

  /// Whether the element at an index was put in or replaced.
  func isWritten(at index: Int) -> Bool {
    isNew(elements[index]) || replaced.contains(elements[index])
  }

  /// Goes on by an operation, which must fit.
  mutating func apply(_ operation: ListOperation) {
    switch operation {
    case .insert(let index, let count):
      elements.insert(contentsOf: next..<next + count, at: index)
      next += count
    case .remove(let index, let count): elements.removeSubrange(index..<index + count)
    case .set(let index): replaced.insert(elements[index])
    case .move(let from, let to): elements.insert(elements.remove(at: from), at: to)
    case .swap(let left, let right): elements.swapAt(left, right)
    case .clear: elements.removeAll()
    }
  }
}

extension ListChange {
  /// Whether the first thing that is known is that the list, or the set, was cleared: nothing that
  /// was done before that counts.
  var isClearedFirst: Bool {
    if case .operations(let operations) = self { operations.first == .clear } else { false }
  }
}

extension [ListOperation] {
  /// Whether the operations can be applied to a list of `count` elements, and leave `end`.
  func lead(from count: Int, to end: Int?) -> Bool {
    var count = count
    for operation in self {
      switch operation {
      case .insert(let index, let inserted):
        guard index <= count else { return false }
        count += inserted
      case .remove(let index, let removed):
        guard index + removed <= count else { return false }
        count -= removed
      case .set(let index): if index >= count { return false }
      case .move(let from, let to), .swap(let from, let to):
        if from >= count || to >= count { return false }
      case .clear: count = 0
      }
    }
    return end == nil || count == end
  }
}
