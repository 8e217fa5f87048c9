import Dispatch

// A collection of objects and a key path, seen without their types: what projected collections are
// made of. One class gives the interface, a generic one below it knows the types.

/// A collection whose objects' properties can be projected.
class ProjectableCollection<Element: ObjectBase & RealmCollectionValue> {
  func source<Value>(_ keyPath: KeyPath<Element, Value>) -> ProjectionSource<Value> {
    preconditionFailure("The subclass knows the collection.")
  }
}

final class Projectable<C: RealmCollection>: ProjectableCollection<C.Element>
where C.Element: ObjectBase {
  private let collection: C

  init(_ collection: C) { self.collection = collection }

  override func source<Value>(_ keyPath: KeyPath<C.Element, Value>) -> ProjectionSource<Value> {
    KeyPathSource(collection, keyPath)
  }
}

/// The values that a key path leads to from each object of a collection.
class ProjectionSource<Value> {
  /// The objects.
  let collection: any ThreadConfined

  init(_ collection: any ThreadConfined) { self.collection = collection }

  func count() -> Int { preconditionFailure("The subclass knows the collection.") }
  func value(_ index: Int) -> Value { preconditionFailure("The subclass knows the collection.") }
  func setValue(_ index: Int, _ value: Value) {}
  func frozen() -> ProjectionSource { self }
  func thawed() -> ProjectionSource? { self }

  func observe(
    _ keyPaths: [String]?, _ queue: DispatchQueue?,
    _ handler: @escaping (RealmCollectionChange<ProjectionSource>) -> Void
  ) -> NotificationToken {
    preconditionFailure("The subclass knows the collection.")
  }
}

private final class KeyPathSource<C: RealmCollection, Value>: ProjectionSource<Value>
where C.Element: ObjectBase {
  private let objects: C
  private let keyPath: KeyPath<C.Element, Value>

  init(_ objects: C, _ keyPath: KeyPath<C.Element, Value>) {
    self.objects = objects
    self.keyPath = keyPath
    super.init(objects)
  }

  override func count() -> Int { objects.count }
  override func value(_ index: Int) -> Value { objects[index][keyPath: keyPath] }

  override func setValue(_ index: Int, _ value: Value) {
    guard let writable = keyPath as? ReferenceWritableKeyPath<C.Element, Value> else {
      throwRealmException(
        "The projected property \(keyPath) cannot be set: the key path goes through what can only"
          + " be read.")
    }
    objects[index][keyPath: writable] = value
  }

  override func frozen() -> ProjectionSource<Value> { KeyPathSource(objects.freeze(), keyPath) }

  override func thawed() -> ProjectionSource<Value>? {
    objects.thaw().map { KeyPathSource($0, keyPath) }
  }

  override func observe(
    _ keyPaths: [String]?, _ queue: DispatchQueue?,
    _ handler: @escaping (RealmCollectionChange<ProjectionSource<Value>>) -> Void
  ) -> NotificationToken {
    objects.observe(keyPaths: keyPaths ?? [_name(for: keyPath)], on: queue) { [keyPath] change in
      switch change {
      case .initial(let objects): handler(.initial(KeyPathSource(objects, keyPath)))
      case .update(let objects, let deletions, let insertions, let modifications):
        handler(
          .update(
            KeyPathSource(objects, keyPath), deletions: deletions, insertions: insertions,
            modifications: modifications))
      case .error(let error): handler(.error(error))
      }
    }
  }
}
