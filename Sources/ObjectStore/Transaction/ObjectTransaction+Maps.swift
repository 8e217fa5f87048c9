import Storage

// Maps of an object: a list of values, and in a hidden column the set of their keys.
extension ObjectTransaction {
  package func map(
    _ property: PropertyDescription, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) -> MapView {
    MapView(
      keys: try list(property.keyColumn, of: object, in: table),
      values: try list(property.columnKey, of: object, in: table))
  }

  /// Gives a key a value, which it did or did not have.
  public func mapSet(
    _ value: StoredValue, forKey key: String, _ property: PropertyDescription,
    of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let place = try map(property, of: object, in: table).place(of: key)
    if place.isFound {
      return try listSet(value, at: place.index, property.columnKey, of: object, in: table)
    }
    try listInsert(.string(key), at: place.index, property.keyColumn, of: object, in: table)
    try listInsert(value, at: place.index, property.columnKey, of: object, in: table)
  }

  /// Takes a key out, if it is there, and its value with it.
  package func mapRemove(
    _ key: String, _ property: PropertyDescription, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let place = try map(property, of: object, in: table).place(of: key)
    guard place.isFound else { return }
    let range = place.index..<place.index + 1
    try listRemove(range, property.keyColumn, of: object, in: table)
    try listRemove(range, property.columnKey, of: object, in: table)
  }

  /// Takes all keys out.
  public func mapClear(
    _ property: PropertyDescription, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try listClear(property.keyColumn, of: object, in: table)
    try listClear(property.columnKey, of: object, in: table)
  }
}
