import TestSupport
import Testing

@testable import ObjectStore

/// Applies changes in the documented order; elements that were inserted come from the new one.
func applying<Element>(
  _ changes: CollectionChanges, to old: [Element], from new: [Element]
) -> [Element] {
  var result = old
  for index in changes.deletions.reversed() { result.remove(at: index) }
  for index in changes.insertions { result.insert(new[index], at: index) }
  for index in changes.modificationsNew { result[index] = new[index] }
  return result
}

/// Whether indices rise, are in bounds, and name each element once.
func isWellFormed(_ changes: CollectionChanges, oldCount: Int, newCount: Int) -> Bool {
  func rises(_ indices: [Int], _ count: Int) -> Bool {
    zip(indices, indices.dropFirst()).allSatisfy { $0 < $1 }
      && indices.allSatisfy { (0..<count).contains($0) }
  }
  return rises(changes.deletions, oldCount) && rises(changes.insertions, newCount)
    && rises(changes.modificationsOld, oldCount) && rises(changes.modificationsNew, newCount)
    && Set(changes.deletions).isDisjoint(with: changes.modificationsOld)
    && Set(changes.insertions).isDisjoint(with: changes.modificationsNew)
    && changes.modificationsOld.count == changes.modificationsNew.count
    && oldCount - changes.deletions.count + changes.insertions.count == newCount
}

@Suite("Diffs of sequences reproduce the new one")
struct ChangesDiffTests {
  @Test("random edits, with elements that occur more than once", arguments: Seeds.list(8))
  func sequences(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let kinds = random.chance(2) ? 5 : 1000
      let old = (0..<Int.random(in: 0...30, using: &random)).map { _ in
        Int.random(in: 0..<kinds, using: &random)
      }
      var new = old
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        if !new.isEmpty, random.chance(2) {
          let element = new.remove(at: Int.random(in: new.indices, using: &random))
          if random.chance(2) {
            new.insert(element, at: Int.random(in: 0...new.count, using: &random))
          }
        } else {
          let place = Int.random(in: 0...new.count, using: &random)
          new.insert(Int.random(in: 0..<kinds, using: &random), at: place)
        }
      }
      let modified = Set(old.filter { _ in random.chance(3) })
      let changes = SequenceDiff.changes(from: old, to: new) { modified.contains($0) }
      #expect(isWellFormed(changes, oldCount: old.count, newCount: new.count), "seed \(seed)")
      #expect(applying(changes, to: old, from: new) == new, "seed \(seed)")
      for (before, after) in zip(changes.modificationsOld, changes.modificationsNew) {
        #expect(old[before] == new[after] && modified.contains(new[after]), "seed \(seed)")
      }
      let told = Set(changes.modificationsNew).union(changes.insertions)
      for index in new.indices where modified.contains(new[index]) {
        #expect(told.contains(index), "seed \(seed)")
      }
    }
  }

  @Test("one element that moved is one deletion and one insertion")
  func move() {
    let changes = SequenceDiff.changes(from: [1, 2, 3, 4, 5], to: [2, 3, 4, 1, 5]) { _ in false }
    #expect(changes.deletions == [0])
    #expect(changes.insertions == [3])
    #expect(changes.modificationsNew.isEmpty)
  }

  @Test("what was done to a list tells how it changed", arguments: Seeds.list(8))
  func listOperations(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      var next = 0
      func fresh() -> Int {
        next += 1
        return next
      }
      let old = (0..<Int.random(in: 0...12, using: &random)).map { _ in fresh() }
      var new = old
      var trace = ListOperationTrace(count: old.count)
      for _ in 0..<Int.random(in: 0...10, using: &random) {
        let operation = randomOperation(on: &new, &random, fresh)
        let fits = trace.apply(operation)
        #expect(fits)
        #expect(trace.count == new.count)
      }
      let changes = trace.changes(modified: [])
      #expect(isWellFormed(changes, oldCount: old.count, newCount: new.count), "seed \(seed)")
      #expect(applying(changes, to: old, from: new) == new, "seed \(seed)")
    }
  }

  private func randomOperation(
    on list: inout [Int], _ random: inout SeededGenerator, _ fresh: () -> Int
  ) -> ListOperation {
    let kind = list.isEmpty ? 0 : Int.random(in: 0...11, using: &random)
    let index = list.isEmpty ? 0 : Int.random(in: list.indices, using: &random)
    switch kind {
    case 0...3:
      let place = Int.random(in: 0...list.count, using: &random)
      let count = Int.random(in: 1...3, using: &random)
      list.insert(contentsOf: (0..<count).map { _ in fresh() }, at: place)
      return .insert(index: place, count: count)
    case 4...5:
      let count = Int.random(in: 1...(list.count - index), using: &random)
      list.removeSubrange(index..<(index + count))
      return .remove(index: index, count: count)
    case 6...7:
      list[index] = fresh()
      return .set(index: index)
    case 8...9:
      let to = Int.random(in: list.indices, using: &random)
      list.insert(list.remove(at: index), at: to)
      return .move(from: index, to: to)
    case 10:
      let other = Int.random(in: list.indices, using: &random)
      list.swapAt(index, other)
      return .swap(index, other)
    default:
      list.removeAll()
      return .clear
    }
  }

  @Test("operations that do not fit the list are refused")
  func misfits() {
    for operation in [
      ListOperation.insert(index: 3, count: 1), .remove(index: 1, count: 2), .set(index: 2),
    ] {
      var trace = ListOperationTrace(count: 2)
      let fits = trace.apply(operation)
      #expect(!fits)
    }
  }

  @Test("elements modified from outside are told where they stand")
  func modifiedElements() {
    var trace = ListOperationTrace(count: 4)
    let fits = [ListOperation.remove(index: 0, count: 1), .insert(index: 3, count: 1)]
      .allSatisfy { trace.apply($0) }
    #expect(fits)
    let changes = trace.changes(modified: [1, 3])
    #expect(changes.deletions == [0])
    #expect(changes.insertions == [3])
    #expect(changes.modificationsOld == [2])
    #expect(changes.modificationsNew == [1])
  }

  @Test("a list of keys edits like an array", arguments: Seeds.list(3))
  func keyList(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var model = (0..<Int64.random(in: 0...5000, using: &random)).map { ObjectKey(rawValue: $0 * 4) }
    var list = KeyList(ContiguousArray(model))
    for round in 0..<20 {
      let edits = round % 10 == 9 ? 3000 : Int.random(in: 0...5, using: &random)
      let deletions = Set((0..<edits).map { _ in Int.random(in: 0...5000, using: &random) })
        .filter { $0 < model.count }.sorted()
      for index in deletions.reversed() { model.remove(at: index) }
      var inserted: Set<Int> = []
      for _ in 0..<edits {
        inserted.insert(Int.random(in: 0...(model.count + inserted.count), using: &random))
      }
      var insertions: [(index: Int, key: ObjectKey)] = []
      for index in inserted.sorted() where index <= model.count {
        let key = ObjectKey(rawValue: Int64.random(in: 0...20000, using: &random))
        insertions.append((index, key))
        model.insert(key, at: index)
      }
      let before = list
      let copy = Array(before)
      list.apply(deletions: deletions, insertions: insertions)
      #expect(Array(list) == model, "seed \(seed)")
      #expect(Array(list.array) == model, "seed \(seed)")
      #expect(Array(before) == copy, "seed \(seed)")
    }
    let sorted = KeyList(ContiguousArray(model.sorted()))
    for _ in 0..<100 {
      let key = ObjectKey(rawValue: Int64.random(in: -1...20001, using: &random))
      #expect(sorted.partition { $0 < key } == model.filter { $0 < key }.count, "seed \(seed)")
    }
  }
}

