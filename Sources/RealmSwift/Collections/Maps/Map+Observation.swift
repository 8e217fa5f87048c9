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
    return Results<Value>(_collection).observe(keyPaths: keyPaths) { [self] change in
      switch change {
      case .initial:
        known.keys = keys
        block(.initial(self))
      case .update(_, let deletions, let insertions, let modifications):
        let changes = known.advance(
          to: isInvalidated ? [] : keys, deletions, insertions, modifications)
        block(
          .update(
            self, deletions: changes.deletions, insertions: changes.insertions,
            modifications: changes.modifications))
      case .error(let error): block(.error(error))
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
    instance.checkCanObserve()
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

/// The keys that an observer of a map has been told of: changes come by position.
private final class KnownKeys<Key: _MapKey> {
  var keys: [Key] = []

  func advance(
    to now: [Key], _ deletions: [Int], _ insertions: [Int], _ modifications: [Int]
  ) -> (deletions: [Key], insertions: [Key], modifications: [Key]) {
    var deleted = deletions.map { keys[$0] }
    var inserted = insertions.map { now[$0] }
    var modified = modifications.map { keys[$0] }
    // A key that was taken out and put in again has another value.
    let replaced = Set(deleted).intersection(inserted)
    if !replaced.isEmpty {
      deleted.removeAll(where: replaced.contains)
      inserted.removeAll(where: replaced.contains)
      modified = (modified + replaced).sorted()
    }
    keys = now
    return (deleted, inserted, modified)
  }
}
