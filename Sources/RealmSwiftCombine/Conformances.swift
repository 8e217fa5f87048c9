#if Publishers
  public import OpenCombine
  public import RealmSwift

  // Which types publish. Despite its name `objectWillChange` publishes after a change, as in
  // Apple's SDK.

  extension Realm {
    /// Publishes each time that the realm has moved to another version.
    public var objectWillChange: RealmPublishers.RealmWillChange {
      RealmPublisher { queue, send in
        if queue != nil { throwRealmException("A Realm can only be observed where it lives.") }
        return self.observe { _, _ in send(.value(())) }
      }
    }
  }

  extension Object: ObservableObject, RealmSubscribable {
    /// Publishes each time that the object has changed.
    public var objectWillChange: RealmPublishers.WillChange<Object> {
      changePublisher(of: self as Object, observing(self as Object))
    }
  }

  extension EmbeddedObject: ObservableObject, RealmSubscribable {
    /// Publishes each time that the object has changed.
    public var objectWillChange: RealmPublishers.WillChange<EmbeddedObject> {
      changePublisher(of: self as EmbeddedObject, observing(self as EmbeddedObject))
    }
  }

  extension Projection: ObservableObject, RealmSubscribable {
    /// Publishes each time that what the projection shows has changed.
    public var objectWillChange: RealmPublishers.WillChange<Projection> {
      changePublisher(of: self as Projection, observing(self as Projection))
    }
  }

  extension List: ObservableObject, RealmSubscribable {
    /// Publishes each time that the list has changed.
    public var objectWillChange: RealmPublishers.WillChange<List> {
      changePublisher(of: self, observing(self))
    }
  }

  extension MutableSet: ObservableObject, RealmSubscribable {
    /// Publishes each time that the set has changed.
    public var objectWillChange: RealmPublishers.WillChange<MutableSet> {
      changePublisher(of: self, observing(self))
    }
  }

  extension Map: ObservableObject, RealmSubscribable {
    /// Publishes each time that the map has changed.
    public var objectWillChange: RealmPublishers.WillChange<Map> {
      changePublisher(of: self, observing(self))
    }

    /// Publishes the map as it is, then each time that it has changed.
    public var collectionPublisher: RealmPublishers.Value<Map> {
      valuePublisher(of: self, observing(self))
    }

    /// Publishes the map as it is, then each time that what the key paths lead to has changed.
    public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Map> {
      valuePublisher(of: self, observing(self, keyPaths))
    }

    /// Publishes what happens to the map.
    public var changesetPublisher: RealmPublishers.MapChangeset<Map> {
      changesetPublisher(keyPaths: nil)
    }

    /// Publishes what happens to the map and along the key paths.
    public func changesetPublisher(keyPaths: [String]?) -> RealmPublishers.MapChangeset<Map> {
      checkManaged(self)
      return RealmPublisher { queue, send in
        self.observe(keyPaths: keyPaths, on: queue) { send(.value($0)) }
      }
    }
  }

  extension Results: RealmSubscribable {}
  extension LinkingObjects: RealmSubscribable {}
  extension AnyRealmCollection: RealmSubscribable {}
  extension SectionedResults: RealmSubscribable {}
  extension ResultsSection: RealmSubscribable {}

  extension RealmCollection where Self: RealmSubscribable {
    /// Publishes each time that the collection has changed.
    public var objectWillChange: RealmPublishers.WillChange<Self> {
      changePublisher(of: self, observing(self))
    }

    /// Publishes the collection as it is, then each time that it has changed.
    public var collectionPublisher: RealmPublishers.Value<Self> {
      valuePublisher(of: self, observing(self))
    }

    /// Publishes the collection as it is, then each time that what the key paths lead to has
    /// changed.
    public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Self> {
      valuePublisher(of: self, observing(self, keyPaths))
    }

    /// Publishes what happens to the collection.
    public var changesetPublisher: RealmPublishers.CollectionChangeset<Self> {
      changesetPublisher(keyPaths: nil)
    }

    /// Publishes what happens to the collection and along the key paths.
    public func changesetPublisher(
      keyPaths: [String]?
    ) -> RealmPublishers.CollectionChangeset<Self> {
      checkManaged(self)
      return RealmPublisher { queue, send in
        self.observe(keyPaths: keyPaths, on: queue) { send(.value($0)) }
      }
    }
  }

  extension RealmCollection where Self: RealmSubscribable, Element: ObjectBase {
    /// Publishes the collection as it is, then each time that what the key paths lead to has
    /// changed.
    public func collectionPublisher(
      keyPaths: [PartialKeyPath<Element>]
    ) -> RealmPublishers.Value<Self> {
      collectionPublisher(keyPaths: keyPaths.map { _name(for: $0) })
    }

    /// Publishes what happens to the collection and along the key paths.
    public func changesetPublisher(
      keyPaths: [PartialKeyPath<Element>]
    ) -> RealmPublishers.CollectionChangeset<Self> {
      changesetPublisher(keyPaths: keyPaths.map { _name(for: $0) })
    }
  }

  extension RealmSectionedResult where Self: RealmSubscribable {
    /// Publishes each time that the sections have changed.
    public var objectWillChange: RealmPublishers.WillChange<Self> {
      changePublisher(of: self, observing(self))
    }

    /// Publishes the sections as they are, then each time that they have changed.
    public var collectionPublisher: RealmPublishers.Value<Self> {
      valuePublisher(of: self, observing(self))
    }

    /// Publishes the sections as they are, then each time that what the key paths lead to has
    /// changed.
    public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Self> {
      valuePublisher(of: self, observing(self, keyPaths))
    }

    /// Publishes what happens to the sections.
    public var changesetPublisher: RealmPublishers.SectionedResultsChangeset<Self> {
      changesetPublisher(keyPaths: nil)
    }

    /// Publishes what happens to the sections and along the key paths.
    public func changesetPublisher(
      keyPaths: [String]?
    ) -> RealmPublishers.SectionedResultsChangeset<Self> {
      checkManaged(self)
      return RealmPublisher { queue, send in
        self.observe(keyPaths: keyPaths, on: queue) { send(.value($0)) }
      }
    }
  }
#endif
