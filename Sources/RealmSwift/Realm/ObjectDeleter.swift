import ObjectStore
import Storage

/// Deletes objects of a realm.
struct ObjectDeleter {
  private let instance: _RealmInstance

  init(_ instance: _RealmInstance) { self.instance = instance }

  func delete(_ object: ObjectBase) {
    let objects = instance.adding()
    guard isThere(object) else { return }
    engine { () throws(StorageError) in
      try objects.deleteObject(ObjectKey(rawValue: object._key), in: object._binding!.table)
    }
    instance.didChange()
  }

  /// Whether the object, which has to be of this realm, has not been deleted yet.
  private func isThere(_ object: ObjectBase) -> Bool {
    guard object._instance === instance else {
      throwRealmException(
        "Can only delete an object from the Realm it belongs to; resolve or look it up there.")
    }
    return object._isValid
  }

  /// Deletes objects of any classes, those of one class that follow one another together. Those
  /// that are gone, with their owners for instance, are passed over.
  func delete(_ objects: [ObjectBase]) {
    _ = instance.adding()
    var keys: [ObjectKey] = []
    var table: TableKey?
    for object in objects where isThere(object) {
      let next = object._binding!.table
      if let table, table != next {
        delete(keys, in: table)
        keys.removeAll(keepingCapacity: true)
        if !isThere(object) { continue }
      }
      table = next
      keys.append(ObjectKey(rawValue: object._key))
    }
    if let table { delete(keys, in: table) }
  }

  /// Deletes objects of one class; those that are gone already are passed over.
  func delete(_ keys: [ObjectKey], in table: TableKey) {
    let objects = instance.adding()
    engine { () throws(StorageError) in try objects.deleteObjects(keys, in: table) }
    instance.didChange()
  }

  func deleteAll() {
    let objects = instance.adding()
    // A realm without classes of its own has those of the file.
    let tables =
      instance.classes.isEmpty
      ? instance.schema.description.classes.map(\.tableKey)
      : instance.classes.compactMap { instance.binding(for: $0.type)?.table }
    // Embedded objects go with their owners.
    for table in tables {
      let description = instance.schema.description.description(of: table)!
      if description.isEmbedded || description.isHidden { continue }
      engine { () throws(StorageError) in try objects.deleteAllObjects(in: table) }
    }
    instance.didChange()
  }
}
