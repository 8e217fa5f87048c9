public import ObjectStore

/// A collection that a property can be: what lists, sets and maps have in common as properties.
public protocol _PersistedCollection: RLMSwiftCollectionBase, _Persistable
where PersistedType == Self {
  /// What one place holds: an element, or a key with its value.
  associatedtype _Entry

  static var _rlmCollectionKind: CollectionKind { get }
  /// What the elements are, or a map's values.
  static var _rlmElementDescription: _PropertyDescription { get }
  /// An empty unmanaged collection.
  init()
  /// What it holds.
  var _rlmEntries: [_Entry] { get }
  /// Puts entries in, behind what is there.
  func _rlmAdd(_ entries: [_Entry])
  /// Makes a managed collection hold these entries, and leaves alone what it has of them.
  func _rlmUpdate(to entries: [_Entry])
  /// Takes everything out.
  func removeAll()
  /// The entries as a collection can own them: embedded objects that have an owner as copies, and
  /// while `create` runs, all of them.
  static func _rlmOwned(_ entries: [_Entry], _ realm: _RealmInstance) -> [_Entry]
  /// Entries out of whatever the caller had; nil if that is no such collection.
  static func _rlmEntriesFromAny(_ value: Any, _ realm: _RealmInstance?) -> [_Entry]?
}

extension _PersistedCollection {
  public static var _rlmDescription: _PropertyDescription {
    var description = _rlmElementDescription
    description.collection = _rlmCollectionKind
    return description
  }

  public static var _rlmRequiresCaching: Bool { true }
  public static func _rlmDefaultValue() -> Self { Self() }

  public static func _rlmGet(_ object: ObjectBase, _ column: UInt32) -> Self {
    Self(accessor: object._listAccessor(column))
  }

  public static func _rlmSet(_ object: ObjectBase, _ column: UInt32, _ value: Self) {
    let accessor = object._listAccessor(column)
    if let own = value.accessor, own.isSameList(as: accessor) { return }
    // Before the object that they may come from changes.
    let entries = _rlmOwned(value._rlmEntries, accessor.instance)
    accessor.prepareToWrite()
    Self(accessor: accessor)._rlmReplaceAll(with: entries)
  }

  public static func _rlmTransfer(
    _ value: Self, _ object: ObjectBase, _ column: UInt32, _ mode: _TransferMode
  ) {
    let entries = value._rlmEntries
    if mode == .new && entries.isEmpty { return }
    let collection = Self(accessor: object._listAccessor(column))
    switch mode {
    case .new: collection._rlmAdd(entries)
    case .overwriteAll: collection._rlmReplaceAll(with: entries)
    case .overwriteModified: collection._rlmUpdate(to: entries)
    }
  }

  /// Makes a managed collection hold these entries, which may come from what it holds.
  fileprivate func _rlmReplaceAll(with entries: [_Entry]) {
    accessor!.instance.replacing {
      removeAll()
      _rlmAdd(entries)
    }
  }

  public static func _rlmPropertyFromAny(_ value: Any, _ realm: _RealmInstance?) -> Self? {
    guard let value = unwrapped(value) else { return Self() }
    let own = (value as? Self)?._rlmEntries
    // Objects of other realms are copied, one by one.
    let taken = realm != nil && _rlmHoldsObjects ? _rlmEntriesFromAny(value, realm) : nil
    let given =
      taken ?? own.map { entries in realm.map { _rlmOwned(entries, $0) } ?? entries }
      ?? _rlmEntriesFromAny(value, realm)
    guard let given else { return nil }
    let collection = Self()
    collection._rlmAdd(given)
    return collection
  }
}

extension _PersistedCollection {
  /// Whether elements can be objects that are not embedded.
  fileprivate static var _rlmHoldsObjects: Bool {
    let description = _rlmElementDescription
    return description.type == .any
      || description.type == .object && !(description.target is EmbeddedObject.Type)
  }
}

extension RealmCollectionValue {
  fileprivate static var isEmbedded: Bool { _rlmDescription.target is EmbeddedObject.Type }

  /// A copy of an embedded object that has an owner, or is given to `create`.
  fileprivate func owned(_ realm: _RealmInstance) -> Self {
    guard let object = unwrapped(self).flatMap(storedObject),
      object._isManaged || realm.copiesValues
    else { return self }
    return Self._rlmFromObject(realm.embedder.copy(of: object))
  }

