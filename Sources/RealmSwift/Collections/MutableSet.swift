import ObjectStore

/// A collection of distinct values or objects that is a property of an object.
///
/// A set of an unmanaged object holds its elements itself, in the order in which they came. A
/// managed one is a live view of what the realm holds, in an order of the values' own, and may be
/// changed only within a write transaction.
public final class MutableSet<Element: RealmCollectionValue>: RLMSwiftCollectionBase,
  RealmCollection
{
  enum Storage {
    case unmanaged(UnmanagedSet<Element>)
    case managed(ListAccessor)
  }

  var storage: Storage

  /// Makes an empty unmanaged set.
  public override init() {
    storage = .unmanaged(UnmanagedSet())
    super.init()
  }

  init(unmanaged elements: some Sequence<Element>) {
    storage = .unmanaged(UnmanagedSet(elements))
    super.init()
  }

  init(accessor: ListAccessor) {
    storage = .managed(accessor)
    super.init()
  }

  /// Whether both are the same instance, or the same set of the same managed object.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MutableSet<Element> else { return false }
    if self === other { return true }
    guard case .managed(let mine) = storage, case .managed(let theirs) = other.storage else {
      return false
    }
    return mine.isSameList(as: theirs)
  }

  var accessor: ListAccessor? {
    guard case .managed(let accessor) = storage else { return nil }
    return accessor
  }

  // MARK: Reading

  /// How many elements there are.
  public var count: Int {
    switch storage {
    case .unmanaged(let set): set.elements.count
    case .managed(let accessor): accessor.count
    }
  }

  /// The element at the index, which must be below `count`. Which one that is changes as elements
  /// come and go.
  public subscript(index: Int) -> Element {
    checkIndex(index, below: count)
    switch storage {
    case .unmanaged(let set): return set.elements[index]
    case .managed(let accessor):
      return Element._rlmFromStored(accessor.value(at: index), accessor.instance)
    }
  }

  /// An iterator over the elements.
  public func makeIterator() -> RLMIterator<Element> {
    switch storage {
    case .unmanaged(let set): RLMIterator(set.elements)
    case .managed: _collection.iterator(of: Element.self)
    }
  }

  /// The position of the element, nil if it is not in the set.
  public func index(of element: Element) -> Int? {
    switch storage {
    case .unmanaged(let set): set.elements.firstIndex(of: element)
    case .managed: _collection.index(of: element)
    }
  }

  /// Whether the element is in the set.
  public func contains(_ element: Element) -> Bool {
    switch storage {
    case .unmanaged(let set): set.contains(element)
    case .managed(let accessor):
      existing(element, in: accessor).map { accessor.contains($0) } ?? false
    }
  }

  /// The element in the store's terms; nil for an object that is not in the realm. Looking for an
  /// object must not add it.
  private func existing(_ element: Element, in accessor: ListAccessor) -> StoredValue? {
    let object = element as? ObjectBase ?? (element as? AnyRealmValue)?.object(Object.self)
    if let object { return accessor.instance.existingLink(to: object) }
    return element._rlmStored(accessor.instance)
  }

  // MARK: Comparing

  /// Whether all elements are in the other set too.
  public func isSubset(of possibleSuperset: MutableSet<Element>) -> Bool {
    count <= possibleSuperset.count && allSatisfy { possibleSuperset.contains($0) }
  }

  /// Whether any element is in the other set too.
  public func intersects(_ otherSet: MutableSet<Element>) -> Bool {
    contains { otherSet.contains($0) }
  }

  // MARK: Changing

  /// Puts an element in, if it is not there yet. An unmanaged object is added to the realm.
  public func insert(_ object: Element) { insert(objectsIn: CollectionOfOne(object)) }

  /// Puts in all elements of a sequence that are not there yet.
  public func insert<S: Sequence>(objectsIn objects: S) where S.Element == Element {
    let objects = Array(objects)  // a set may be put into itself
    switch storage {
    case .unmanaged(var set):
      storage = .unmanaged(UnmanagedSet())  // so that the elements are changed in place
      for object in objects { set.insert(object) }
      storage = .unmanaged(set)
    case .managed(let accessor):
      accessor.prepareToWrite()
      accessor.insertIntoSet(objects.map { $0._rlmStored(accessor.instance) })
    }
  }

  /// Takes an element out, if it is there; an object stays in the realm.
  public func remove(_ object: Element) { remove(CollectionOfOne(object)) }

  private func remove(_ objects: some Sequence<Element>) {
    let objects = Array(objects)
    switch storage {
    case .unmanaged(var set):
      storage = .unmanaged(UnmanagedSet())
      set.remove(Set(objects))
      storage = .unmanaged(set)
    case .managed(let accessor):
      accessor.prepareToWrite()
      accessor.removeFromSet(objects.compactMap { existing($0, in: accessor) })
    }
  }

  /// Takes all elements out; objects stay in the realm.
  public func removeAll() {
    switch storage {
    case .unmanaged: storage = .unmanaged(UnmanagedSet())
    case .managed(let accessor):
      accessor.prepareToWrite()
      accessor.removeAll()
    }
  }

  /// Takes out what is not in the other set.
  public func formIntersection(_ other: MutableSet<Element>) {
    remove(filter { !other.contains($0) })
  }

  /// Takes out what is in the other set.
  public func subtract(_ other: MutableSet<Element>) { remove(other) }

  /// Puts in what is in the other set.
  public func formUnion(_ other: MutableSet<Element>) { insert(objectsIn: other) }

  // MARK: Confinement

  /// The realm of the object that the set is a property of; nil while the object is unmanaged.
  public var realm: Realm? { accessor.map { Realm(instance: $0.instance) } }
  /// Whether the object was deleted or its realm invalidated. False while it is unmanaged.
  public var isInvalidated: Bool { accessor.map { !$0.isValid } ?? false }
  /// Whether the object is frozen: the set never changes and can be used on any thread.
  public var isFrozen: Bool { accessor?.instance.isFrozen ?? false }

  /// An immutable view of the set at its present version, usable on any thread.
  ///
  /// A misuse for an unmanaged set.
  public func freeze() -> Self {
    guard let accessor else {
      throwRealmException(
        "Unmanaged collections cannot be frozen; add their object to a Realm first.")
    }
    return unsafeDowncast(MutableSet(accessor: accessor.frozen()), to: Self.self)
  }

  /// The live counterpart of a frozen set, which belongs to the caller's thread; nil if its object
  /// was deleted since.
  ///
  /// A misuse for an unmanaged set.
  public func thaw() -> Self? {
    guard let accessor else {
      throwRealmException("Unmanaged collections cannot be thawed; they are not frozen.")
    }
    return accessor.thawed().map { unsafeDowncast(MutableSet(accessor: $0), to: Self.self) }
  }

  public var _collection: _ManagedCollection {
    guard let accessor else {
      throwRealmException(
        "This method may only be called on MutableSet instances retrieved from a Realm; add its "
          + "object first.")
    }
    return _ManagedCollection(accessor)
  }

  public static func _make(_ collection: _ManagedCollection) -> Self {
    unsafeDowncast(MutableSet(accessor: collection.listAccessor), to: Self.self)
  }
}

/// The elements of a set without a realm.
struct UnmanagedSet<Element: Hashable> {
  /// In the order in which they came.
  private(set) var elements: [Element] = []
  private var known: Set<Element> = []

  init() {}

  init(_ elements: some Sequence<Element>) {
    for element in elements { insert(element) }
  }

  func contains(_ element: Element) -> Bool { known.contains(element) }

  mutating func insert(_ element: Element) {
    if known.insert(element).inserted { elements.append(element) }
  }

  mutating func remove(_ unwanted: Set<Element>) {
    elements.removeAll { unwanted.contains($0) }
    known.subtract(unwanted)
  }
}

extension MutableSet where Element: ObjectBase {
  /// A property of all objects of the set at once: `person.friends.projectTo.name`.
  public var projectTo: CollectionElementMapper<Element> { CollectionElementMapper(self) }
}
