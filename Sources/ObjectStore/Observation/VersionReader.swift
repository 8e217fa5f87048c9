import Storage

/// Reads versions, and what happened between them, once for all observers.
package struct VersionReader {
  private let schemas: SchemaCache
  private let path: String
  private var known: [ClosedRange<Version>: ChangeSet] = [:]

  /// - Parameters:
  ///   - schemas: the file's cache of schemas.
  ///   - path: of the file, for messages.
  package init(_ schemas: SchemaCache, path: String) {
    self.schemas = schemas
    self.path = path
  }

  package func view(of snapshot: Snapshot) throws(StorageError) -> StoreView {
    try schemas.view(of: snapshot)
  }

  package mutating func advance(
    _ tracker: inout ObserverTracker, from old: Snapshot, to new: Snapshot
  ) throws(StorageError) {
    if old.version == new.version { return }
    let changes = try changes(from: old, to: new)
    try tracker.advance(changes, from: view(of: old), to: view(of: new))
  }

  private mutating func changes(
    from old: Snapshot, to new: Snapshot
  ) throws(StorageError) -> ChangeSet {
    if let changes = known[old.version...new.version] { return changes }
    var changes = ChangeSet()
    for entry in try new.historyEntries(after: old.version) {
      changes.merge(try decoded(entry))
    }
    try changes.check(against: new.root, in: new.source, from: (old.root, old.source))
    known[old.version...new.version] = changes
    return changes
  }

  private func decoded(_ entry: HistoryEntry) throws(StorageError) -> ChangeSet {
    let result = unsafe entry.bytes.withUnsafeBytes { bytes -> Result<ChangeSet, StorageError> in
      do throws(StorageError) {
        return unsafe .success(try ChangeSet(decoding: bytes, path: path))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

extension SchemaCache {
  /// A version as queries see it.
  package func view(of snapshot: Snapshot) throws(StorageError) -> StoreView {
    let schema = try schema(snapshot.root, in: snapshot.source)
    return StoreView(
      source: snapshot.source, root: snapshot.root, schema: schema.description)
  }
}