  /// The elements of a sequence as ones of this type; nil if the value is none, or one of its
  /// elements cannot be.
  static func elements(fromAny value: Any, _ realm: _RealmInstance?) -> [Self]? {
    guard let sequence = value as? any Sequence else { return nil }
    var elements: [Self] = []
    for item in sequence {
      guard let element = _rlmFromAny(item, realm) else { return nil }
      elements.append(element)
    }
    return elements
  }
}

// MARK: - The kinds

extension List: _PersistedCollection {
  public static var _rlmCollectionKind: CollectionKind { .list }
  public static var _rlmElementDescription: _PropertyDescription { Element._rlmDescription }
  public var _rlmEntries: [Element] { accessor == nil ? unmanaged : Array(self) }
  public func _rlmAdd(_ entries: [Element]) { append(objectsIn: entries) }

  public func _rlmUpdate(to entries: [Element]) {
    guard let accessor else { return }
    if let owned = accessor.owned {
      return accessor.overwriteEmbedded(entries.map(accessor.embeddable), owned)
    }
    if accessor.hold(entries) { return }
    _rlmReplaceAll(with: entries)
  }

  public static func _rlmOwned(_ entries: [Element], _ realm: _RealmInstance) -> [Element] {
    Element.isEmbedded ? entries.map { $0.owned(realm) } : entries
  }

  public static func _rlmEntriesFromAny(_ value: Any, _ realm: _RealmInstance?) -> [Element]? {
    Element.elements(fromAny: value, realm)
  }
}

extension MutableSet: _PersistedCollection {
  public static var _rlmCollectionKind: CollectionKind { .set }
  public static var _rlmElementDescription: _PropertyDescription { Element._rlmDescription }
  public var _rlmEntries: [Element] { accessor == nil ? unmanaged.elements : Array(self) }
  public func _rlmAdd(_ entries: [Element]) { insert(objectsIn: entries) }

  public func _rlmUpdate(to entries: [Element]) {
    guard let accessor else { return }
    entries.forEach(refuseNested)
    let stored = entries.map { $0._rlmStored(accessor.instance) }
    if accessor.count == stored.count, stored.allSatisfy(accessor.contains) { return }
    accessor.removeAll()
    accessor.insertIntoSet(stored)
  }

  public static func _rlmOwned(_ entries: [Element], _ realm: _RealmInstance) -> [Element] {
    entries
  }

  public static func _rlmEntriesFromAny(_ value: Any, _ realm: _RealmInstance?) -> [Element]? {
    Element.elements(fromAny: value, realm)
  }
}

extension Map: _PersistedCollection {
  public static var _rlmCollectionKind: CollectionKind { .map }
  public static var _rlmElementDescription: _PropertyDescription { Value._rlmDescription }
  public var _rlmEntries: [(key: Key, value: Value)] { pairs }

  public func _rlmAdd(_ entries: [(key: Key, value: Value)]) {
    for (key, value) in entries { updateValue(value, forKey: key) }
  }

  public func _rlmUpdate(to entries: [(key: Key, value: Value)]) {
    guard let accessor else { return }
    let wanted = Set(entries.map { StoredText($0.key._keyText) })
    accessor.instance.replacing {
      for key in accessor.keyTexts() where !wanted.contains(StoredText(key)) {
        accessor.remove(key)
      }
      for (key, value) in entries { accessor.update(value, forKey: key._keyText) }
    }
  }

  public static func _rlmOwned(
    _ entries: [(key: Key, value: Value)], _ realm: _RealmInstance
  ) -> [(key: Key, value: Value)] {
    Value.isEmbedded ? entries.map { ($0, $1.owned(realm)) } : entries
  }

  public static func _rlmEntriesFromAny(
    _ value: Any, _ realm: _RealmInstance?
  ) -> [(key: Key, value: Value)]? {
    let given: [(key: Key, value: Any)]
    if let map = value as? Self {
      given = map._rlmEntries.map { ($0.key, $0.value) }
    } else if let dictionary = value as? [String: Any] {
      given = dictionary.map { (Key(_keyText: $0.key), $0.value) }
    } else {
      return nil
    }
    var entries: [(key: Key, value: Value)] = []
    for (key, item) in given {
      guard let element = Value._rlmFromAny(item, realm) else { return nil }
      entries.append((key, element))
    }
    return entries
  }
}
