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
    return Results<Value>(_collection).observeEvents(keyPaths: keyPaths, on: nil) {
      [self] _, event in
      switch event {
      case .initial: block(.initial(self))
      case .update(_, let changes):
        block(
          .update(
            self, deletions: changes.deletions.map { Key(_keyText: $0) },
            insertions: changes.insertions.map { Key(_keyText: $0) },
            modifications: changes.modifications.map { Key(_keyText: $0) }))
      case .suppressed: break
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
