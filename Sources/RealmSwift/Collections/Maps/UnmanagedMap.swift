import ObjectStore

/// The entries of a map without a realm. Keys are distinct, and ordered, as those of a map in a
/// realm are: by their bytes.
struct UnmanagedMap<Key: _MapKey, Value: RealmCollectionValue> {
  private var entries: [StoredText: Value] = [:]

  init() {}

  init(_ values: [Key: Value]) {
    entries.reserveCapacity(values.count)
    for (key, value) in values { self[key] = value }
  }

  var count: Int { entries.count }

  subscript(key: Key) -> Value? {
    get { entries[StoredText(key._keyText)] }
    set { entries[StoredText(key._keyText)] = newValue }
  }

  /// The keys in their order.
  var keys: [Key] { entries.keys.sorted().map { Key(_keyText: $0.text) } }

  /// The values in the order of their keys.
  var values: [Value] { sorted.map(\.value) }

  var pairs: [(key: Key, value: Value)] { sorted.map { (Key(_keyText: $0.key.text), $0.value) } }

  /// The values in no order, for those who have no use for one.
  var unorderedValues: [Value] { Array(entries.values) }

  private var sorted: [(key: StoredText, value: Value)] { entries.sorted { $0.key < $1.key } }
}
