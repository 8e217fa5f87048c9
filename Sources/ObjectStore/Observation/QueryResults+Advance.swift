import Storage

// Carrying results on to a newer version. What a change costs depends on how much changed, not on
// how much there is, but for queries with distinct or limit and those on lists.
extension QueryResults {
  /// The results in a newer version, and how they got there.
  ///
  /// - Parameters:
  ///   - old: the version that these are the results of.
  ///   - changes: everything that happened between the versions.
  ///   - scope: what counts as a modification, for the class of the results' objects.
  public func advanced(
    from old: StoreView, to new: StoreView, _ changes: ChangeSet, _ scope: ChangeScope
  ) throws(StorageError) -> (results: QueryResults, changes: CollectionChanges) {
    if changes.isEmpty { return (self, CollectionChanges()) }
    let trace = ChangeTrace(changes, from: old, to: new)
    let touched = try scope.touched(trace)[query.table]
    guard case .keys(let keys) = contents else { return try advancedTable(trace, touched) }
    if changes.schemaChanged || !query.schema.hasSameClassNames(as: new.schema) {
      // Links may come from classes and properties that the query has not known; hidden ones are
      // made without a change of the program's schema.
      let renewed = (try? CompiledQuery(query.description, schema: new.schema)) ?? query
      return try QueryResults(renewed, contents).rerun(keys, new, touched)
    }
    guard query.isIncremental else {
      if try isConcerned(trace) { return try rerun(keys, new, touched) }
      return (self, Self.unmoved(keys, touched))
    }
    let candidates = try candidates(trace)
    if try isCheaperToRerun(candidates.count, trace) { return try rerun(keys, new, touched) }
    if query.sort.isEmpty { return try advancedPlain(keys, trace, candidates, touched) }
    let update = SortedUpdate(query: query, trace: trace, old: keys)
    return try update.run(candidates, touched)
  }

  /// The objects that may have come, gone or moved.
  private func candidates(_ trace: ChangeTrace) throws(StorageError) -> KeySet {
    var candidates = try trace.objects(of: query.table, along: query.dependencies)
    if let own = trace.changes.changes(in: query.table) {
      candidates = candidates.union(own.insertions).union(own.deletions)
    }
    return candidates
  }

  /// Whether anything happened that decides who belongs, and where.
  private func isConcerned(_ trace: ChangeTrace) throws(StorageError) -> Bool {
    switch query.description.source {
    case .table: return try !candidates(trace).isEmpty
    case .list(let owner, let object, let column):
      if let changes = trace.changes.changes(in: owner) {
        if changes.isDeleted(object) || changes.isModified(object, column) { return true }
      }
    case .backlinks(let origin, let column, _):
      if let changes = trace.changes.changes(in: origin) {
        let isSame = changes.insertions.isEmpty && changes.deletions.isEmpty
        if !isSame || !changes.objects(modifiedIn: column).isEmpty { return true }
      }
    }
    return try !trace.objects(of: query.table, along: query.dependencies).isEmpty
  }

  private static func unmoved(_ keys: KeyList, _ touched: KeySet) -> CollectionChanges {
    var changes = CollectionChanges()
    if touched.isEmpty { return changes }
    for (index, key) in keys.array.enumerated() where touched.contains(key) {
      changes.modify(old: index, new: index)
    }
    return changes
  }

  /// Rough costs in nanoseconds. A candidate is found and tested by itself; in a sorted list it is
  /// placed twice, at some twenty comparisons each. A new run looks at every row, however cheaply,
  /// and copies or sorts all matches.
  private func isCheaperToRerun(
    _ candidates: Int, _ trace: ChangeTrace
  ) throws(StorageError) -> Bool {
    let isSorted = !query.sort.isEmpty
    let rows = try trace.new.table(query.table)?.count ?? 0
    let rerun = rows * query.node.cost / 2 + count * (isSorted ? 100 : 5) + 2000
    return candidates * (isSorted ? 8000 : 500) > rerun
  }

