import ObjectStore

/// A collection of distinct values or objects that is a property of an object.
///
/// A set of an unmanaged object holds its elements itself, in the order in which they came. A
/// managed one is a live view of what the realm holds, in an order of the values' own, and may be
/// changed only within a write transaction.
///
/// Strings are distinct if their bytes are: an "é" of one scalar and one of two are two elements.
public final class MutableSet<Element: RealmCollectionValue>: RLMSwiftCollectionBase,
  RealmCollection
{
  /// The elements of an unmanaged set.
  var unmanaged: UnmanagedSet<Element>

  /// Makes an empty unmanaged set.
  public convenience init() { self.init(unmanaged: []) }

  init(unmanaged elements: some Sequence<Element>) {
    unmanaged = UnmanagedSet(elements)
    super.init(.set)
  }

  required init(accessor: ListAccessor) {
    unmanaged = UnmanagedSet()
    super.init(accessor: accessor)
  }

  public var _unmanagedElements: [Element]? { accessor == nil ? unmanaged.elements : nil }

  override func hasSameElements(as other: RLMSwiftCollectionBase) -> Bool {
    guard let other = other as? MutableSet<Element> else { return false }
    return count == other.count && isSubset(of: other)
  }

  // MARK: Reading

  /// How many elements there are.
  public var count: Int { accessor?.count ?? unmanaged.count }

  /// The element at the index, which must be below `count`. Which one that is changes as elements
  /// come and go.
  public subscript(index: Int) -> Element {
    if accessor == nil, count == 0, let element = KeyPathRecorder.element(of: Element.self) {
      return element
    }
    checkIndex(index, below: count)
    guard let accessor else { return unmanaged[index] }
    return Element._rlmFromStored(accessor.value(at: index), accessor.instance)
  }

  /// An iterator over the elements.
  public func makeIterator() -> RLMIterator<Element> {
    accessor?.makeIterator() ?? RLMIterator(unmanaged.elements)
  }

  /// The position of the element, nil if it is not in the set.
  public func index(of element: Element) -> Int? {
    guard let accessor else { return unmanaged.index(of: element) }
    return accessor.existing(element).flatMap(accessor.firstIndex)
  }

  /// Whether the element is in the set.
  public func contains(_ element: Element) -> Bool {
    guard let accessor else { return unmanaged.contains(element) }
    return accessor.existing(element).map(accessor.contains) ?? false
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

  func refuseNested(_ object: Element) {
    if (object as? AnyRealmValue)?.isCollection == true {
      throwRealmException("Cannot add a collection to a set: sets hold no lists or dictionaries.")
    }
  }

  /// Puts in all elements of a sequence that are not there yet.
  public func insert<S: Sequence>(objectsIn objects: S) where S.Element == Element {
    let objects = Array(objects)  // a set may be put into itself
    objects.forEach(refuseNested)
    guard let accessor else {
      for object in objects { unmanaged.insert(object) }
      return
    }
    accessor.prepareToWrite()
    accessor.insertIntoSet(objects.map { $0._rlmStored(accessor.instance) })
  }

  /// Takes an element out, if it is there; an object stays in the realm.
  public func remove(_ object: Element) { remove(CollectionOfOne(object)) }

  private func remove(_ objects: some Sequence<Element>) {
    let objects = Array(objects)
    guard let accessor else {
      for object in objects { unmanaged.remove(object) }
      return
    }
    accessor.prepareToWrite()
    accessor.removeFromSet(objects.compactMap { accessor.existing($0) })
  }

  /// Takes all elements out; objects stay in the realm.
  public func removeAll() {
    guard let accessor else { return unmanaged = UnmanagedSet() }
    accessor.prepareToWrite()
    accessor.removeAll()
  }

  /// Takes out what is not in the other set.
  public func formIntersection(_ other: MutableSet<Element>) {
    remove(filter { !other.contains($0) })
  }

  /// Takes out what is in the other set.
  public func subtract(_ other: MutableSet<Element>) { remove(other) }

  /// Puts in what is in the other set.
  public func formUnion(_ other: MutableSet<Element>) { insert(objectsIn: other) }
}

extension MutableSet where Element: ObjectBase {
  /// A property of all objects of the set at once: `person.friends.projectTo.name`.
  public var projectTo: CollectionElementMapper<Element> { CollectionElementMapper(self) }
}
