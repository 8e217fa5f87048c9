import ObjectStore
import Storage

/// Copies one version of a realm to a new file, object by object, which leaves out everything that
/// the file keeps for other reasons than this version.
enum RealmCopy {
  static func write(
    _ source: _RealmInstance, to configuration: Realm.Configuration
  ) throws(RLMError) {
    var configuration = configuration
    configuration.objectTypes = source.classes.map(\.type)
    let scheduler = ThreadScheduler()
    let target = try RealmOpening.instance(configuration, scheduler)
    try rethrowingStorageErrors { () throws(StorageError) in
      try target.beginWrite()
      do throws(StorageError) {
        try copy(source, to: target)
      } catch {
        target.cancelWrite()
        throw error
      }
      try target.commitWrite()
    }
  }

  private static func copy(
    _ source: _RealmInstance, to target: _RealmInstance
  ) throws(StorageError) {
    let bindings = source.classes.compactMap { source.binding(for: $0.type) }
    var keys: [TableKey: [ObjectKey: ObjectKey]] = [:]
    for binding in bindings {
      keys[binding.table] = try makeRows(source, binding, in: target)
    }
    for binding in bindings {
      try copyProperties(source, binding, to: target, keys)
    }
    target.didChange()
  }

  /// Makes an object for each of the table's; says which became which.
  private static func makeRows(
    _ source: _RealmInstance, _ binding: TableBinding, in target: _RealmInstance
  ) throws(StorageError) -> [ObjectKey: ObjectKey] {
    let objects = target.writing!.objects
    let place = target.requiredBinding(for: binding.info.type).table
    let table = source.table(of: binding)
    var keys: [ObjectKey: ObjectKey] = [:]
    for index in 0..<table.count {
      let position = try table.position(at: index)
      if let primaryKey = binding.primaryKey {
        let value = try table.value(of: primaryKey, at: position)
        keys[position.key] = try objects.createObject(in: place, primaryKey: value).key
      } else {
        keys[position.key] = try objects.createObject(in: place)
      }
    }
    return keys
  }

  private static func copyProperties(
    _ source: _RealmInstance, _ binding: TableBinding, to target: _RealmInstance,
    _ keys: [TableKey: [ObjectKey: ObjectKey]]
  ) throws(StorageError) {
    let objects = target.writing!.objects
    let targetBinding = target.requiredBinding(for: binding.info.type)
    let table = source.table(of: binding)
    for (index, property) in binding.properties.enumerated() {
      guard let property, let new = targetBinding.properties[index], !property.isPrimaryKey else {
        continue
      }
      for row in 0..<table.count {
        let position = try table.position(at: row)
        let key = keys[binding.table]![position.key]!
        if property.collection == .list {
          let list = try table.list(of: property, at: position)
          var values: [StoredValue] = []
          for element in 0..<list.count {
            values.append(translated(try list.value(at: element), new, keys))
          }
          try objects.listInsert(
            contentsOf: values, at: 0, new.columnKey, of: key, in: targetBinding.table)
        } else {
          let value = try table.value(of: property, at: position)
          if value == property.defaultValue { continue }
          try objects.set(
            translated(value, new, keys), new.columnKey, of: key, in: targetBinding.table)
        }
      }
    }
  }

  /// A value with its link, if it is one, to the new object.
  private static func translated(
    _ value: StoredValue, _ property: PropertyDescription,
    _ keys: [TableKey: [ObjectKey: ObjectKey]]
  ) -> StoredValue {
    guard case .link(let table, let key) = value, let new = keys[table]?[key] else { return value }
    return .link(property.targetTable, new)
  }
}
