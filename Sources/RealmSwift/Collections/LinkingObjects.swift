import ObjectStore
import Storage

/// A type that `@Persisted(originProperty:)` can declare.
public protocol LinkingObjectsProtocol {
  /// The objects of the class that link here through the property with that name.
  init(fromType: Element.Type, property: String)
  /// The class of the objects that link.
  associatedtype Element
}

/// The objects that link to an object through one of their properties: computed by the realm, and
/// live. Empty while the object is unmanaged.
///
///     class Dog: Object {
///       @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
///     }
@frozen
public struct LinkingObjects<Element: ObjectBase & RealmCollectionValue>: RealmCollection,
  LinkingObjectsProtocol
{
  @usableFromInline let collection: _ManagedCollection?
  @usableFromInline let property: String

  /// The objects of that class whose property links here.
  public init(fromType: Element.Type, property: String) {
    collection = nil
    self.property = property
  }

  init(_ collection: _ManagedCollection) {
    self.collection = collection
    property = ""
  }

  public var _collection: _ManagedCollection {
    guard let collection else {
      throwRealmException("LinkingObjects of an unmanaged object hold nothing to work on.")
    }
    return collection
  }

  public var _queriedCollection: _ManagedCollection? { collection }
  public var _unmanagedElements: [Element]? { collection == nil ? [] : nil }

  public static func _make(_ collection: _ManagedCollection) -> Self { LinkingObjects(collection) }

  /// How many links come here.
  @inlinable
  public var count: Int { collection?.count ?? 0 }

  /// Whether no link comes here.
  public var isEmpty: Bool { collection?.isEmpty ?? true }

  /// The first of the objects, nil if there is none.
  public var first: Element? { collection.flatMap { $0.first(as: Element.self) } }

  /// The object at the index, which must be within the collection.
  public subscript(position: Int) -> Element {
    guard let collection else {
      if let element = KeyPathRecorder.element(of: Element.self) { return element }
      checkIndexOfNone(position)
    }
    return collection.element(at: position, as: Element.self)
  }

  /// An iterator over the elements.
  public func makeIterator() -> RLMIterator<Element> {
    collection?.iterator(of: Element.self) ?? RLMIterator([])
  }

  /// The position of an object, nil if it does not link here.
  public func index(of element: Element) -> Int? { collection?.index(of: element) }

  /// The realm of the object; nil while the object is unmanaged.
  public var realm: Realm? { collection.map { Realm(instance: $0.instance) } }
  /// Whether the object was deleted or its realm invalidated. False while it is unmanaged.
  public var isInvalidated: Bool { collection.map { !$0.isValid } ?? false }
  /// Whether the object is frozen: the collection never changes and can be used on any thread.
  public var isFrozen: Bool { collection?.instance.isFrozen ?? false }
  /// An immutable view of the collection at its present version, usable on any thread.
  public func freeze() -> LinkingObjects { LinkingObjects(_collection.frozen()) }
  /// The live counterpart of a frozen collection, which belongs to the caller's thread; a live
  /// collection itself. Nil if the object that holds it was deleted.
  public func thaw() -> LinkingObjects? { _collection.thawed().map { LinkingObjects($0) } }

  /// Whether both are the links to the same object through the same property. False while either
  /// object is unmanaged.
  public static func == (left: LinkingObjects, right: LinkingObjects) -> Bool {
    guard let first = left.collection, let second = right.collection else { return false }
    return first.isSame(as: second)
  }
}

/// Linking objects without their type.
protocol LinksHere {
  var property: String { get }
}

extension LinkingObjects: LinksHere {}

extension LinkingObjects: _Persistable, _HasPersistedType, _RealmSchemaDiscoverable {
  /// What a property of this type is stored as.
  public typealias PersistedType = LinkingObjects<Element>

  public static var _rlmDescription: _PropertyDescription {
    var description = _PropertyDescription(.linkingObjects)
    description.target = Element.self
    return description
  }

  public static func _rlmDefaultValue() -> Self {
    LinkingObjects(fromType: Element.self, property: "")
  }

  /// The property keeps the collection, which knows what it found last.
  @inlinable
  public static var _rlmRequiresCaching: Bool { true }

  @inlinable
  public static func _rlmCheckCached(_ object: ObjectBase) { object._checkRow() }

  /// The column is the index of the property in the class.
  public static func _rlmGet(_ object: ObjectBase, _ column: UInt32) -> Self {
    LinkingObjects(object._linkingObjects(Int(column)))
  }

  public static func _rlmSet(_ object: ObjectBase, _ column: UInt32, _ value: Self) {
    throwRealmException("LinkingObjects properties are computed and cannot be set.")
  }

  public static func _rlmTransfer(
    _ value: Self, _ object: ObjectBase, _ column: UInt32, _ mode: _TransferMode
  ) {}

  public static func _rlmPropertyFromAny(_ value: Any, _ realm: _RealmInstance?) -> Self? { nil }
}

extension Persisted where Value: LinkingObjectsProtocol, Value.Element: ObjectBase {
  /// The objects whose property of that name links to this one.
  public init(originProperty: String) {
    self.init(.value(Value(fromType: Value.Element.self, property: originProperty)), [])
  }
}

extension ObjectBase {
  final func _linkingObjects(_ index: Int) -> _ManagedCollection {
    _ = _position()
    let instance = _managingRealm
    let property = _binding!.info.properties[index]
    let origin = instance.requiredBinding(ofTargetOf: property, from: _binding!)
    guard let name = property.originProperty,
      let originIndex = origin.info.index(ofProperty: name),
      let column = origin.properties[originIndex]?.columnKey
    else {
      throwRealmException(
        """
        Property '\(property.originProperty ?? "")' of class '\(origin.info.name)', which \
        '\(_binding!.info.name).\(property.name)' names, does not exist.
        """)
    }
    let key = ObjectKey(rawValue: _key)
    return _ManagedCollection(
      instance, origin,
      QueryDescription(.backlinks(origin: origin.table, column: column, target: key)),
      target: (_binding!.table, key))
  }
}