/// What comparing large sequences takes, and what change sets make together.
@Suite struct LargeDiffTests {
  /// Counts how often such elements are compared or hashed.
  private final class Count {
    var value = 0
  }

  private struct Element: Hashable {
    let value: Int
    let count: Count

    static func == (left: Element, right: Element) -> Bool {
      left.count.value += 1
      return left.value == right.value
    }

    func hash(into hasher: inout Hasher) {
      count.value += 1
      hasher.combine(value)
    }
  }

  /// 100,000 elements of which 10,000 change, all the same, all different, or in another order: not
  /// more than a few looks at each.
  @Test(
    "comparing large lists takes time that rises with their length, not its square",
    arguments: [1, 100, 1_000_000])
  func largeLists(values: Int) {
    var generator = SystemRandomNumberGenerator()
    let count = Count()
    let old = (0..<100_000).map { _ in
      Element(value: Int.random(in: 0..<values, using: &generator), count: count)
    }
    var new = old
    for _ in 0..<2500 {
      new.remove(at: Int.random(in: 0..<new.count, using: &generator))
      new.swapAt(
        Int.random(in: 0..<new.count, using: &generator),
        Int.random(in: 0..<new.count, using: &generator))
      new.insert(
        Element(value: Int.random(in: 0..<values, using: &generator), count: count),
        at: Int.random(in: 0...new.count, using: &generator))
    }
    for new in [new, new.reversed(), Array(new.shuffled())] {
      count.value = 0
      let changes = CollectionChanges.comparing(old, with: new)
      #expect(count.value < 20 * old.count)
      var copy = old.map(\.value)
      let gone = Set(changes.deletions)
      copy = copy.indices.filter { !gone.contains($0) }.map { copy[$0] }
      #expect(merged(copy, changes.insertions, new.map(\.value)) == new.map(\.value))
    }
  }

  /// Puts insertions in, in time that rises with the length.
  private func merged(_ staying: [Int], _ insertions: [Int], _ new: [Int]) -> [Int] {
    let inserted = Set(insertions)
    var rest = staying[...]
    return new.indices.compactMap { inserted.contains($0) ? new[$0] : rest.popFirst() }
  }

  @Test("change sets that follow each other make one", arguments: 0..<300)
  func composition(seed: Int) {
    var random = SystemRandomNumberGenerator()
    func next(_ values: [Int]) -> [Int] {
      var values = values
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        if !values.isEmpty && Bool.random(using: &random) {
          values.remove(at: Int.random(in: 0..<values.count, using: &random))
        } else {
          values.insert(
            Int.random(in: 0..<9, using: &random),
            at: Int.random(in: 0...values.count, using: &random))
        }
      }
      return values
    }
    let first = next([1, 2, 3, 4, 5, 6])
    let second = next(first)
    let third = next(second)
    let all = CollectionChanges.comparing(first, with: second)
      .followed(by: .comparing(second, with: third))
    var copy = first
    for index in all.deletions.reversed() { copy.remove(at: index) }
    for index in all.insertions { copy.insert(third[index], at: index) }
    #expect(copy == third)
    #expect(all.deletions == all.deletions.sorted() && all.insertions == all.insertions.sorted())
  }
}
