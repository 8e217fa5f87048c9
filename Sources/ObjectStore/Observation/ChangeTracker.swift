import Storage

/// What gathers changes until they are delivered.
package protocol PendingChanges: Sendable {
  var hasPendingChanges: Bool { get }
  /// What was pending was delivered, or is not to be.
  mutating func discardPendingChanges()
}

/// What an observer knows of the thing that it watches, at one version, and what it has yet to
/// tell.
///
/// A value that belongs to no thread: it is carried on to newer versions wherever there is time.
package protocol ChangeTracker: PendingChanges {
  /// Begins at a version, with nothing to tell.
  mutating func start(at view: StoreView) throws(StorageError)

  /// Goes on to a newer version; what happened in between is added to what there is to tell.
  mutating func advance(
    _ changes: ChangeSet, from old: StoreView, to new: StoreView
  ) throws(StorageError)

  /// How many objects starting and advancing may have to look at; counts no further than `limit`.
  func extent(in view: StoreView, limit: Int) throws(StorageError) -> Int

  /// Whether advancing looks at little more than what changed.
  var goesByChanges: Bool { get }
}

extension StoreView {
  /// How many objects the tables hold together; counts no further than `limit`.
  func objectCount(in tables: Set<TableKey>, limit: Int) throws(StorageError) -> Int {
    var total = 0
    for key in tables where total <= limit { total += try table(key)?.count ?? 0 }
    return total
  }
}
