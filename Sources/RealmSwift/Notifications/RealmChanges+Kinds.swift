// What else can be asked for its changes: maps, sections, realms.

extension RealmChanges {
  /// - Parameters:
  ///   - instance: Where `observe` observes.
  ///   - isLast: Whether a change is the last one.
  init(
    in instance: _RealmInstance, isLast: @escaping (Change) -> Bool = { _ in false },
    _ observe: @escaping (_ handler: @escaping (Change) -> Void) -> NotificationToken
  ) {
    self.init { handler in
      let token = observe(handler)
      return (token, token.observer(in: instance)!)
    } isLast: { change in
      isLast(change)
    }
  }
}

extension Map {
  /// The map as it is, then its changes.
  public var changes: RealmChanges<RealmMapChange<Map<Key, Value>>> { changes(keyPaths: nil) }

  /// The map as it is, then its changes.
  ///
  /// - Parameter keyPaths: What counts as a modification of an object.
  public func changes(keyPaths: [String]?) -> RealmChanges<RealmMapChange<Map<Key, Value>>> {
    guard let instance = realm?.instance else {
      throwRealmException(MisuseReason.unmanagedObserved)
    }
    return RealmChanges(in: instance) { self.observe(keyPaths: keyPaths, $0) }
  }
}

extension SectionedResults {
  /// The sections as they are, then their changes.
  public var changes: RealmChanges<SectionedResultsChange<Self>> { changes(keyPaths: nil) }

  /// The sections as they are, then their changes.
  ///
  /// - Parameter keyPaths: What counts as a modification of an element.
  public func changes(keyPaths: [String]?) -> RealmChanges<SectionedResultsChange<Self>> {
    RealmChanges(in: table.results._collection.instance) {
      self.observe(keyPaths: keyPaths, on: nil, $0)
    }
  }
}

extension ResultsSection {
  /// The section as it is, then its changes.
  public var changes: RealmChanges<SectionedResultsChange<Self>> { changes(keyPaths: nil) }

  /// The section as it is, then its changes.
  ///
  /// - Parameter keyPaths: What counts as a modification of an element.
  public func changes(keyPaths: [String]?) -> RealmChanges<SectionedResultsChange<Self>> {
    RealmChanges(in: table.results._collection.instance) {
      self.observe(keyPaths: keyPaths, on: nil, $0)
    }
  }
}

extension Realm {
  /// A notification for each version that the realm moves to.
  public var changes: RealmChanges<Realm.Notification> {
    RealmChanges(in: instance) { handler in
      self.observe { notification, _ in handler(notification) }
    }
  }
}
