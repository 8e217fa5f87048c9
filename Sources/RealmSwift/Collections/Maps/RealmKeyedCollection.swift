/// A type that the keys of a map can have.
public protocol _MapKey: Hashable, Comparable, SendableMetatype {
  /// The key as the store has it.
  var _keyText: String { get }
  /// The key that the store has.
  init(_keyText: String)
}

extension String: _MapKey {
  public var _keyText: String { self }
  public init(_keyText: String) { self = _keyText }
}

/// A collection of a realm's values by keys.
public protocol RealmKeyedCollection: Sequence, ThreadConfined, CustomStringConvertible {
  /// The type of the keys.
  associatedtype Key: _MapKey
  /// The type of the values; objects are optional.
  associatedtype Value: RealmCollectionValue

  /// How many keys there are.
  var count: Int { get }
  /// The keys, in order.
  var keys: [Key] { get }
  /// The values, in the order of their keys.
  var values: [Value] { get }
  /// The value of a key, nil if there is none; setting nil takes the key out.
  subscript(key: Key) -> Value? { get set }
  /// Gives a key a value.
  func updateValue(_ value: Value, forKey key: Key)
  /// Takes a key out.
  func removeObject(for key: Key)
  /// Takes all keys out.
  func removeAll()
}

/// One key of a map and its value.
public struct SingleMapEntry<Key: _MapKey, Value: RealmCollectionValue>: Hashable {
  /// The key.
  public var key: Key
  /// What the map held for it.
  public var value: Value

  /// The entry as a pair.
  public func toTuple() -> (key: Key, value: Value) { (key, value) }
}

/// Goes through the entries that a map had when it was made.
public struct RLMMapIterator<Element>: IteratorProtocol {
  private var entries: IndexingIterator<[Element]>

  init(_ entries: [Element]) { self.entries = entries.makeIterator() }

  /// The next entry, nil after the last one.
  public mutating func next() -> Element? { entries.next() }
}

/// A map's entries as pairs.
public struct KeyValueSequence<Key: _MapKey, Value: RealmCollectionValue>: Sequence {
  private let entries: [(key: Key, value: Value)]

  init(_ entries: [(key: Key, value: Value)]) { self.entries = entries }

  /// An iterator over the pairs, in the order of their keys.
  public func makeIterator() -> RLMKeyValueIterator<Key, Value> { RLMMapIterator(entries) }
}

/// Goes through the pairs of a map.
public typealias RLMKeyValueIterator<Key, Value> = RLMMapIterator<(key: Key, value: Value)>

/// A position in a map.
public struct MapIndex: Hashable, Sendable {
  /// How many keys come before it.
  public var offset: UInt
}

/// What happened to a map.
@frozen
public enum RealmMapChange<Collection: RealmKeyedCollection> {
  /// The first delivery: the map as it is.
  case initial(Collection)
  /// The map changed: keys went, came, or have another value.
  case update(
    Collection, deletions: [Collection.Key], insertions: [Collection.Key],
    modifications: [Collection.Key])
  /// Delivery failed; nothing more will come.
  case error(any Error)
}
