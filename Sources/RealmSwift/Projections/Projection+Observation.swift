public import Dispatch

extension ProjectionObservable {
  /// Calls the block after changes of what the projection shows, until the token is dropped or the
  /// object deleted. The names in the changes are those of the projection.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of the projection that count; nil or none for all of them.
  ///   - queue: A serial queue to be called on, with a projection that is confined to it.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    let observed = ProjectionObserver(self, names: keyPaths ?? [])
    return object._observe(keyPaths: observed.originPaths, on: queue) {
      (change: ObjectChange<Root>) in
      if let change = observed.translate(change) { block(change) }
    }
  }

  /// Calls the block after changes of what the key paths lead to.
  public func observe(
    keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: names(of: keyPaths), on: queue, block)
  }

  /// Calls the block on the actor after changes of what the projection shows, until the token is
  /// dropped or the object deleted. The projection that the block is given is confined to the
  /// actor.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated A, ObjectChange<Self>) -> Void
  ) async -> NotificationToken {
    guard let instance = object._instance else {
      throwRealmException(MisuseReason.unmanagedObserved)
    }
    RealmNotifications.checkCanObserve(instance)
    return await ActorObservation.start(
      ThreadSafeReference(to: self), instance.configuration, on: actor
    ) { actor, projection in
      projection.observe(keyPaths: keyPaths) { block(actor, $0) }
    }
  }

  /// The same, after changes of what the key paths lead to.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Self>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated A, ObjectChange<Self>) -> Void
  ) async -> NotificationToken {
    await observe(keyPaths: names(of: keyPaths), on: actor, _isolation: _isolation, block)
  }

  private var object: any _LinkableObject {
    guard let object = rootObject as? any _LinkableObject else {
      throwRealmException("Only projections of objects can be observed.")
    }
    return object
  }

  private func names(of keyPaths: [PartialKeyPath<Self>]) -> [String] {
    let properties = (self as? any ProjectionType)?.projectedProperties ?? []
    return keyPaths.map { keyPath in
      let origin = _name(for: keyPath)
      return properties.first { $0.originPath == origin }?.name ?? origin
    }
  }
}

extension ProjectionObservable {
  /// The changes of what the projection shows, until its object is deleted.
  public var changes: RealmChanges<ObjectChange<Self>> { changes(keyPaths: nil) }

  /// The changes of what the projection shows, until its object is deleted.
  ///
  /// - Parameter keyPaths: The properties of the projection that count; nil or none for all.
  public func changes(keyPaths: [String]?) -> RealmChanges<ObjectChange<Self>> {
    guard let instance = rootObject._instance else {
      throwRealmException(MisuseReason.unmanagedObserved)
    }
    return RealmChanges(in: instance) { change in
      if case .change = change { false } else { true }
    } _: {
      self.observe(keyPaths: keyPaths, $0)
    }
  }
}

/// Turns changes of an object into those of a projection of it.
private final class ProjectionObserver<P: ProjectionObservable> {
  private let properties: [ProjectedProperty]
  /// What the properties showed last, where that is a plain value.
  private var shown: [String: Any]

  /// - Parameter names: of the properties that count; none for all.
  init(_ projection: P, names: [String]) {
    let all = (projection as? any ProjectionType)?.projectedProperties ?? []
    for name in names where !all.contains(where: { $0.name == name }) {
      throwRealmException(
        "Cannot observe key path '\(name)': property '\(P.self).\(name)' not found; there are "
          + all.map(\.name).joined(separator: ", ") + ".")
    }
    properties = names.isEmpty ? all : all.filter { names.contains($0.name) }
    shown = [:]
    for property in properties { remember(property, projection.rootObject) }
  }

  var originPaths: [String] { properties.map(\.originPath) }

  func translate(_ change: ObjectChange<P.Root>) -> ObjectChange<P>? {
    switch change {
    case .error(let error): return .error(error)
    case .deleted: return .deleted
    case .change(let root, let changes):
      let names = Set(changes.map(\.name))
      let changed = properties.filter { names.contains($0.originProperty) }.map { property in
        let before = shown[property.name]
        let now = remember(property, root)
        return PropertyChange(name: property.name, oldValue: before, newValue: now)
      }
      return changed.isEmpty ? nil : .change(P(projecting: root), changed)
    }
  }

  @discardableResult
  private func remember(_ property: ProjectedProperty, _ root: ObjectBase) -> Any? {
    let value = unwrappedOnce(property.value(from: root))
    shown[property.name] = value is any ThreadConfined ? nil : value
    return value
  }
}
