import Storage

/// Tells which properties of an object were set, and whether it was deleted.
package struct ObjectTracker: ChangeTracker {
  let key: ObjectKey
  let scope: ChangeScope
  package private(set) var pendingChanges = ObservedObjectChange.none

  package init(_ key: ObjectKey, _ scope: ChangeScope) {
    self.key = key
    self.scope = scope
  }

  package mutating func start(at view: StoreView) {}

  package mutating func advance(
    _ changes: ChangeSet, from old: StoreView, to new: StoreView
  ) throws(StorageError) {
    if case .deleted = pendingChanges { return }
    switch (pendingChanges, try scope.change(of: key, from: old, to: new, changes)) {
    case (_, .none): break
    case (.changed(let columns), .changed(let more)):
      pendingChanges = .changed(Set(columns).union(more).sorted())
    case (_, let change): pendingChanges = change
    }
  }

  package var hasPendingChanges: Bool { pendingChanges != .none }
  package mutating func discardPendingChanges() { pendingChanges = .none }

  package func extent(in view: StoreView, limit: Int) throws(StorageError) -> Int {
    let tables = scope.tables
    return tables.count == 1 ? 1 : try view.objectCount(in: tables, limit: limit)
  }

  package var goesByChanges: Bool { true }
}
