import Storage

/// Tells how a collection changed.
package struct CollectionTracker: ChangeTracker {
  private enum Subject {
    /// A list as it is.
    case list(ObservedList, ChangeScope?)
    /// Anything that a query finds. Nil before the start.
    case query(CompiledQuery, ChangeScope, QueryResults?)
    /// A list of values in an order of its own, or some of them.
    case values(ObservedList, ListQuery, [StoredValue])
  }

  private var subject: Subject
  package private(set) var pendingChanges = CollectionChanges()
  /// The same by keys, of a map as it is.
  package private(set) var pendingKeyChanges = MapChanges()

  /// - Parameter scope: what counts as a modification of an element; nil for a list of values.
  package init(_ list: ObservedList, _ scope: ChangeScope?) { subject = .list(list, scope) }

  package init(_ query: CompiledQuery, _ scope: ChangeScope) {
    subject = .query(query, scope, nil)
  }

  package init(_ list: ObservedList, _ query: ListQuery) { subject = .values(list, query, []) }

  /// What the query found, if it is more than all objects of a class.
  package var keys: KeyList? {
    if case .query(_, _, let results) = subject { results?.keys } else { nil }
  }

  package mutating func start(at view: StoreView) throws(StorageError) {
    switch subject {
    case .list: break
    case .query(let query, let scope, _):
      subject = .query(query, scope, try QueryResults(query, view))
    case .values(let list, let query, _):
      subject = .values(list, query, try Self.values(of: list, query, view))
    }
  }

  package mutating func advance(
    _ changes: ChangeSet, from old: StoreView, to new: StoreView
  ) throws(StorageError) {
    let difference = try difference(changes, from: old, to: new)
    if difference.isEmpty { return }
    pendingChanges = pendingChanges.followed(by: difference)
    guard case .list(let list, _) = subject else { return }
    let (before, after) = (try list.keys(in: old), try list.keys(in: new))
    if before == nil, after == nil { return }
    try pendingKeyChanges.follow(difference, from: before, to: after)
  }

  private mutating func difference(
    _ changes: ChangeSet, from old: StoreView, to new: StoreView
  ) throws(StorageError) -> CollectionChanges {
    switch subject {
    case .list(let list, let scope):
      if let difference = try list.changes(from: old, to: new, changes, scope) {
        return difference
      }
      // The list's object was deleted, and with it all there was.
      var difference = CollectionChanges()
      difference.deletions = Array(0..<(try list.list(in: old)?.count ?? 0))
      return difference
    case .query(_, let scope, let results):
      let (newer, difference) = try results!.advanced(from: old, to: new, changes, scope)
      subject = .query(newer.query, scope, newer)
      return difference
    case .values(let list, let query, let before):
      let after = try Self.values(of: list, query, new)
      subject = .values(list, query, after)
      return .comparing(before.map(KeptValue.init), with: after.map(KeptValue.init)) {
        changes.touchesCollection($0.value, in: new.schema)
      }
    }
  }

  private static func values(
    of list: ObservedList, _ query: ListQuery, _ view: StoreView
  ) throws(StorageError) -> [StoredValue] {
    guard let elements = try list.list(in: view) else { return [] }
    var values: [StoredValue] = []
    for place in try query.evaluate(elements, view) { values.append(try elements.value(at: place)) }
    return values
  }

  package var hasPendingChanges: Bool { !pendingChanges.isEmpty }
  package mutating func discardPendingChanges() {
    pendingChanges = CollectionChanges()
    pendingKeyChanges = MapChanges()
  }

  // MARK: What it takes

  package func extent(in view: StoreView, limit: Int) throws(StorageError) -> Int {
    switch subject {
    case .list(let list, let scope):
      let elements = try list.list(in: view)?.count ?? 0
      return elements + (try view.objectCount(in: scope?.tables ?? [], limit: limit))
    case .query(let query, let scope, _):
      var elements = 0
      if case .list(let owner, let object, let column) = query.description.source {
        let list = ObservedList(owner: owner, object: object, column: column)
        elements = try list.list(in: view)?.count ?? 0
      }
      return elements + (try view.objectCount(in: scope.tables.union(query.tables), limit: limit))
    case .values(let list, _, _): return try list.list(in: view)?.count ?? 0
    }
  }

  package var goesByChanges: Bool {
    switch subject {
    case .list, .values: false
    case .query(let query, _, _): query.isWholeTable || query.isIncremental
    }
  }
}
