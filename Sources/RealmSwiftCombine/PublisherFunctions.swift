#if Publishers
  public import RealmSwift

  /// Publishes the object each time that it has changed; ends when it is deleted.
  ///
  /// - Parameter keyPaths: The properties that count; nil for all of the object itself.
  public func valuePublisher<T: Object>(
    _ object: T, keyPaths: [String]? = nil
  ) -> RealmPublishers.Value<T> {
    valuePublisher(of: object, observing(object, keyPaths))
  }

  /// Publishes the embedded object each time that it has changed; ends when it is deleted.
  public func valuePublisher<T: EmbeddedObject>(_ object: T) -> RealmPublishers.Value<T> {
    valuePublisher(of: object, observing(object))
  }

  /// Publishes the projection each time that what it shows has changed.
  public func valuePublisher<O, T: Projection<O>>(
    _ projection: T, keyPaths: [String]? = nil
  ) -> RealmPublishers.Value<T> {
    valuePublisher(of: projection, observing(projection, keyPaths))
  }

  /// Publishes the collection as it is, then each time that it has changed.
  public func valuePublisher<T: RealmCollection & RealmSubscribable>(
    _ collection: T, keyPaths: [String]? = nil
  ) -> RealmPublishers.Value<T> {
    valuePublisher(of: collection, observing(collection, keyPaths))
  }

  /// Publishes the map as it is, then each time that it has changed.
  public func valuePublisher<Key, Value>(
    _ map: Map<Key, Value>, keyPaths: [String]? = nil
  ) -> RealmPublishers.Value<Map<Key, Value>> {
    map.collectionPublisher(keyPaths: keyPaths)
  }

  /// Publishes the sections as they are, then each time that they have changed.
  public func valuePublisher<T: RealmSectionedResult & RealmSubscribable>(
    _ sections: T, keyPaths: [String]? = nil
  ) -> RealmPublishers.Value<T> {
    sections.collectionPublisher(keyPaths: keyPaths)
  }

  /// Publishes what happens to the object; ends when it is deleted.
  ///
  /// - Parameter keyPaths: The properties that count; nil for all of the object itself.
  public func changesetPublisher<T: Object>(
    _ object: T, keyPaths: [String]? = nil
  ) -> RealmPublishers.ObjectChangeset<T> {
    checkManaged(object)
    return changesetPublisher { queue, block in
      object.observe(keyPaths: keyPaths, on: queue, block)
    }
  }

  /// Publishes what happens to the embedded object; ends when it is deleted.
  public func changesetPublisher<T: EmbeddedObject>(
    _ object: T
  ) -> RealmPublishers.ObjectChangeset<T> {
    checkManaged(object)
    return changesetPublisher { queue, block in object.observe(on: queue, block) }
  }

  /// Publishes what happens to what the projection shows.
  public func changesetPublisher<T: ProjectionObservable>(
    _ projection: T, keyPaths: [String]? = nil
  ) -> RealmPublishers.ProjectionChangeset<T> {
    checkManaged(projection)
    return changesetPublisher { queue, block in
      projection.observe(keyPaths: keyPaths, on: queue, block)
    }
  }

  /// Publishes what happens to the collection.
  public func changesetPublisher<T: RealmCollection & RealmSubscribable>(
    _ collection: T, keyPaths: [String]? = nil
  ) -> RealmPublishers.CollectionChangeset<T> {
    collection.changesetPublisher(keyPaths: keyPaths)
  }

  /// Publishes what happens to the map.
  public func changesetPublisher<Key, Value>(
    _ map: Map<Key, Value>, keyPaths: [String]? = nil
  ) -> RealmPublishers.MapChangeset<Map<Key, Value>> {
    map.changesetPublisher(keyPaths: keyPaths)
  }

  /// Publishes what happens to the sections.
  public func changesetPublisher<T: RealmSectionedResult & RealmSubscribable>(
    _ sections: T, keyPaths: [String]? = nil
  ) -> RealmPublishers.SectionedResultsChangeset<T> {
    sections.changesetPublisher(keyPaths: keyPaths)
  }
#endif