  private func rerun(
    _ keys: KeyList, _ view: StoreView, _ touched: KeySet
  ) throws(StorageError) -> (results: QueryResults, changes: CollectionChanges) {
    let results = try QueryResults(query, view)
    guard case .keys(let newKeys) = results.contents else { return (results, CollectionChanges()) }
    let old = keys.array
    let new = newKeys.array
    if query.isOrderedByKey { return (results, Self.merge(old, new, touched)) }
    let changes = SequenceDiff.changes(from: old, to: new) { touched.contains($0) }
    return (results, changes)
  }

  /// Compares two rising sequences.
  private static func merge(
    _ old: ContiguousArray<ObjectKey>, _ new: ContiguousArray<ObjectKey>, _ touched: KeySet
  ) -> CollectionChanges {
    var changes = CollectionChanges()
    var before = 0
    var after = 0
    while before < old.count || after < new.count {
      if after == new.count || (before < old.count && old[before] < new[after]) {
        changes.deletions.append(before)
        before += 1
      } else if before == old.count || new[after] < old[before] {
        changes.insertions.append(after)
        after += 1
      } else {
        if !touched.isEmpty, touched.contains(old[before]) {
          changes.modify(old: before, new: after)
        }
        before += 1
        after += 1
      }
    }
    return changes
  }

  /// All objects of a table: indices come from the counts in the two versions' trees.
  private func advancedTable(
    _ trace: ChangeTrace, _ touched: KeySet
  ) throws(StorageError) -> (results: QueryResults, changes: CollectionChanges) {
    var changes = CollectionChanges()
    let old = try trace.old.table(query.table)
    let new = try trace.new.table(query.table)
    let own = trace.changes.changes(in: query.table)
    if let old, let own {
      // Every key of the set was there, so the keys of a range stood next to each other.
      for range in own.deletions.ranges {
        guard let first = try old.index(of: ObjectKey(rawValue: range.lowerBound)) else { continue }
        guard range.count <= old.count - first else {
          throw old.source.corrupt(old.root, "\(range.count) objects were expected that are gone")
        }
        changes.deletions.append(contentsOf: first..<(first + range.count))
      }
    }
    if let new, let own {
      for range in own.insertions.ranges {
        guard let first = try new.index(of: ObjectKey(rawValue: range.lowerBound)) else { continue }
        changes.insertions.append(contentsOf: first..<(first + range.count))
      }
    }
    if let old, let new {
      for key in touched {
        guard let before = try old.index(of: key), let after = try new.index(of: key) else {
          continue
        }
        changes.modify(old: before, new: after)
      }
    }
    return (QueryResults(query, .wholeTable(count: new?.count ?? 0)), changes)
  }

  /// Results in the order of their keys: places are found by the key.
  private func advancedPlain(
    _ keys: KeyList, _ trace: ChangeTrace, _ candidates: KeySet, _ touched: KeySet
  ) throws(StorageError) -> (results: QueryResults, changes: CollectionChanges) {
    var changes = CollectionChanges()
    var inserted: [(index: Int, key: ObjectKey)] = []
    // Both sets rise, so the indices do too.
    for key in candidates.union(touched) {
      let place = keys.partition { $0 < key }
      let was = place < keys.count && keys[place] == key
      let isCandidate = candidates.contains(key)
      let isNow = isCandidate ? try query.matches(key, trace.new) : was
      let index = place - changes.deletions.count + changes.insertions.count
      switch (was, isNow) {
      case (true, false): changes.deletions.append(place)
      case (false, true):
        changes.insertions.append(index)
        inserted.append((index, key))
      case (true, true): if touched.contains(key) { changes.modify(old: place, new: index) }
      case (false, false): break
      }
    }
    var updated = keys
    updated.apply(deletions: changes.deletions, insertions: inserted)
    return (QueryResults(query, .keys(updated)), changes)
  }
}
