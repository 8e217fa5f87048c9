import Storage

/// An ordered collection that is a property of an object: links to objects, or values.
///
/// A list of an unmanaged object holds its elements itself. A managed one is a live view of what
/// the realm holds, and may be changed only within a write transaction.
public final class List<Element: RealmCollectionValue>: RLMSwiftCollectionBase, RealmCollection {
  /// The elements of an unmanaged list.
  var unmanaged: [Element]

  /// Makes an empty unmanaged list.
  public convenience init() { self.init(unmanaged: []) }

  init(unmanaged elements: [Element]) {
    unmanaged = elements
    super.init(.list)
  }

  required init(accessor: ListAccessor) {
    unmanaged = []
    super.init(accessor: accessor)
  }

  public var _unmanagedElements: [Element]? { accessor == nil ? unmanaged : nil }

  deinit {
    if unmanaged.isEmpty || Element.self != AnyRealmValue.self { return }
    var references = nestedReferences(unmanaged)
    unmanaged = []
    releaseInTurn(&references)
  }

  override func hasSameElements(as other: RLMSwiftCollectionBase) -> Bool {
    guard let other = other as? List<Element> else { return false }
    return NestedComparison.areSame(self, other)
  }

  // MARK: Reading

  /// How many elements there are.
  public var count: Int { accessor?.count ?? unmanaged.count }

  /// The element at the index, which must be within the list.
  public subscript(index: Int) -> Element {
    get {
      if accessor == nil, unmanaged.isEmpty,
        let element = KeyPathRecorder.element(of: Element.self)
      {
        return element
      }
      checkIndex(index, below: count)
      guard let accessor else { return unmanaged[index] }
      return Element._rlmFromStored(accessor.value(at: index), accessor.instance)
    }
    set { replace(index: index, object: newValue) }
  }

  /// An iterator over the elements.
  public func makeIterator() -> RLMIterator<Element> {
    accessor?.makeIterator() ?? RLMIterator(unmanaged)
  }

  /// The position of the first element that equals the given one, nil if there is none. Strings are
  /// equal if their bytes are.
  public func index(of element: Element) -> Int? {
    guard let accessor else { return unmanaged.firstIndex { $0.isSame(as: element) } }
    return accessor.existing(element).flatMap(accessor.firstIndex)
  }
}

func checkIndex(_ index: Int, below count: Int) {
  if index < 0 { throwRealmException("Cannot pass a negative value for 'index'.") }
  if index >= count {
    throwRealmException("Index \(index) is out of bounds (must be less than \(count)).")
  }
}

/// An element of a collection that holds none was asked for.
func checkIndexOfNone(_ index: Int) -> Never {
  checkIndex(index, below: 0)
  throwRealmException("No element at \(index).")
}
