/// A property of a projection: what a key path leads to from the projected object.
///
///     class PersonView: Projection<Person> {
///       @Projected(\Person.name) var name
///       @Projected(\Person.address.city) var city
///       @Projected(\Person.friends.projectTo.name) var friends: ProjectedCollection<String>
///     }
///
/// It can be set, within a write transaction, if the key path can be written through.
@propertyWrapper
public struct Projected<T: ObjectBase, Value> {
  let keyPath: KeyPath<T, Value>

  /// A property that stands for what the key path leads to.
  public init(_ projectedKeyPath: KeyPath<T, Value>) { keyPath = projectedKeyPath }

  @available(*, unavailable, message: "@Projected can only be used as a property on a Projection")
  public var wrappedValue: Value {
    get { throwRealmException("@Projected can only be used as a property on a Projection") }
    set { throwRealmException("@Projected can only be used as a property on a Projection") }
  }

  public static subscript<Enclosing: Projection<T>>(
    _enclosingInstance projection: Enclosing,
    wrapped _: ReferenceWritableKeyPath<Enclosing, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<Enclosing, Self>
  ) -> Value {
    get { projection.rootObject[keyPath: projection[keyPath: storageKeyPath].keyPath] }
    set {
      let keyPath = projection[keyPath: storageKeyPath].keyPath
      guard let writable = keyPath as? ReferenceWritableKeyPath<T, Value> else {
        throwRealmException(
          "The property of \(Enclosing.self) that projects \(keyPath) cannot be set: the key path"
            + " goes through what can only be read.")
      }
      projection.rootObject[keyPath: writable] = newValue
    }
  }
}

/// A `@Projected` property seen without its type.
protocol AnyProjected {
  /// The names of the object's properties that the key path goes through, with dots between them.
  var originPath: String { get }
  /// What the property stands for.
  func value(from root: ObjectBase) -> Any
}

extension Projected: AnyProjected {
  var originPath: String { KeyPathRecorder.name(of: keyPath, on: T.self) }

  func value(from root: ObjectBase) -> Any {
    known(root, as: T.self)[keyPath: keyPath]
  }
}
