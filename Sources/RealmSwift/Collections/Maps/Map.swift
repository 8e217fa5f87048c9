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
public final class Map<Key: _MapKey, Value: RealmCollectionValue>: RLMSwiftCollectionBase,
  RealmKeyedCollection
{
  enum Storage {
    case unmanaged([Key: Value])
    case managed(MapAccessor)
  }

  var storage: Storage

  /// Makes an empty unmanaged map.
  public override init() {
    storage = .unmanaged([:])
    super.init()
  }

  init(unmanaged entries: [Key: Value]) {
    storage = .unmanaged(entries)
    super.init()
  }

  init(accessor: MapAccessor) {
    storage = .managed(accessor)
    super.init()
  }

  /// Whether both are the same map: of the same property of the same object, or the same instance.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? Map<Key, Value> else { return false }
    if self === other { return true }
    guard case .managed(let mine) = storage, case .managed(let theirs) = other.storage else {
      return false
    }
    return mine.isSameMap(as: theirs)
  }

  var accessor: MapAccessor? {
    guard case .managed(let accessor) = storage else { return nil }
    return accessor
  }

  // MARK: Reading

  /// How many keys there are.
  public var count: Int {
    switch storage {
    case .unmanaged(let entries): entries.count
    case .managed(let accessor): accessor.count
    }
  }

  /// Whether there is no key.
  public var isEmpty: Bool { count == 0 }

  /// The keys, in order.
  public var keys: [Key] {
    switch storage {
    case .unmanaged(let entries): entries.keys.sorted()
    case .managed(let accessor):
      accessor.keys.values().map { stored in
        if case .string(let text) = stored { Key(_keyText: text) } else { Key(_keyText: "") }
      }
    }
  }

  /// The values, in the order of their keys.
  public var values: [Value] {
    switch storage {
    case .unmanaged(let entries): return entries.keys.sorted().map { entries[$0]! }
    case .managed(let accessor):
      let instance = accessor.instance
      return accessor.values.values().map { Value._rlmFromStored($0, instance) }
    }
  }

  /// The value of a key, nil if there is none. Setting nil takes the key out.
  public subscript(key: Key) -> Value? {
    get {
      switch storage {
      case .unmanaged(let entries): return entries[key]
      case .managed(let accessor):
        return accessor.value(of: key._keyText).map {
          Value._rlmFromStored($0, accessor.instance)
        }
      }
    }
    set {
      if let newValue { updateValue(newValue, forKey: key) } else { removeObject(for: key) }
    }
  }

  /// The value of a key, nil if there is none.
  public func object(forKey key: Key) -> Value? { self[key] }

  /// An iterator over the entries that there are now, in the order of their keys.
  public func makeIterator() -> RLMMapIterator<SingleMapEntry<Key, Value>> {
    RLMMapIterator(zip(keys, values).map { SingleMapEntry(key: $0, value: $1) })
  }

  /// The entries as pairs.
  public func asKeyValueSequence() -> KeyValueSequence<Key, Value> {
    KeyValueSequence(zip(keys, values).map { (key: $0, value: $1) })
  }

  /// Whether the closure is true of any entry.
  public func contains(
    where predicate: @escaping (_ key: Key, _ value: Value) -> Bool
  ) -> Bool {
    zip(keys, values).contains { predicate($0, $1) }
  }

  /// A hundred entries at most, one per line.
  public var description: String {
    let limit = 100
    var lines = zip(keys, values).prefix(limit).map { key, value in
      let text = (unwrappedOnce(value) as? ObjectBase)?._describe(depth: 1) ?? "\(value)"
      return "\t[\(key)]: \(text)".split(separator: "\n", omittingEmptySubsequences: false)
        .joined(separator: "\n\t")
    }
    if count > limit { lines.append("\t... \(count - limit) objects skipped.") }
    return "Map<\(Key.self), \(Value.self)> (\n" + lines.joined(separator: ",\n") + "\n)"
  }

  // MARK: Changing

  /// Gives a key a value. An unmanaged object is added to the realm.
  public func updateValue(_ value: Value, forKey key: Key) {
    switch storage {
    case .unmanaged(var entries):
      storage = .unmanaged([:])  // so that the entries are changed in place
      entries[key] = value
      storage = .unmanaged(entries)
    case .managed(let accessor):
      accessor.values.prepareToWrite()
      accessor.set(value._rlmStored(accessor.instance), forKey: key._keyText)
    }
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
    switch storage {
    case .unmanaged(var entries):
      storage = .unmanaged([:])
      entries[key] = nil
      storage = .unmanaged(entries)
    case .managed(let accessor):
      accessor.values.prepareToWrite()
      accessor.remove(key._keyText)
    }
  }

  /// Takes all keys out; objects stay in the realm.
  public func removeAll() {
    switch storage {
    case .unmanaged: storage = .unmanaged([:])
    case .managed(let accessor):
      accessor.values.prepareToWrite()
      accessor.removeAll()
    }
  }

  // MARK: Confinement

  /// The realm that the map belongs to, nil if it is unmanaged.
  public var realm: Realm? { accessor.map { Realm(instance: $0.instance) } }
  /// Whether the map can no longer be used, because its realm was invalidated or its object
  /// deleted.
  public var isInvalidated: Bool { accessor.map { !$0.isValid } ?? false }
  /// Whether this is a frozen map, which never changes and can be used on any thread.
  public var isFrozen: Bool { accessor?.instance.isFrozen ?? false }

  /// An immutable view of the map at its present version, usable on any thread.
  public func freeze() -> Self {
    guard let accessor else {
      throwRealmException(
        "Unmanaged collections cannot be frozen; add their object to a Realm first.")
    }
    return unsafeDowncast(Map(accessor: accessor.frozen()), to: Self.self)
  }

  /// The live counterpart of a frozen map, which belongs to the caller's thread; a live map itself.
  /// Nil if the object that holds it was deleted.
  public func thaw() -> Self? {
    guard let accessor else {
      throwRealmException("Unmanaged collections cannot be thawed; they are not frozen.")
    }
    return accessor.thawed().map { unsafeDowncast(Map(accessor: $0), to: Self.self) }
  }
}
