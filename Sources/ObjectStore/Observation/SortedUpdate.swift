import Platform
import Storage

/// Carries sorted results on: takes out what may have moved and puts it where it belongs now.
///
/// What no change concerned keeps its place among its like, so places are found by binary search:
/// where a candidate stood by its values in the old version, where it goes by those in the new.
struct SortedUpdate {
  let query: CompiledQuery
  let trace: ChangeTrace
  let old: KeyList

  /// A candidate on its way.
  private struct Mover {
    var key: ObjectKey
    /// Its index in the old results.
    var oldIndex: Int?
    /// How many of those that stay put stood before it, and will.
    var oldGap = 0
    var newGap = 0
    var values: [RowValue?] = []
  }

  func run(
    _ candidates: KeySet, _ touched: KeySet
  ) throws(StorageError) -> (results: QueryResults, changes: CollectionChanges) {
    var movers: [Mover] = []
    for key in candidates {
      movers.append(Mover(key: key, oldIndex: try oldIndex(of: key)))
    }
    let removed = movers.compactMap(\.oldIndex).sorted()
    for index in movers.indices {
      if let oldIndex = movers[index].oldIndex {
        movers[index].oldGap = oldIndex - Self.rank(oldIndex, in: removed)
      }
    }
    var staying = old
    staying.apply(deletions: removed, insertions: [])
    var arriving: [Mover] = []
    for var mover in movers where try query.matches(mover.key, trace.new) {
      mover.values = try query.sortValues(of: mover.key, trace.new) ?? []
      mover.newGap = try query.place(mover.values, mover.key, in: staying, trace.new)
      arriving.append(mover)
    }
    arriving.sort { left, right in
      let order = query.sort.compare(left.values, right.values)
      return order == .equal ? left.key < right.key : order == .less
    }
    var updated = staying
    updated.apply(
      deletions: [],
      insertions: arriving.enumerated().map { ($0.element.newGap + $0.offset, $0.element.key) })
    let changes = try changes(movers, arriving, removed, touched, candidates, updated)
    return (QueryResults(query, .keys(updated)), changes)
  }

  private func changes(
    _ movers: [Mover], _ arriving: [Mover], _ removed: [Int], _ touched: KeySet,
    _ candidates: KeySet, _ updated: KeyList
  ) throws(StorageError) -> CollectionChanges {
    // A candidate has not moved if it passed none of those that stay put, nor (of the candidates
    // that stand in the same gap) any that is counted as not having moved.
    let inPlace = LongestIncreasingSubsequence.members(
      arriving.map { mover in
        mover.oldGap == mover.newGap ? mover.oldIndex ?? -1 : -1
      })
    var kept: Set<Int> = []
    var changes = CollectionChanges()
    var modified: [(old: Int, new: Int)] = []
    for (offset, mover) in arriving.enumerated() {
      let index = mover.newGap + offset
      guard inPlace[offset], let oldIndex = mover.oldIndex else {
        changes.insertions.append(index)
        continue
      }
      kept.insert(oldIndex)
      if touched.contains(mover.key) { modified.append((oldIndex, index)) }
    }
    changes.deletions = removed.filter { !kept.contains($0) }
    for key in touched.subtracting(candidates) {
      // Touched, but nothing that the order or the predicate depends on.
      guard let before = try oldIndex(of: key) else { continue }
      let gap = before - Self.rank(before, in: removed)
      let passed = arriving.indices.partitionPoint { arriving[$0].newGap <= gap }
      modified.append((before, gap + passed))
    }
    for (old, new) in modified.sorted(by: { $0.new < $1.new }) {
      changes.modify(old: old, new: new)
    }
    return changes
  }

  /// Where the object stood in the old results; nil if it was not among them.
  private func oldIndex(of key: ObjectKey) throws(StorageError) -> Int? {
    guard try query.matches(key, trace.old) else { return nil }
    return try query.sortedIndex(of: key, in: old, trace.old)
  }

  /// How many of the rising `numbers` are below `number`.
  private static func rank(_ number: Int, in numbers: [Int]) -> Int {
    numbers.indices.partitionPoint { numbers[$0] < number }
  }
}

// Places in sorted results, found by binary search.
extension CompiledQuery {
  /// Where the object stands in the sorted results of a version; nil if it is not among them.
  func sortedIndex(
    of key: ObjectKey, in keys: KeyList, _ context: EvaluationContext
  ) throws(StorageError) -> Int? {
    guard let values = try sortValues(of: key, context) else { return nil }
    let index = try place(values, key, in: keys, context)
    return index < keys.count && keys[index] == key ? index : nil
  }

  /// How many of the keys stand before an object with those values.
  func place(
    _ values: [RowValue?], _ key: ObjectKey, in keys: KeyList, _ context: EvaluationContext
  ) throws(StorageError) -> Int {
    try keys.partition { (other) throws(StorageError) in
      guard let others = try sortValues(of: other, context) else { return false }
      let order = sort.compare(others, values)
      return order == .equal ? other < key : order == .less
    }
  }

  /// What the object is sorted by; nil if there is no such object.
  func sortValues(
    of key: ObjectKey, _ context: EvaluationContext
  ) throws(StorageError) -> [RowValue?]? {
    guard let table = try context.table(table), let position = try table.find(key) else {
      return nil
    }
    let place = PathPlace(table: table, position: position)
    var values: [RowValue?] = []
    values.reserveCapacity(sort.count)
    for sortKey in sort { values.append(try sortKey.value(context, place)) }
    return values
  }
}
