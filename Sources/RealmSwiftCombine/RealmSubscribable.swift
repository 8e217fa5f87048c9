#if Publishers
  import Dispatch
  import OpenCombine
  public import RealmSwift

  /// What publishers are made for: objects, collections, maps, projections, sections.
  public protocol RealmSubscribable: ThreadConfined {}

  /// Observes on a queue, or here: calls back with the thing itself, and when no more will come.
  typealias Observing<Thing> = (
    DispatchQueue?, _ change: @escaping (Thing) -> Void,
    _ end: @escaping (Subscribers.Completion<any Error>) -> Void
  ) -> NotificationToken

  func observing<T: Object>(_ object: T, _ keyPaths: [String]? = nil) -> Observing<T> {
    { queue, change, end in
      object.observe(keyPaths: keyPaths, on: queue) { (event: ObjectChange<T>) in
        tell(event, change, end)
      }
    }
  }

  func observing<T: EmbeddedObject>(_ object: T) -> Observing<T> {
    { queue, change, end in
      object.observe(on: queue) { (event: ObjectChange<T>) in tell(event, change, end) }
    }
  }

  func observing<T: ProjectionObservable>(
    _ projection: T, _ keyPaths: [String]? = nil
  ) -> Observing<T> {
    { queue, change, end in
      projection.observe(keyPaths: keyPaths, on: queue) { (event: ObjectChange<T>) in
        tell(event, change, end)
      }
    }
  }

  private func tell<T>(
    _ event: ObjectChange<T>, _ change: (T) -> Void,
    _ end: (Subscribers.Completion<any Error>) -> Void
  ) {
    switch event {
    case .change(let object, _): change(object)
    case .deleted: end(.finished)
    case .error(let error): end(.failure(error))
    }
  }

  func observing<T: RealmCollection>(
    _ collection: T, _ keyPaths: [String]? = nil
  ) -> Observing<T> {
    { queue, change, end in
      collection.observe(keyPaths: keyPaths, on: queue) { event in
        if case .error(let error) = event { end(.failure(error)) }
        if let collection = event._confined { change(collection) }
      }
    }
  }

  func observing<Key, Value>(
    _ map: Map<Key, Value>, _ keyPaths: [String]? = nil
  ) -> Observing<Map<Key, Value>> {
    { queue, change, end in
      map.observe(keyPaths: keyPaths, on: queue) { event in
        if case .error(let error) = event { end(.failure(error)) }
        if let map = event._confined { change(map) }
      }
    }
  }

  func observing<T: RealmSectionedResult>(
    _ sections: T, _ keyPaths: [String]? = nil
  ) -> Observing<T> {
    { queue, change, _ in
      sections.observe(keyPaths: keyPaths, on: queue) { event in
        if let sections = event._confined { change(sections) }
      }
    }
  }

  /// Publishes the thing itself.
  func valuePublisher<T: ThreadConfined>(
    of thing: T, _ observe: @escaping Observing<T>
  ) -> RealmPublishers.Value<T> {
    checkManaged(thing)
    return RealmPublisher { queue, send in
      observe(queue) {
        send(.value($0))
      } _: { end in
        switch end {
        case .finished: send(.finished)
        case .failure(let error): send(.failed(error))
        }
      }
    }
  }

  /// Publishes that the thing has changed. Where there is nothing to observe, because it is frozen
  /// or in no realm, nothing ever comes.
  func changePublisher<T: ThreadConfined>(
    of thing: T, _ observe: @escaping Observing<T>
  ) -> RealmPublishers.WillChange<T> {
    RealmPublisher { queue, send in
      guard thing.realm != nil, !thing.isFrozen else { return NotificationToken() }
      return observe(queue) { _ in
        send(.value(()))
      } _: { _ in
      }
    }
  }

  func checkManaged(_ thing: some ThreadConfined) {
    if thing.realm == nil { throwRealmException("Only managed objects can be published.") }
  }

  /// Changes of an object, which end with it.
  func changesetPublisher<Change>(
    _ observe:
      @escaping (DispatchQueue?, @escaping (ObjectChange<Change>) -> Void) -> NotificationToken
  ) -> RealmPublishers.ObjectChangeset<Change> {
    RealmPublisher { queue, send in
      observe(queue) { change in
        send(.value(change))
        if case .deleted = change { send(.finished) }
      }
    }
  }
#endif
