/// The objects that a query finds, or the elements of a list in another order: evaluated when first
/// needed, and live: after a refresh or a change they hold what is there then.
@frozen
public struct Results<Element: RealmCollectionValue>: RealmCollection {
  @usableFromInline let collection: _ManagedCollection

  @usableFromInline
  init(_ collection: _ManagedCollection) { self.collection = collection }

  public var _collection: _ManagedCollection { collection }
  public static func _make(_ collection: _ManagedCollection) -> Self { Results(collection) }

  /// How many elements there are.
  public var count: Int { collection.count }

  /// Whether there is no element.
  public var isEmpty: Bool { collection.isEmpty }

  /// The first element, nil if there is none.
  public var first: Element? { collection.first(as: Element.self) }

  /// The element at the index, which must be within the results.
  public subscript(position: Int) -> Element {
    collection.element(at: position, as: Element.self)
  }

  /// An iterator over the elements.
  public func makeIterator() -> RLMIterator<Element> { collection.iterator(of: Element.self) }

  /// The position of an object, or of the first equal value; nil if it is not among them.
  public func index(of element: Element) -> Int? { collection.index(of: element) }

  /// The realm that the collection belongs to.
  public var realm: Realm? { Realm(instance: collection.instance) }
  /// Whether the collection can no longer be used, because its realm was invalidated or the object
  /// that it comes from deleted.
  public var isInvalidated: Bool { !collection.isValid }
  /// Whether this is a frozen collection, which never changes and can be used on any thread.
  public var isFrozen: Bool { collection.instance.isFrozen }
  /// An immutable view of the collection at its present version, usable on any thread.
  public func freeze() -> Results { Results(collection.frozen()) }
  /// The live counterpart of a frozen collection, which belongs to the caller's thread; a live
  /// collection itself. Nil if the object that holds it was deleted.
  public func thaw() -> Results? { collection.thawed().map { Results($0) } }

  /// Whether both are copies of the same results. Results that were asked for twice are not equal.
  public static func == (left: Results, right: Results) -> Bool {
    left.collection.isSame(as: right.collection)
  }
}

/// Any collection of a realm, without saying which kind.
@frozen
public struct AnyRealmCollection<Element: RealmCollectionValue>: RealmCollection {
  @usableFromInline let collection: _ManagedCollection

  /// Wraps a managed collection, which stays live.
  public init<C: RealmCollection & _ObjcBridgeable>(_ collection: C) where C.Element == Element {
    self.collection = collection._collection
  }

  init(_ collection: _ManagedCollection) { self.collection = collection }

  public var _collection: _ManagedCollection { collection }
  public static func _make(_ collection: _ManagedCollection) -> Self {
    AnyRealmCollection(collection)
  }

  /// How many elements there are.
  public var count: Int { collection.count }

  /// Whether there is no element.
  public var isEmpty: Bool { collection.isEmpty }

  /// The first element, nil if there is none.
  public var first: Element? { collection.first(as: Element.self) }

  /// The element at the index, which must be within the collection.
  public subscript(position: Int) -> Element {
    collection.element(at: position, as: Element.self)
  }

  /// An iterator over the elements.
  public func makeIterator() -> RLMIterator<Element> { collection.iterator(of: Element.self) }

  /// The position of an object, or of the first equal value; nil if it is not in the collection.
  public func index(of element: Element) -> Int? { collection.index(of: element) }

  /// The realm that the collection belongs to.
  public var realm: Realm? { Realm(instance: collection.instance) }
  /// Whether the collection can no longer be used, because its realm was invalidated or the object
  /// that it comes from deleted.
  public var isInvalidated: Bool { !collection.isValid }
  /// Whether this is a frozen collection, which never changes and can be used on any thread.
  public var isFrozen: Bool { collection.instance.isFrozen }
  /// An immutable view of the collection at its present version, usable on any thread.
  public func freeze() -> AnyRealmCollection { AnyRealmCollection(collection.frozen()) }
  /// The live counterpart of a frozen collection, which belongs to the caller's thread; a live
  /// collection itself. Nil if the object that holds it was deleted.
  public func thaw() -> AnyRealmCollection? { collection.thawed().map { AnyRealmCollection($0) } }

  /// Whether both are views of the same list, or copies of the same collection.
  public static func == (left: AnyRealmCollection, right: AnyRealmCollection) -> Bool {
    left.collection.isSame(as: right.collection)
  }
}
