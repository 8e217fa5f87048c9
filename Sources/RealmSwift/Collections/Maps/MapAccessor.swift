import ObjectStore
import Storage

/// A managed map in the store's terms: the list of its values and that of their keys, which change
/// together.
final class MapAccessor {
  let values: ListAccessor
  let keys: ListAccessor

  init(_ values: ListAccessor) {
    self.values = values
    keys = ListAccessor(
      instance: values.instance, binding: values.binding, object: values.object,
      property: values.property.mapKeys,
      generation: values.instance.readState.pointee.generation)
  }

  var instance: _RealmInstance { values.instance }
  var isValid: Bool { values.isValid }
  var count: Int { values.count }
  private var view: MapView { MapView(keys: keys.view, values: values.view) }

  func isSameMap(as other: MapAccessor) -> Bool { values.isSameList(as: other.values) }

  func value(of key: String) -> StoredValue? {
    let view = view
    return engine { () throws(StorageError) in try view.value(of: key) }
  }

  func set(_ value: StoredValue, forKey key: String) {
    values.change { [values] (objects) throws(StorageError) in
      try objects.mapSet(
        value, forKey: key, values.property, of: values.object, in: values.binding.table)
    }
  }

  func remove(_ key: String) {
    values.change { [values] (objects) throws(StorageError) in
      try objects.mapRemove(key, values.property, of: values.object, in: values.binding.table)
    }
  }

  func removeAll() {
    values.change { [values] (objects) throws(StorageError) in
      try objects.mapClear(values.property, of: values.object, in: values.binding.table)
    }
  }

  func frozen() -> MapAccessor { instance.isFrozen ? self : MapAccessor(values.frozen()) }

  /// The live map, nil if its object is gone.
  func thawed() -> MapAccessor? { instance.isFrozen ? values.thawed().map(MapAccessor.init) : self }
}
