import Storage

/// Tells how a collection changed.
package struct CollectionTracker: ChangeTracker {
  private enum Subject {
    /// A list as it is.
    case list(ObservedList)
    /// Anything that a query finds. Nil before the start.
    case query(CompiledQuery, QueryResults?)
    /// A list of values in an order of its own, or some of them.
    case values(ObservedList, ListQuery, [StoredValue])
  }

  private var subject: Subject
  /// What counts as a modification of an element; nil for values that cannot be objects.
  private var scope: ChangeScope?
  package private(set) var pendingChanges = CollectionChanges()
  /// The same by keys, of a map as it is.
  package private(set) var pendingKeyChanges = MapChanges()

  /// - Parameter scope: what counts as a modification of an element; nil for values that cannot be
  ///   objects.
  package init(_ list: ObservedList, _ scope: ChangeScope?) {
    subject = .list(list)
    self.scope = scope
  }

  package init(_ query: CompiledQuery, _ scope: ChangeScope) {
    subject = .query(query, nil)
    self.scope = scope
  }

  package init(_ list: ObservedList, _ query: ListQuery, _ scope: ChangeScope?) {
    subject = .values(list, query, [])
    self.scope = scope
  }

  /// What the query found, if it is more than all objects of a class.
  package var keys: KeyList? {
    if case .query(_, let results) = subject { results?.keys } else { nil }
  }

  package mutating func start(at view: StoreView) throws(StorageError) {
    scope?.follow(view.schema)
    switch subject {
    case .list: break
    case .query(let query, _): subject = .query(query, try QueryResults(query, view))
    case .values(let list, let query, _):
      subject = .values(list, query, try Self.values(of: list, query, view))
    }
  }

  package mutating func advance(
    _ changes: ChangeSet, from old: StoreView, to new: StoreView
  ) throws(StorageError) {
    scope?.follow(new.schema)
    let difference = try difference(changes, from: old, to: new)
    if difference.isEmpty { return }
    pendingChanges = pendingChanges.followed(by: difference)
    guard case .list(let list) = subject else { return }
    let (before, after) = (try list.keys(in: old), try list.keys(in: new))
    if before == nil, after == nil { return }
    try pendingKeyChanges.follow(difference, from: before, to: after)
  }

  private mutating func difference(
    _ changes: ChangeSet, from old: StoreView, to new: StoreView
  ) throws(StorageError) -> CollectionChanges {
    switch subject {
    case .list(let list):
      if let difference = try list.changes(from: old, to: new, changes, scope) {
        return difference
      }
      // The list's object was deleted, and with it all there was.
      var difference = CollectionChanges()
      difference.deletions = Array(0..<(try list.list(in: old)?.count ?? 0))
      return difference
    case .query(_, let results):
      let (newer, difference) = try results!.advanced(from: old, to: new, changes, scope!)
      subject = .query(newer.query, newer)
      return difference
    case .values(let list, let query, let before):
      let after = try Self.values(of: list, query, new)
      subject = .values(list, query, after)
      var touched = TouchedObjects()
      if let elements = try list.list(in: new) {
        let trace = ChangeTrace(changes, from: old, to: new)
        touched = try list.touched(trace, in: elements, scope)
      }
      return .comparing(before.map(KeptValue.init), with: after.map(KeptValue.init)) {
        touched.contains($0.value) || changes.touchesCollection($0.value, in: new.schema)
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
    let tables = scope?.tables ?? []
    switch subject {
    case .list(let list), .values(let list, _, _):
      let elements = try list.list(in: view)?.count ?? 0
      return elements + (try view.objectCount(in: tables, limit: limit))
    case .query(let query, _):
      var elements = 0
      if case .list(let owner, let object, let column) = query.description.source {
        let list = ObservedList(owner: owner, object: object, column: column)
        elements = try list.list(in: view)?.count ?? 0
      }
      return elements + (try view.objectCount(in: tables.union(query.tables), limit: limit))
    }
  }

  package var goesByChanges: Bool {
    switch subject {
    case .list, .values: false
    case .query(let query, _): query.isWholeTable || query.isIncremental
    }
  }
}
