#if Publishers
  public import OpenCombine
  public import RealmSwift

  /// The publishers of realms by the names that Apple's SDK has for them.
  public enum RealmPublishers {
    /// Publishes each time that the realm has moved to another version.
    public typealias RealmWillChange = RealmPublisher<Void, Never>
    /// Publishes each time that the collection or object has changed.
    public typealias WillChange<Subscribable> = RealmPublisher<Void, Never>
    /// Publishes the collection or object itself, each time that it has changed.
    public typealias Value<Subscribable> = RealmPublisher<Subscribable, any Error>
    /// Publishes what has happened to an object; ends when that is deleted.
    public typealias ObjectChangeset<T> = RealmPublisher<ObjectChange<T>, Never>
    /// Publishes what has happened to what a projection shows.
    public typealias ProjectionChangeset<T> = RealmPublisher<ObjectChange<T>, Never>
    /// Publishes what has happened to a collection.
    public typealias CollectionChangeset<Collection: RealmCollection> =
      RealmPublisher<RealmCollectionChange<Collection>, Never>
    /// Publishes what has happened to a map.
    public typealias MapChangeset<Collection: RealmKeyedCollection> =
      RealmPublisher<RealmMapChange<Collection>, Never>
    /// Publishes what has happened to sectioned results.
    public typealias SectionedResultsChangeset<Collection: RealmSectionedResult> =
      RealmPublisher<SectionedResultsChange<Collection>, Never>
    /// Publishes what has happened to one section.
    public typealias SectionChangeset<Collection: RealmSectionedResult> =
      RealmPublisher<SectionedResultsChange<Collection>, Never>

    /// With the token kept in a property.
    public typealias RealmWillChangeWithToken<T> = WithToken<Void, Never, T>
    /// With the token kept in a property.
    public typealias WillChangeWithToken<Subscribable, T> = WithToken<Void, Never, T>
    /// With the token kept in a property.
    public typealias ValueWithToken<Subscribable, T> = WithToken<Subscribable, any Error, T>
    /// With the token kept in a property.
    public typealias ObjectChangesetWithToken<O, T> = WithToken<ObjectChange<O>, Never, T>
    /// With the token kept in a property.
    public typealias CollectionChangesetWithToken<C: RealmCollection, T> =
      WithToken<RealmCollectionChange<C>, Never, T>
    /// With the token kept in a property.
    public typealias MapChangesetWithToken<C: RealmKeyedCollection, T> =
      WithToken<RealmMapChange<C>, Never, T>
    /// With the token kept in a property.
    public typealias SectionedResultsChangesetWithToken<C: RealmSectionedResult, T> =
      WithToken<SectionedResultsChange<C>, Never, T>
    /// With the token kept in a property.
    public typealias SectionChangesetWithToken<C: RealmSectionedResult, T> =
      WithToken<SectionedResultsChange<C>, Never, T>

    /// What comes before `receive(on:)`.
    public typealias MakeThreadSafeObjectChangeset<Upstream: Publisher, T> =
      MakeThreadSafeChange<Upstream> where Upstream.Output: _ConfinedChange
    /// What comes before `receive(on:)`.
    public typealias MakeThreadSafeCollectionChangeset<Upstream: Publisher, T> =
      MakeThreadSafeChange<Upstream> where Upstream.Output: _ConfinedChange
    /// What comes before `receive(on:)`.
    public typealias MakeThreadSafeKeyedCollectionChangeset<Upstream: Publisher, T> =
      MakeThreadSafeChange<Upstream> where Upstream.Output: _ConfinedChange
    /// What comes before `receive(on:)`.
    public typealias MakeThreadSafeSectionedResultsChangeset<Upstream: Publisher, T> =
      MakeThreadSafeChange<Upstream> where Upstream.Output: _ConfinedChange

    /// Hands over what is confined.
    public typealias DeferredHandover<Upstream: Publisher, S: Scheduler> = Handover<Upstream, S>
    where Upstream.Output: ThreadConfined
    /// Hands over a change with the object in it.
    public typealias DeferredHandoverObjectChangeset<Upstream: Publisher, T, S: Scheduler> =
      DeferredHandoverChange<Upstream, S> where Upstream.Output: _ConfinedChange
    /// Hands over a change with the collection in it.
    public typealias DeferredHandoverCollectionChangeset<Upstream: Publisher, T, S: Scheduler> =
      DeferredHandoverChange<Upstream, S> where Upstream.Output: _ConfinedChange
    /// Hands over a change with the map in it.
    public typealias DeferredHandoverKeyedCollectionChangeset<
      Upstream: Publisher, T, S: Scheduler
    > =
      DeferredHandoverChange<Upstream, S> where Upstream.Output: _ConfinedChange
    /// Hands over a change with the sections in it.
    public typealias DeferredHandoverSectionedResultsChangeset<
      Upstream: Publisher, T, S: Scheduler
    > =
      DeferredHandoverChange<Upstream, S> where Upstream.Output: _ConfinedChange
    /// Hands over a change with the section in it.
    public typealias DeferredHandoverSectionChangeset<Upstream: Publisher, T, S: Scheduler> =
      DeferredHandoverChange<Upstream, S> where Upstream.Output: _ConfinedChange
  }

  extension RealmPublishers {
    /// Publishes what its base does, and keeps the token of the observation in a property.
    public final class WithToken<Output, Failure: Error, Parent>: Publisher {
      private let base: RealmPublisher<Output, Failure>
      private var parent: Parent
      private let keyPath: WritableKeyPath<Parent, NotificationToken?>

      init(
        _ base: RealmPublisher<Output, Failure>, _ parent: Parent,
        _ keyPath: WritableKeyPath<Parent, NotificationToken?>
      ) {
        self.base = base
        self.parent = parent
        self.keyPath = keyPath
      }

      /// Observes, keeps the token, and tells the subscriber.
      public func receive<Downstream: Subscriber>(subscriber: Downstream)
      where Downstream.Input == Output, Downstream.Failure == Failure {
        let token = base.observe(subscriber)
        parent[keyPath: keyPath] = token
        subscriber.receive(subscription: ObservationSubscription(token))
      }

      /// Observes on another queue; see `RealmPublishers.Value.subscribe(on:)`.
      public func subscribe<S: Scheduler>(on scheduler: S) -> WithToken {
        WithToken(base.subscribe(on: scheduler), parent, keyPath)
      }
    }
  }

  extension RealmPublishers.WithToken where Output: ThreadConfined {
    /// Hands what is published over to a queue.
    public func receive<S: Scheduler>(
      on scheduler: S
    ) -> RealmPublishers.Handover<RealmPublishers.WithToken<Output, Failure, Parent>, S> {
      RealmPublishers.Handover(self, scheduler)
    }
  }

  extension RealmPublishers.WithToken where Output: _ConfinedChange {
    /// Hands what is published over to a queue.
    public func receive<S: Scheduler>(
      on scheduler: S
    )
      -> RealmPublishers.DeferredHandoverChange<
        RealmPublishers.WithToken<Output, Failure, Parent>, S
      >
    {
      RealmPublishers.DeferredHandoverChange(self, scheduler)
    }
  }
#endif
