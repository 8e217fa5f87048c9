import ObjectStore

/// What lists, sets and maps descend from: whose property they are, if they are managed.
public class RLMSwiftCollectionBase: Hashable {
  /// The managed collection in the store's terms; nil for an unmanaged one.
  final let accessor: ListAccessor?
  private let kind: CollectionKind

  /// An unmanaged collection.
  init(_ kind: CollectionKind) {
    accessor = nil
    self.kind = kind
  }

  /// The collection that is there.
  required init(accessor: ListAccessor) {
    self.accessor = accessor
    kind = accessor.property.collection
  }

  /// Whether both stand for the same collection of the same object, or are unmanaged and hold the
  /// same.
  public final func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? RLMSwiftCollectionBase else { return false }
    if self === other { return true }
    guard type(of: self) == type(of: other) else { return false }
    switch (accessor, other.accessor) {
    case (let mine?, let theirs?): return mine.isSameList(as: theirs)
    case (nil, nil): return hasSameElements(as: other)
    default: return false
    }
  }

  /// Whether two unmanaged collections of the same type hold the same.
  func hasSameElements(as other: RLMSwiftCollectionBase) -> Bool { false }

  /// Whether both stand for the same collection of the same object, or are unmanaged and hold the
  /// same.
  public static func == (left: RLMSwiftCollectionBase, right: RLMSwiftCollectionBase) -> Bool {
    left.isEqual(right)
  }

  /// Managed collections hash alike if they are equal; what unmanaged ones hold can change.
  public final func hash(into hasher: inout Hasher) {
    hasher.combine(accessor?.object)
    hasher.combine(accessor?.column)
  }

  // MARK: Confinement

  /// The realm of the object that it is a property of; nil while the object is unmanaged.
  public final var realm: Realm? { accessor.map { Realm(instance: $0.instance) } }
  /// Whether the object was deleted or its realm invalidated. False while it is unmanaged.
  public final var isInvalidated: Bool { accessor.map { !$0.isValid } ?? false }
  /// Whether the object is frozen: the collection never changes and can be used on any thread.
  public final var isFrozen: Bool { accessor?.instance.isFrozen ?? false }

  /// An immutable view of the collection at its present version, usable on any thread.
  ///
  /// A misuse for an unmanaged one.
  public final func freeze() -> Self {
    guard let accessor else {
      throwRealmException(
        "Unmanaged collections cannot be frozen; add their object to a Realm first.")
    }
    return Self(accessor: accessor.frozen())
  }

  /// The live counterpart of a frozen collection, which belongs to the caller's thread; a live one
  /// itself. Nil if its object was deleted since.
  ///
  /// A misuse for an unmanaged one.
  public final func thaw() -> Self? {
    guard let accessor else {
      throwRealmException("Unmanaged collections cannot be thawed; they are not frozen.")
    }
    return accessor.thawed().map { Self(accessor: $0) }
  }

  // MARK: As the engine sees it

  /// The type-erased view that queries, aggregates and observation work on.
  ///
  /// A misuse for an unmanaged collection.
  public final var _collection: _ManagedCollection {
    guard let accessor else {
      throwRealmException(
        "This method may only be called on \(kind.names.here) instances retrieved from a Realm; "
          + "add its object first.")
    }
    return _ManagedCollection(accessor)
  }

  /// The collection that stands for the view.
  public static func _make(_ collection: _ManagedCollection) -> Self {
    Self(accessor: collection.listAccessor)
  }
}

extension CollectionKind {
  /// As users of Apple's SDK know the types from its messages, and as they are called here.
  var names: (inSDK: String, here: String) {
    switch self {
    case .none, .list: ("RLMArray", "List")
    case .set: ("RLMSet", "MutableSet")
    case .map: ("RLMDictionary", "Map")
    }
  }
}
