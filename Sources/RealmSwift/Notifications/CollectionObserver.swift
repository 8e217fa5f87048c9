public import Dispatch
import ObjectStore
import Storage

/// Tells how a collection changed.
final class CollectionObserver: Observer, @unchecked Sendable {
  // Sendable like its superclass.

  private let collection: _ManagedCollection
  private let handler: (Event) -> Void

  enum Event {
    case initial
    /// What changed, and of a map as it is the same by keys.
    case update(CollectionChanges, byKey: MapChanges)
    /// The next update begins at what the collection is now: it was not to be called with what led
    /// to that.
    case suppressed
  }

  init(
    _ collection: _ManagedCollection, keyPaths: [String]?,
    _ handler: @escaping (Event) -> Void
  ) {
    self.collection = collection
    self.handler = handler
    super.init(
      collection.instance,
      ObservationState(.collection(CollectionTracker(collection, keyPaths: keyPaths))))
  }

  override func deliver(_ delivery: State.Delivery, at snapshot: Snapshot) {
    switch delivery {
    case .initial(.collection(let tracker)):
      use(tracker)
      handler(.initial)
    case .changes(.collection(let tracker)):
      use(tracker)
      handler(.update(tracker.pendingChanges, byKey: tracker.pendingKeyChanges))
    default: return
    }
  }

  override func didSuppress(from before: Snapshot, to after: Snapshot) {
    collection.revive()
    handler(.suppressed)
  }

  /// The collection need not look again for what the tracker has found.
  private func use(_ tracker: CollectionTracker) {
    collection.revive()
    if let keys = tracker.keys { collection.adopt(keys) }
  }
}

extension CollectionTracker {
  fileprivate init(_ collection: _ManagedCollection, keyPaths: [String]?) {
    let instance = collection.instance
    let schema = instance.schema.description
    let objects = collection.binding.map { ChangeScope(elementsOf: $0, keyPaths, in: instance) }
    let list = collection.list.map { list in
      ObservedList(owner: list.binding.table, object: list.object, column: list.column)
    }
    if let objects, list == nil || !collection.isPlain {
      let compiler = QueryCompiler(schema: schema)
      self.init(compiler.compiled(collection.query), objects)
      return
    }
    let kind = collection.listAccessor.property.kind
    let scope = kind == .any ? ChangeScope(valuesOf: list!, schema: schema) : objects
    if collection.isPlain {
      self.init(list!, scope)
    } else {
      self.init(list!, QueryCompiler.compiled(collection.query, on: kind), scope)
    }
  }
}

extension ChangeScope {
  /// What counts as a modification of an element of a collection.
  fileprivate init(
    elementsOf binding: TableBinding, _ keyPaths: [String]?, in instance: _RealmInstance
  ) {
    if let keyPaths {
      self.init(of: binding, along: keyPaths, in: instance)
    } else {
      self.init(elementsOf: binding.table, schema: instance.schema.description)
    }
  }

  /// What the key paths lead to.
  init(of binding: TableBinding, along keyPaths: [String], in instance: _RealmInstance) {
    do {
      try self.init(
        keyPaths: keyPaths.map { QueryPath($0, from: binding, in: instance) }, of: binding.table,
        schema: instance.schema.description)
    } catch {
      throwRealmException(error.reason)
    }
  }
}

extension RealmCollection {
  /// Calls the block with the collection as it is, then after each change, until the token is
  /// dropped.
  ///
  /// - Parameters:
  ///   - keyPaths: What counts as a modification of an element; nil for what is stored in it and,
  ///     through links, near it: up to four links away, those in an `AnyRealmValue` included.
  ///   - queue: A serial queue to be called on, with a collection that is confined to it.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    observeEvents(keyPaths: keyPaths, on: queue) { collection, event in
      switch event {
      case .initial: block(.initial(collection))
      case .update(let changes, _):
        block(
          .update(
            collection, deletions: changes.deletions, insertions: changes.insertions,
            modifications: changes.modificationsOld))
      case .suppressed: break
      }
    }
  }

  /// The same for those that keep what the collection was when they were called last, and have to
  /// know of suppressed writes.
  func observeEvents(
    keyPaths: [String]?, on queue: DispatchQueue?,
    _ handler: @escaping (Self, CollectionObserver.Event) -> Void
  ) -> NotificationToken {
    if realm == nil {
      throwRealmException(MisuseReason.unmanagedObserved)
    }
    if let queue {
      return RemoteObservation.start(self, on: queue) {
        $0.observeEvents(keyPaths: keyPaths, on: nil, handler)
      }
    }
    let managed = _collection
    RealmNotifications.checkCanObserve(managed.instance)
    managed.checkIsThere()
    if let binding = managed.binding {
      for path in keyPaths ?? [] { _ = QueryPath(path, from: binding, in: managed.instance) }
    }
    let collection = self
    return managed.instance.notifications.observe(
      CollectionObserver(managed, keyPaths: keyPaths) { handler(collection, $0) })
  }
}

extension RealmCollection where Element: ObjectBase {
  /// Calls the block with the collection as it is, then after each change in which the key paths'
  /// properties count as modifications.
  public func observe(
    keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }
}
