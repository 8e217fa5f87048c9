import ObjectStore
import Storage

// A managed map: the accessor is that of its values, and knows that of its keys. Both change
// together.

extension ListAccessor {
  private var mapView: MapView { MapView(keys: keys!.view, values: view) }

  func keyTexts() -> [String] {
    keys!.values().map { stored in if case .string(let text) = stored { text } else { "" } }
  }

  func value(of key: String) -> StoredValue? {
    let map = mapView
    guard let (index, value) = engine({ () throws(StorageError) in try map.entry(of: key) }) else {
      return nil
    }
    noteNested(value, at: index)
    return value
  }

  func set(_ value: StoredValue, forKey key: String) {
    change { (objects) throws(StorageError) in
      try objects.mapSet(value, forKey: key, property, of: object, in: binding.table)
    }
  }

  func remove(_ key: String) {
    change { (objects) throws(StorageError) in
      try objects.mapRemove(key, property, of: object, in: binding.table)
    }
  }
}
