public import ObjectStore

/// What is a view of an object that shows some of its properties, under names of its own.
public protocol ProjectionObservable: AnyObject, ThreadConfined {
  /// The class of the projected objects.
  associatedtype Root: ObjectBase & RealmCollectionValue & ThreadConfined
  /// The projected object.
  var rootObject: Root { get }
  /// Makes a view of the object.
  init(projecting object: Root)
}

/// A view of objects that shows some of their properties, under names of its own: subclass it and
/// declare what is shown with `@Projected`.
///
/// Nothing is copied. A projection reads and writes its object, and can be fetched, filtered,
/// sorted and observed as the object can:
///
///     let cities = realm.objects(PersonView.self).sorted(by: \.city)
open class Projection<Root: ObjectBase & RealmCollectionValue & ThreadConfined>:
  ProjectionObservable
{
  /// The object that this is a view of.
  public let rootObject: Root

  /// Makes a view of the object.
  public required init(projecting object: Root) { rootObject = object }

  /// The projected properties and their values, one per line.
  open var description: String {
    let lines = projectedProperties.map { property in
      "\t\(property.name)(\\.\(property.originPath)) = \(property.value(from: rootObject));"
    }
    return "\(type(of: self))<\(Root.self)> {\n" + lines.joined(separator: "\n") + "\n}"
  }

  // MARK: Confinement

  /// The realm that it belongs to.
  public var realm: Realm? { rootObject.realm }
  /// Whether it can no longer be used, because its realm was invalidated or its object deleted.
  public var isInvalidated: Bool { (rootObject as any ThreadConfined).isInvalidated }
  /// Whether it is frozen: it never changes and can be used on any thread.
  public var isFrozen: Bool { (rootObject as any ThreadConfined).isFrozen }

  /// An immutable view of the object at its present version, usable on any thread.
  public func freeze() -> Self { Self(projecting: rootObject.freeze()) }

  /// The live counterpart of a frozen projection, nil if the object was deleted since.
  public func thaw() -> Self? { rootObject.thaw().map { Self(projecting: $0) } }

  // MARK: What every element of a collection of a realm can do

  /// The name of the root's class in the realm.
  public class func className() -> String { Root.className() }
  public static var _rlmDescription: _PropertyDescription { Root._rlmDescription }

  public func _rlmStored(_ realm: _RealmInstance) -> StoredValue { rootObject._rlmStored(realm) }

  public static func _rlmFromStored(_ stored: StoredValue, _ realm: _RealmInstance) -> Self {
    Self(projecting: Root._rlmFromStored(stored, realm))
  }

  public static func _rlmFromObject(_ object: ObjectBase) -> Self {
    Self(projecting: Root._rlmFromObject(object))
  }

  public static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> Self? {
    if let projection = value as? Self { return projection }
    return Root._rlmFromAny(value, realm).map { Self(projecting: $0) }
  }
}

extension Projection: RealmCollectionValue, RealmFetchable, KeypathSortable,
  CustomStringConvertible
{
  /// What a property of this type is stored as.
  public typealias PersistedType = Root.PersistedType

  /// Whether both are views of the same kind of the same object.
  public static func == (left: Projection, right: Projection) -> Bool {
    type(of: left) == type(of: right) && left.rootObject._isSameRow(as: right.rootObject)
  }

  /// Hashes which object this is a view of.
  public func hash(into hasher: inout Hasher) { rootObject._hashRow(into: &hasher) }
}

// MARK: - What the library asks of projections

/// A projection class seen without its root's type.
protocol ProjectionType: AnyObject {
  static var rootType: ObjectBase.Type { get }
  /// A projection whose properties note which of the root's properties they read.
  static func recordingPrototype() -> Any
  /// A view of the object, which must be of the root's class.
  static func project(_ root: any ThreadConfined) -> (any ThreadConfined)?
  var root: ObjectBase { get }
  /// The properties that the class and those above it declare with `@Projected`, highest first.
  var projectedProperties: [ProjectedProperty] { get }
}

extension Projection: ProjectionType {
  static var rootType: ObjectBase.Type { Root.self }
  static func recordingPrototype() -> Any { Self(projecting: Root._recordingInstance()) }
  static func project(_ root: any ThreadConfined) -> (any ThreadConfined)? {
    (root as? Root).map { Self(projecting: $0) }
  }
  var root: ObjectBase { rootObject }

  var projectedProperties: [ProjectedProperty] {
    var mirrors: [Mirror] = []
    var next: Mirror? = Mirror(reflecting: self)
    while let mirror = next {
      mirrors.insert(mirror, at: 0)
      next = mirror.superclassMirror
    }
    return mirrors.flatMap(\.children).compactMap { child in
      guard let label = child.label, let projected = child.value as? any AnyProjected else {
        return nil
      }
      return ProjectedProperty(name: String(label.drop { $0 == "_" }), projected: projected)
    }
  }
}

/// One `@Projected` property of a projection.
struct ProjectedProperty {
  /// Its name in the projection.
  let name: String
  let projected: any AnyProjected

  var originPath: String { projected.originPath }
  /// The first property of the object that leads to it.
  var originProperty: String { String(originPath.prefix { $0 != "." }) }
  func value(from root: ObjectBase) -> Any { projected.value(from: root) }
}
