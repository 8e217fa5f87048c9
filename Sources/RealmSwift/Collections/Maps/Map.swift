import ObjectStore

/// Values or objects by keys, as a property of an object.
///
///     final class Dog: Object {
///       @Persisted var toys: Map<String, Int>
///       @Persisted var friends: Map<String, Dog?>
///     }
///
/// Objects are optional values: they become nil when they are deleted. A map of an unmanaged object
/// holds its entries itself. A managed one is a live view of what the realm holds, and may be
/// changed only within a write transaction.
///
/// Keys are distinct if their bytes are: an "é" of one scalar and one of two are two keys.
public final class Map<Key: _MapKey, Value: RealmCollectionValue>: RLMSwiftCollectionBase,
  RealmKeyedCollection
{
  /// The entries of an unmanaged map.
  var unmanaged = UnmanagedMap<Key, Value>()

  /// Makes an empty unmanaged map.
  public init() { super.init(.map) }

  required init(accessor: ListAccessor) { super.init(accessor: accessor) }

  deinit {
    if accessor != nil || Value.self != AnyRealmValue.self { return }
    var references = nestedReferences(unmanaged.unorderedValues)
    unmanaged = UnmanagedMap()
    releaseInTurn(&references)
  }

  override func hasSameElements(as other: RLMSwiftCollectionBase) -> Bool {
    guard let other = other as? Map<Key, Value> else { return false }
    return NestedComparison.areSame(self, other)
  }

  // MARK: Reading

  /// How many keys there are.
  public var count: Int { accessor?.count ?? unmanaged.count }

  /// Whether there is no key.
  public var isEmpty: Bool { count == 0 }

  /// The keys, in order.
  public var keys: [Key] {
    accessor?.keyTexts().map { Key(_keyText: $0) } ?? unmanaged.keys
  }

  /// The values, in the order of their keys.
  public var values: [Value] {
    guard let accessor else { return unmanaged.values }
    let instance = accessor.instance
    return accessor.values().map { Value._rlmFromStored($0, instance) }
  }

  /// The entries, in the order of their keys.
  var pairs: [(key: Key, value: Value)] {
    accessor == nil ? unmanaged.pairs : Array(zip(keys, values)).map { ($0, $1) }
  }

  /// The value of a key, nil if there is none. Setting nil takes the key out.
  public subscript(key: Key) -> Value? {
    get {
      guard let accessor else { return unmanaged[key] ?? KeyPathRecorder.element(of: Value.self) }
      return accessor.value(of: key._keyText).map { Value._rlmFromStored($0, accessor.instance) }
    }
    set {
      if let newValue { updateValue(newValue, forKey: key) } else { removeObject(for: key) }
    }
  }

  /// The value of a key, nil if there is none.
  public func object(forKey key: Key) -> Value? { self[key] }

  /// An iterator over the entries that there are now, in the order of their keys.
  public func makeIterator() -> RLMMapIterator<SingleMapEntry<Key, Value>> {
    RLMMapIterator(pairs.map { SingleMapEntry(key: $0, value: $1) })
  }

  /// The entries as pairs.
  public func asKeyValueSequence() -> KeyValueSequence<Key, Value> {
    KeyValueSequence(pairs)
  }

  /// Whether the closure is true of any entry.
  public func contains(
    where predicate: @escaping (_ key: Key, _ value: Value) -> Bool
  ) -> Bool {
    pairs.contains { predicate($0.key, $0.value) }
  }

  /// A hundred entries at most, one per line.
  public var description: String { _describe(depth: 0) }

  func _describe(depth: Int) -> String {
    if depth > 4 { return "<Maximum depth exceeded>" }
    let lines = pairs.prefix(describedElements).map { key, value in
      "[\(key)]: \(describeElement(unwrappedOnce(value) ?? value, depth: depth + 1))"
    }
    let type = "Map<string, \(elementText(Value.self))> <\(addressText(self))>"
    return describeLines(lines, of: type, count: count)
  }

  // MARK: Changing

  /// Gives a key a value. An unmanaged object is added to the realm.
  public func updateValue(_ value: Value, forKey key: Key) {
    guard let accessor else { return unmanaged[key] = value }
    accessor.prepareToWrite()
    accessor.put(value, forKey: key._keyText)
  }

  /// Gives keys values; where there is one already, the closure makes one out of both.
  public func merge<S: Sequence>(
    _ sequence: S, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows where S.Element == (key: Key, value: Value) {
    for (key, value) in Array(sequence) {
      updateValue(try self[key].map { try combine($0, value) } ?? value, forKey: key)
    }
  }

  /// Gives keys the values of another map; where there is one already, the closure makes one out of
  /// both.
  public func merge(
    _ map: Map<Key, Value>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    try merge(map.asKeyValueSequence(), uniquingKeysWith: combine)
  }

  /// Takes a key out, if it is there; an object stays in the realm.
  public func removeObject(for key: Key) {
    guard let accessor else { return unmanaged[key] = nil }
    accessor.prepareToWrite()
    accessor.remove(key._keyText)
  }

  /// Takes all keys out; objects stay in the realm.
  public func removeAll() {
    guard let accessor else { return unmanaged = UnmanagedMap() }
    accessor.prepareToWrite()
    accessor.removeAll()
  }
}

extension Map: DescribedToADepth {}
