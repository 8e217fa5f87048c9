public import Dispatch
import ObjectStore

extension Map {
  /// Calls the block with the map as it is, then after each change, until the token is dropped.
  ///
  /// - Parameters:
  ///   - keyPaths: What counts as a modification of an object; nil for what is stored in it and,
  ///     through links, near it.
  ///   - queue: A serial queue to be called on, with a map that is confined to it.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmMapChange<Map<Key, Value>>) -> Void
  ) -> NotificationToken {
    if realm == nil {
      throwRealmException(MisuseReason.unmanagedObserved)
    }
    if let queue {
      return RemoteObservation.start(self, on: queue) { $0.observe(keyPaths: keyPaths, block) }
    }
    let known = KnownKeys<Key>()
    return Results<Value>(_collection).observeEvents(keyPaths: keyPaths, on: nil) {
      [self] _, event in
      let keys = isInvalidated ? [] : keys
      switch event {
      case .initial:
        known.keys = keys
        block(.initial(self))
      case .update(let changes):
        let byKey = known.advance(to: keys, changes)
        block(
          .update(
            self, deletions: byKey.deletions, insertions: byKey.insertions,
            modifications: byKey.modifications))
      case .suppressed: known.keys = keys
      }
    }
  }

  /// Calls the block on the actor with the map as it is, then after each change, until the token is
  /// dropped. The map that the block is given is confined to the actor.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated A, RealmMapChange<Map<Key, Value>>) -> Void
  ) async -> NotificationToken {
    guard let instance = accessor?.instance else {
      throwRealmException(MisuseReason.unmanagedObserved)
    }
    RealmNotifications.checkCanObserve(instance)
    return await ActorObservation.start(
      ThreadSafeReference(to: self), instance.configuration, on: actor
    ) { actor, map in
      map.observe(keyPaths: keyPaths) { block(actor, $0) }
    }
  }
}

extension Map where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
  /// Calls the block with the map as it is, then after each change in which the key paths'
  /// properties count as modifications.
  public func observe(
    keyPaths: [PartialKeyPath<Value.Wrapped>], on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmMapChange<Map<Key, Value>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }

  /// The same on an actor.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Value.Wrapped>], on actor: A,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated A, RealmMapChange<Map<Key, Value>>) -> Void
  ) async -> NotificationToken {
    await observe(
      keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
  }
}

/// The keys of a map at the version where an observer's next changes begin: they come by position.
private final class KnownKeys<Key: _MapKey> {
  var keys: [Key] = []

  func advance(
    to now: [Key], _ changes: CollectionChanges
  ) -> (deletions: [Key], insertions: [Key], modifications: [Key]) {
    var deleted = changes.deletions.map { keys[$0] }
    var inserted = changes.insertions.map { now[$0] }
    var modified = changes.modificationsOld.map { keys[$0] }
    // A key that was taken out and put in again has another value.
    let replaced = Set(deleted.map(\.stored)).intersection(inserted.map(\.stored))
    if !replaced.isEmpty {
      modified += deleted.filter { replaced.contains($0.stored) }
      modified.sort { $0.stored < $1.stored }
      deleted.removeAll { replaced.contains($0.stored) }
      inserted.removeAll { replaced.contains($0.stored) }
    }
    keys = now
    return (deleted, inserted, modified)
  }
}

extension _MapKey {
  /// As the store tells keys apart.
  fileprivate var stored: StoredText { StoredText(_keyText) }
}
