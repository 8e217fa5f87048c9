/// Objects of several classes that a change concerns.
struct TouchedObjects {
  private(set) var tables: [TableKey: KeySet] = [:]

  var isEmpty: Bool { tables.isEmpty }

  /// Those of a class.
  subscript(table: TableKey) -> KeySet { tables[table] ?? KeySet() }

  /// Whether the value is a link to one of them.
  func contains(_ value: StoredValue) -> Bool {
    if case .link(let table, let object) = value { contains(object, of: table) } else { false }
  }

  func contains(_ object: ObjectKey, of table: TableKey) -> Bool {
    tables[table]?.contains(object) ?? false
  }

  /// Adds objects of a class; there are none of a class that has no entry.
  mutating func add(_ objects: KeySet, of table: TableKey) {
    if !objects.isEmpty { tables[table] = self[table].union(objects) }
  }

  mutating func add(_ others: TouchedObjects) {
    for (table, objects) in others.tables { add(objects, of: table) }
  }
}
