/// The objects that a query finds, or the elements of a list in another order: evaluated when first
/// needed, and live: after a refresh or a change they hold what is there then.
///
/// Those of the `LinkingObjects` of an unmanaged object belong to no realm and stay empty.
@frozen
public struct Results<Element: RealmCollectionValue>: RealmCollection {
  @usableFromInline let collection: _ManagedCollection?

  @usableFromInline
  init(_ collection: _ManagedCollection?) { self.collection = collection }

  public var _collection: _ManagedCollection {
    guard let collection else {
      throwRealmException("Results that belong to no Realm hold nothing to work on.")
    }
    return collection
  }

  public var _queriedCollection: _ManagedCollection? { collection }
  public var _unmanagedElements: [Element]? { collection == nil ? [] : nil }
  public static func _make(_ collection: _ManagedCollection) -> Self { Results(collection) }

  /// How many elements there are.
  @inlinable
  public var count: Int { collection?.count ?? 0 }

  /// Whether there is no element.
  public var isEmpty: Bool { collection?.isEmpty ?? true }

  /// The first element, nil if there is none.
  public var first: Element? { collection.flatMap { $0.first(as: Element.self) } }

  /// The element at the index, which must be within the results.
  public subscript(position: Int) -> Element {
    // Not bound to a name, which would keep and release it each time.
    if collection == nil { checkIndexOfNone(position) }
    return collection!.element(at: position, as: Element.self)
  }

  /// An iterator over the elements.
  public func makeIterator() -> RLMIterator<Element> {
    collection?.iterator(of: Element.self) ?? RLMIterator([])
  }

  /// The position of an object, or of the first equal value; nil if it is not among them.
  public func index(of element: Element) -> Int? { collection?.index(of: element) }

  /// The realm that the collection belongs to; nil if there is none.
  public var realm: Realm? { collection.map { Realm(instance: $0.instance) } }
  /// Whether the collection can no longer be used, because its realm was invalidated or the object
  /// that it comes from deleted.
  public var isInvalidated: Bool { collection.map { !$0.isValid } ?? false }
  /// Whether this is a frozen collection, which never changes and can be used on any thread.
  public var isFrozen: Bool { collection?.instance.isFrozen ?? false }
  /// An immutable view of the collection at its present version, usable on any thread.
  public func freeze() -> Results { Results(_collection.frozen()) }
  /// The live counterpart of a frozen collection, which belongs to the caller's thread; a live
  /// collection itself. Nil if the object that holds it was deleted.
  public func thaw() -> Results? { _collection.thawed().map { Results($0) } }

  /// Whether both are copies of the same results. Results that were asked for twice are not equal.
  public static func == (left: Results, right: Results) -> Bool {
    guard let first = left.collection, let second = right.collection else {
      return left.collection == nil && right.collection == nil
    }
    return first.isSame(as: second)
  }
}

/// Any collection of a realm, or an unmanaged list or set, without saying which kind.
@frozen
public struct AnyRealmCollection<Element: RealmCollectionValue>: RealmCollection {
  @usableFromInline
  enum Source {
    case managed(_ManagedCollection)
    /// Which stays live: it may change, or its object be added to a realm.
    case unmanaged(UnmanagedSource<Element>)
  }

  @usableFromInline let source: Source

  /// Wraps a collection, which stays live.
  public init<C: RealmCollection & _ObjcBridgeable>(_ collection: C) where C.Element == Element {
    if collection._unmanagedElements == nil {
      source = .managed(collection._collection)
    } else {
      source = .unmanaged(UnmanagedSource(collection))
    }
  }

  init(_ collection: _ManagedCollection) { source = .managed(collection) }

  private var managed: _ManagedCollection? {
    if case .managed(let collection) = source { collection } else { nil }
  }

  public var _unmanagedElements: [Element]? {
    if case .unmanaged(let source) = source { source.elements() } else { nil }
  }

  public var _collection: _ManagedCollection {
    switch source {
    case .managed(let collection): return collection
    case .unmanaged(let source): return source.managed()
    }
  }

  public var _queriedCollection: _ManagedCollection? {
    switch source {
    case .managed(let collection): return collection
    case .unmanaged(let source): return source.queried()
    }
  }

  public static func _make(_ collection: _ManagedCollection) -> Self {
    AnyRealmCollection(collection)
  }

  /// How many elements there are.
  public var count: Int { managed?.count ?? _unmanagedElements!.count }

  /// Whether there is no element.
  public var isEmpty: Bool { managed?.isEmpty ?? _unmanagedElements!.isEmpty }

  /// The first element, nil if there is none.
  public var first: Element? {
    guard let managed else { return _unmanagedElements!.first }
    return managed.first(as: Element.self)
  }

  /// The element at the index, which must be within the collection.
  public subscript(position: Int) -> Element {
    if let managed { return managed.element(at: position, as: Element.self) }
    let elements = _unmanagedElements!
    checkIndex(position, below: elements.count)
    return elements[position]
  }

  /// An iterator over the elements.
  public func makeIterator() -> RLMIterator<Element> {
    managed?.iterator(of: Element.self) ?? RLMIterator(_unmanagedElements!)
  }

  /// The position of an object, or of the first equal value; nil if it is not in the collection.
  public func index(of element: Element) -> Int? {
    guard let managed else { return _unmanagedElements!.firstIndex { $0.isSame(as: element) } }
    return managed.index(of: element)
  }

  /// The realm that the collection belongs to; nil for an unmanaged one.
  public var realm: Realm? { managed.map { Realm(instance: $0.instance) } }
  /// Whether the collection can no longer be used, because its realm was invalidated or the object
  /// that it comes from deleted.
  public var isInvalidated: Bool { managed.map { !$0.isValid } ?? false }
  /// Whether this is a frozen collection, which never changes and can be used on any thread.
  public var isFrozen: Bool { managed?.instance.isFrozen ?? false }
  /// An immutable view of the collection at its present version, usable on any thread.
  public func freeze() -> AnyRealmCollection { AnyRealmCollection(_collection.frozen()) }
  /// The live counterpart of a frozen collection, which belongs to the caller's thread; a live
  /// collection itself. Nil if the object that holds it was deleted.
  public func thaw() -> AnyRealmCollection? {
    _collection.thawed().map { AnyRealmCollection($0) }
  }

  /// Whether both are views of the same list, copies of the same collection, or hold equal elements
  /// without a realm.
  public static func == (left: AnyRealmCollection, right: AnyRealmCollection) -> Bool {
    switch (left.source, right.source) {
    case (.managed(let left), .managed(let right)): left.isSame(as: right)
    case (.unmanaged(let left), .unmanaged(let right)):
      left.elements().holdsSame(as: right.elements())
    default: false
    }
  }
}

/// An unmanaged collection without its type.
@usableFromInline
struct UnmanagedSource<Element: RealmCollectionValue> {
  let elements: () -> [Element]
  /// The view of it as a managed collection, which is a misuse.
  let managed: () -> _ManagedCollection
  /// What queries start from.
  let queried: () -> _ManagedCollection?

  init<C: RealmCollection>(_ collection: C) where C.Element == Element {
    elements = { collection._unmanagedElements ?? [] }
    managed = { collection._collection }
    queried = { collection._queriedCollection }
  }
}
