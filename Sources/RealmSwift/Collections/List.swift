import Storage

/// What collections that are properties descend from.
public class RLMSwiftCollectionBase: Equatable {
  init() {}

  /// Whether both stand for the same collection of the same object, or are the same instance.
  public func isEqual(_ object: Any?) -> Bool { (object as AnyObject) === self }

  /// Whether both stand for the same collection of the same object, or are the same instance.
  public static func == (left: RLMSwiftCollectionBase, right: RLMSwiftCollectionBase) -> Bool {
    left.isEqual(right)
  }
}

/// An ordered collection that is a property of an object: links to objects, or values.
///
/// A list of an unmanaged object holds its elements itself. A managed one is a live view of what
/// the realm holds, and may be changed only within a write transaction.
public final class List<Element: RealmCollectionValue>: RLMSwiftCollectionBase, RealmCollection {
  enum Storage {
    case unmanaged([Element])
    case managed(ListAccessor)
  }

  var storage: Storage

  /// Makes an empty unmanaged list.
  public override init() {
    storage = .unmanaged([])
    super.init()
  }

  init(unmanaged elements: [Element]) {
    storage = .unmanaged(elements)
    super.init()
  }

  init(accessor: ListAccessor) {
    storage = .managed(accessor)
    super.init()
  }

  /// Whether both are the same instance, or the same list of the same managed object.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? List<Element> else { return false }
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
    case .unmanaged(let elements): elements.count
    case .managed(let accessor): accessor.count
    }
  }

  /// The element at the index, which must be within the list.
  public subscript(index: Int) -> Element {
    get {
      checkIndex(index, below: count)
      switch storage {
      case .unmanaged(let elements): return elements[index]
      case .managed(let accessor):
        return Element._rlmFromStored(accessor.value(at: index), accessor.instance)
      }
    }
    set { replace(index: index, object: newValue) }
  }

  /// An iterator over the elements.
  public func makeIterator() -> RLMIterator<Element> {
    switch storage {
    case .unmanaged(let elements):
      return RLMIterator(elements)
    case .managed(let accessor):
      let instance = accessor.instance
      if accessor.property.kind != .object { return RLMIterator(accessor.values(), instance) }
      let view = accessor.view
      let keys = engine { () throws(StorageError) in try view.allLinks() }
      let binding = instance.binding(for: accessor.property.targetTable)
      return RLMIterator(ObjectCursor(instance, binding, keys))
    }
  }

  /// The position of the first element that equals the given one, nil if there is none.
  public func index(of element: Element) -> Int? {
    switch storage {
    case .unmanaged(let elements): return elements.firstIndex(of: element)
    case .managed(let accessor):
      // Looking for an object must not add it.
      let object = element as? ObjectBase ?? (element as? AnyRealmValue)?.object(Object.self)
      if let object {
        guard let stored = accessor.instance.existingLink(to: object) else { return nil }
        return accessor.firstIndex(of: stored)
      }
      return accessor.firstIndex(of: element._rlmStored(accessor.instance))
    }
  }

  // MARK: Confinement

  /// The realm of the object that the list is a property of; nil while the object is unmanaged.
  public var realm: Realm? { accessor.map { Realm(instance: $0.instance) } }
  /// Whether the object was deleted or its realm invalidated. False while it is unmanaged.
  public var isInvalidated: Bool { accessor.map { !$0.isValid } ?? false }
  /// Whether the object is frozen: the list never changes and can be used on any thread.
  public var isFrozen: Bool { accessor?.instance.isFrozen ?? false }

  /// An immutable view of the list at its present version, usable on any thread.
  ///
  /// A misuse for an unmanaged list.
  public func freeze() -> Self {
    guard let accessor else {
      throwRealmException(
        "Unmanaged collections cannot be frozen; add their object to a Realm first.")
    }
    return unsafeDowncast(List(accessor: accessor.frozen()), to: Self.self)
  }

  /// The live counterpart of a frozen list, which belongs to the caller's thread; nil if its object
  /// was deleted since.
  ///
  /// A misuse for an unmanaged list.
  public func thaw() -> Self? {
    guard let accessor else {
      throwRealmException("Unmanaged collections cannot be thawed; they are not frozen.")
    }
    return accessor.thawed().map { unsafeDowncast(List(accessor: $0), to: Self.self) }
  }

  public var _collection: _ManagedCollection {
    guard let accessor else {
      throwRealmException(
        "This method may only be called on List instances retrieved from a Realm; add its object "
          + "first.")
    }
    return _ManagedCollection(accessor)
  }

  public static func _make(_ collection: _ManagedCollection) -> Self {
    unsafeDowncast(List(accessor: collection.listAccessor), to: Self.self)
  }
}

func checkIndex(_ index: Int, below count: Int) {
  if index < 0 { throwRealmException("Cannot pass a negative value for 'index'.") }
  if index >= count {
    throwRealmException("Index \(index) is out of bounds (must be less than \(count)).")
  }
}

extension List: _Persistable, _HasPersistedType, _RealmSchemaDiscoverable {
  /// What a property of this type is stored as.
  public typealias PersistedType = List<Element>

  public static var _rlmDescription: _PropertyDescription {
    var description = Element._rlmDescription
    description.collection = .list
    return description
  }

  public static var _rlmRequiresCaching: Bool { true }
  public static func _rlmDefaultValue() -> Self { unsafeDowncast(List(), to: Self.self) }

  public static func _rlmGet(_ object: ObjectBase, _ column: UInt32) -> Self {
    unsafeDowncast(List(accessor: object._listAccessor(column)), to: Self.self)
  }

  public static func _rlmSet(_ object: ObjectBase, _ column: UInt32, _ value: List<Element>) {
    let accessor = object._listAccessor(column)
    if let own = value.accessor, own.isSameList(as: accessor) { return }
    let elements = Array(value)
    accessor.prepareToWrite()
    accessor.removeAll()
    accessor.append(contentsOf: elements.map { $0._rlmStored(accessor.instance) })
  }

  public static func _rlmTransfer(
    _ value: List<Element>, _ object: ObjectBase, _ column: UInt32, _ mode: _TransferMode
  ) {
    if mode == .new && value.isEmpty { return }
    let accessor = object._listAccessor(column)
    let elements = value.map { $0._rlmStored(accessor.instance) }
    if mode == .overwriteModified && accessor.values() == Array(elements) { return }
    if mode != .new { accessor.removeAll() }
    accessor.append(contentsOf: Array(elements))
  }

  public static func _rlmPropertyFromAny(_ value: Any, _ realm: _RealmInstance?) -> Self? {
    guard let value = unwrapped(value) else { return _rlmDefaultValue() }
    if let list = value as? List<Element> {
      return unsafeDowncast(List(unmanaged: Array(list)), to: Self.self)
    }
    guard let sequence = value as? any Sequence else { return nil }
    var elements: [Element] = []
    for item in sequence {
      guard let element = Element._rlmFromAny(item, realm) else { return nil }
      elements.append(element)
    }
    return unsafeDowncast(List(unmanaged: elements), to: Self.self)
  }
}

extension List: Decodable where Element: Decodable {
  /// Decodes an unmanaged list from an array.
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    var container = try decoder.unkeyedContainer()
    while !container.isAtEnd { append(try container.decode(Element.self)) }
  }
}

extension List: Encodable where Element: Encodable {
  /// Encodes the elements as an array.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for element in self { try container.encode(element) }
  }
}
