import Storage

/// A map in one version: its keys in order, and the value of each at the same index.
///
/// Valid as long as the version it was read from; within a write transaction until the next change.
package struct MapView {
  package let keys: ListView
  package let values: ListView

  package init(keys: ListView, values: ListView) {
    self.keys = keys
    self.values = values
  }

  /// Where the key is, or would have to be.
  package func place(of key: String) throws(StorageError) -> (index: Int, isFound: Bool) {
    try SetOrder.place(of: .string(key), in: keys)
  }

  /// The value of the key; nil if there is none.
  package func value(of key: String) throws(StorageError) -> StoredValue? {
    try entry(of: key)?.value
  }

  /// The value of the key and where it is; nil if there is none.
  package func entry(
    of key: String
  ) throws(StorageError) -> (index: Int, value: StoredValue)? {
    let place = try place(of: key)
    guard place.isFound else { return nil }
    guard place.index < values.count else {
      throw values.source.corrupt(values.root, "a map has more keys than values")
    }
    return (place.index, try values.value(at: place.index))
  }
}
