import ObjectStore
import Storage

/// What an observer of a collection remembers of it, to tell how it changed.
struct CollectionTracker {
  private enum Subject {
    /// A list as it is.
    case list(ObservedList, ChangeScope?)
    /// Anything that a query finds.
    case query(QueryResults, ChangeScope)
    /// A list of values in an order of its own.
    case values([StoredValue])
  }

  private let collection: _ManagedCollection
  private var subject: Subject

  init(_ collection: _ManagedCollection, keyPaths: [String]?, at snapshot: Snapshot) {
    self.collection = collection
    let instance = collection.instance
    let scope = collection.binding.map { instance.scope(of: $0, keyPaths) }
    if let list = collection.list, collection.isPlain {
      let observed = ObservedList(
        owner: list.binding.table, object: list.object, column: list.column)
      subject = .list(observed, scope)
    } else if let scope {
      let query = instance.compiled(collection.query)
      let view = instance.view(of: snapshot)
      let results = engine { () throws(StorageError) in try QueryResults(query, view) }
      subject = .query(results, scope)
    } else {
      subject = .values(collection.values())
    }
  }

  /// How the collection got from one version to the next. Nil for a list whose object is gone.
  mutating func advance(
    _ changes: ChangeSet, from old: Snapshot, to new: Snapshot
  ) -> CollectionChanges? {
    let instance = collection.instance
    let oldView = instance.view(of: old)
    let newView = instance.view(of: new)
    switch subject {
    case .list(let list, let scope):
      return engine { () throws(StorageError) in
        try list.changes(from: oldView, to: newView, changes, scope)
      }
    case .query(let results, let scope):
      let (newer, difference) = engine { () throws(StorageError) in
        try results.advanced(from: oldView, to: newView, changes, scope)
      }
      subject = .query(newer, scope)
      return difference
    case .values(let before):
      let after = collection.isValid ? collection.values() : []
      subject = .values(after)
      return .comparing(before, with: after)
    }
  }
}

extension _RealmInstance {
  /// A version as queries see it.
  func view(of snapshot: Snapshot) -> StoreView {
    StoreView(source: snapshot.source, root: snapshot.root, schema: schema.description)
  }

  /// What counts as a modification of an element of a collection.
  func scope(of binding: TableBinding, _ keyPaths: [String]?) -> ChangeScope {
    guard let keyPaths else {
      return ChangeScope(elementsOf: binding.table, schema: schema.description)
    }
    return scope(of: binding, along: keyPaths)
  }

  func scope(of binding: TableBinding, along keyPaths: [String]) -> ChangeScope {
    do {
      return try ChangeScope(
        keyPaths: keyPaths.map { path($0, from: binding) }, of: binding.table,
        schema: schema.description)
    } catch {
      throwRealmException(error.reason)
    }
  }
}
