// Observing on an actor: the thing is handed over, and observed there.

extension RealmCollection {
  /// Calls the block on the actor with the collection as it is, then after each change, until the
  /// token is dropped. The collection that the block is given is confined to the actor.
  ///
  /// - Parameters:
  ///   - keyPaths: What counts as a modification of an element; nil for what is stored in it and,
  ///     through links, near it.
  ///   - actor: Where the block runs.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated A, RealmCollectionChange<Self>) -> Void
  ) async -> NotificationToken {
    await ActorObservation.start(self, on: actor, _isolation: _isolation) { actor, collection in
      collection.observe(keyPaths: keyPaths) { change in block(actor, change) }
    }
  }
}

extension RealmCollection where Element: ObjectBase {
  /// Calls the block on the actor with the collection as it is, then after each change in which the
  /// key paths' properties count as modifications.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Element>], on actor: A,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated A, RealmCollectionChange<Self>) -> Void
  ) async -> NotificationToken {
    await observe(
      keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
  }
}

extension _LinkableObject {
  /// Calls the block on the actor after changes of the object, until the token is dropped or the
  /// object deleted. The object that the block is given is confined to the actor.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties that count; nil or none for all of the object itself.
  ///   - actor: Where the block runs.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated A, ObjectChange<Self>) -> Void
  ) async -> NotificationToken {
    guard let instance = _instance else {
      throwRealmException(MisuseReason.unmanagedObserved)
    }
    RealmNotifications.checkCanObserve(instance)
    return await ActorObservation.start(
      ThreadSafeReference(to: self), instance.configuration, on: actor
    ) { actor, object in
      object._observe(keyPaths: keyPaths, on: nil) { (change: ObjectChange<Self>) in
        block(actor, change)
      }
    }
  }

  /// Calls the block on the actor after changes of the properties that the key paths lead to.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Self>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated A, ObjectChange<Self>) -> Void
  ) async -> NotificationToken {
    await observe(
      keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
  }
}

enum ActorObservation {
  /// Hands a collection over to the actor, and observes it there.
  static func start<A: Actor, Collection: RealmCollection>(
    _ collection: Collection, on actor: A, _isolation: isolated (any Actor)?,
    _ observe: @Sendable (isolated A, Collection) -> NotificationToken
  ) async -> NotificationToken {
    if collection.realm == nil {
      throwRealmException(MisuseReason.unmanagedObserved)
    }
    let instance = collection._collection.instance
    RealmNotifications.checkCanObserve(instance)
    return await start(
      ThreadSafeReference(to: collection), instance.configuration, on: actor, observe)
  }

  /// Finds the thing on the actor and observes it there. What is gone by then has no changes.
  static func start<A: Actor, Confined: ThreadConfined>(
    _ reference: ThreadSafeReference<Confined>, _ configuration: Realm.Configuration,
    on actor: isolated A, _ observe: @Sendable (isolated A, Confined) -> NotificationToken
  ) async -> NotificationToken {
    let realm: Realm
    do {
      realm = try await Realm(configuration: configuration, actor: actor)
    } catch {
      // A task that was cancelled is told nothing.
      if error is CancellationError { return NotificationToken() }
      throwRealmException("The realm could not be opened: \(error.localizedDescription)")
    }
    guard let confined = realm.resolve(reference) else { return NotificationToken() }
    let token = observe(actor, confined)
    await deliverInitialStates(realm.instance, actor)
    return token
  }

  /// Calls those that were just added with what there is, so that nothing that happens after the
  /// call that observes, a write or an `invalidate()`, can come before it.
  private static func deliverInitialStates(
    _ instance: _RealmInstance, _ actor: isolated any Actor
  ) async {
    if let computation = instance.notifications.driver.initialComputation() {
      instance.notifications.driver.apply(await computation.made(instance.shared))
    }
    instance.notifications.driver.inform(instance.notifications.driver.takeNewObservers())
  }
}
