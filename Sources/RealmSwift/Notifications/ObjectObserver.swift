public import Dispatch
import ObjectStore
import Storage

/// Tells which properties of an object were set, and when it is deleted.
final class ObjectObserver: Observer, @unchecked Sendable {
  // Sendable like its superclass.

  private let object: ObjectBase
  private let table: TableKey
  private let key: ObjectKey
  private let handler: (ObjectEvent) -> Void
  /// The version whose values were told last.
  private var told: Snapshot
  /// How often the realm itself had written then. Where it has written since there are no old
  /// values, as in Apple's SDK.
  private var toldCommits: UInt64

  enum ObjectEvent {
    case change([PropertyChange])
    case deleted
  }

  init(
    _ object: ObjectBase, _ scope: ChangeScope, _ handler: @escaping (ObjectEvent) -> Void
  ) {
    self.object = object
    table = object._binding!.table
    key = ObjectKey(rawValue: object._key)
    self.handler = handler
    let instance = object._instance!
    told = instance.snapshot!
    toldCommits = instance.ownCommits
    super.init(instance, ObservationState(.object(ObjectTracker(key, scope)), at: told))
  }

  override func deliver(_ delivery: State.Delivery, at snapshot: Snapshot) {
    let old = instance.ownCommits == toldCommits ? told : nil
    told = snapshot
    toldCommits = instance.ownCommits
    guard case .changes(.object(let tracker)) = delivery else { return }
    switch tracker.pendingChanges {
    case .none: return
    case .deleted:
      cancel()
      handler(.deleted)
    case .changed(let columns): tell(columns, from: old)
    }
  }

  override func didSuppress(from before: Snapshot, to after: Snapshot) {
    guard told.version == before.version else { return }
    told = after
    toldCommits = instance.ownCommits
  }

  private func tell(_ columns: [ColumnKey], from old: Snapshot?) {
    if object._generation <= instance.invalidatedGeneration {
      // The realm was invalidated; the object is handed over as it is now.
      object._attach(instance, object._binding!, key)
    }
    let before = old.flatMap(frozenObject)
    let binding = object._binding!
    let properties = columns.compactMap { column in
      name(of: column, binding).map { name in
        let isList = object._property(name).description.collection == .list
        return PropertyChange(
          name: name, oldValue: isList ? nil : before?._value(ofProperty: name),
          newValue: isList ? nil : object._value(ofProperty: name))
      }
    }
    if !properties.isEmpty { handler(.change(properties)) }
  }

  /// The Swift name of the property in the column, which for linking objects is the hidden one of
  /// their links; nil if the class has none there.
  private func name(of column: ColumnKey, _ binding: TableBinding) -> String? {
    if let name = binding.name(of: column) { return name }
    let property = binding.info.properties.first { property in
      hiddenColumn(of: property, binding) == column
    }
    return property?.name
  }

  private func hiddenColumn(of property: PropertyInfo, _ binding: TableBinding) -> ColumnKey? {
    guard let origin = property.originProperty,
      let linking = instance.binding(ofTargetOf: property, from: binding),
      let index = linking.info.properties.firstIndex(where: { $0.name == origin }),
      let link = linking.properties[index]
    else { return nil }
    return instance.schema.description.description(of: binding.info.name)?
      .backlinkColumn(from: linking.table, link.columnKey)
  }

  private func frozenObject(in snapshot: Snapshot) -> ObjectBase? {
    let frozen = engine { () throws(StorageError) in
      try _RealmInstance(
        shared: instance.shared, opened: instance.opened,
        scheduler: FrozenScheduler.shared, classes: instance.classes, snapshot: snapshot)
    }
    let copy = object._counterpart(in: frozen)
    return copy._isValid ? copy : nil
  }
}

extension _LinkableObject {
  func _observe<T: ObjectBase>(
    keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (ObjectChange<T>) -> Void
  ) -> NotificationToken {
    guard let instance = _instance else {
      throwRealmException(MisuseReason.unmanagedObserved)
    }
    guard self is T else {
      throwRealmException(
        "Cannot observe an object of class '\(type(of: self).className())' with changes of "
          + "'\(T.self)'; name its own class in the block.")
    }
    if let queue {
      return RemoteObservation.start(self, on: queue) {
        $0._observe(keyPaths: keyPaths, on: nil, block)
      }
    }
    guard let object = self as? T else {
      throwRealmException(
        "Cannot observe an object of class '\(type(of: self))' as a '\(T.self)'.")
    }
    RealmNotifications.checkCanObserve(instance)
    _ = _position()
    let binding = _binding!
    let paths = keyPaths ?? []
    let scope =
      paths.isEmpty
      ? ChangeScope(object: binding.table) : ChangeScope(of: binding, along: paths, in: instance)
    let observer = ObjectObserver(self, scope) { [unowned object] event in
      switch event {
      case .deleted: block(.deleted)
      case .change(let properties): block(.change(object, properties))
      }
    }
    return instance.notifications.observe(observer)
  }
}

extension Object {
  /// Calls the block after changes of the object, until the token is dropped or the object deleted.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties that count; nil or none for all of the object itself.
  ///   - queue: A serial queue to be called on, with an object that is confined to it.
  public func observe<T: ObjectBase>(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<T>) -> Void
  ) -> NotificationToken {
    _observe(keyPaths: keyPaths, on: queue, block)
  }

  /// Calls the block after changes of the properties that the key paths lead to.
  public func observe<T: ObjectBase>(
    keyPaths: [PartialKeyPath<T>], on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<T>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }
}

extension EmbeddedObject {
  /// Calls the block after changes of the object, until the token is dropped or the object deleted.
  ///
  /// - Parameter queue: A serial queue to be called on, with an object that is confined to it.
  public func observe<T: ObjectBase>(
    on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<T>) -> Void
  ) -> NotificationToken {
    _observe(keyPaths: nil, on: queue, block)
  }
}

/// Observing on a queue other than the one that the thing belongs to: it is handed over, and
/// observed there.
enum RemoteObservation {
  private struct Setup<Confined: ThreadConfined>: @unchecked Sendable {
    // Made here, run once on the queue, which the caller names for its block.
    let start: (Confined) -> NotificationToken
  }

  static func start<Confined: ThreadConfined>(
    _ confined: Confined, on queue: DispatchQueue,
    _ start: @escaping (Confined) -> NotificationToken
  ) -> NotificationToken {
    guard let instance = confined.realm?.instance else {
      throwRealmException(MisuseReason.unmanagedObserved)
    }
    RealmNotifications.checkCanBeObserved(instance)
    Schedulers.checkSerial(queue)
    let configuration = instance.configuration
    let reference = ThreadSafeReference(to: confined)
    let setup = Setup(start: start)
    let token = NotificationToken()
    queue.async {
      guard let realm = try? Realm(configuration: configuration, queue: queue),
        let confined = realm.resolve(reference)
      else { return }
      token.attach(setup.start(confined))
    }
    return token
  }
}
