import ObjectStore

// Sets and maps: lists in order, the values of a map in the order of its keys.
extension ObjectOperations {
  /// One operation on a set.
  mutating func changeSet(
    _ transaction: ObjectTransaction, _ property: PropertyDescription, _ key: ObjectKey,
    _ table: TableKey
  ) throws {
    let column = property.columnKey
    let old = model.list(column, of: key, in: table)
    var elements = old
    switch pick(10) {
    case 0:
      try transaction.listClear(column, of: key, in: table)
      return model.set(column, of: key, in: table, to: .list([]))
    case 1...3:
      let values = (0..<1 + pick(3)).compactMap { _ in old.isEmpty ? nil : old[pick(old.count)] }
      try transaction.setRemove(values, column, of: key, in: table)
      elements.removeAll { values.contains($0) }
    default:
      let count = old.count < sizes.listElements ? 1 + pick(4) : 1
      let values = try (0..<count).map { _ in try anyValue(transaction, property) }.filter {
        property.isOptional || $0 != .null
      }
      try transaction.setInsert(values, column, of: key, in: table)
      for value in values { Self.insert(value, into: &elements) }
    }
    if elements != old { model.set(column, of: key, in: table, to: .list(elements)) }
  }

  /// In order, unless an equal element is there.
  private static func insert(_ value: StoredValue, into elements: inout [StoredValue]) {
    let place = elements.firstIndex { SetOrder.compare($0, value) != .less } ?? elements.count
    if place < elements.count, SetOrder.compare(elements[place], value) == .equal { return }
    elements.insert(value, at: place)
  }

  /// One operation on a map.
  mutating func changeMap(
    _ transaction: ObjectTransaction, _ property: PropertyDescription, _ key: ObjectKey,
    _ table: TableKey
  ) throws {
    var map = map(property, key, table)
    let name = "k\(pick(sizes.listElements))"
    let place = map.keys.firstIndex { $0 >= name } ?? map.keys.count
    let isThere = place < map.keys.count && map.keys[place] == name
    switch pick(10) {
    case 0 where pick(3) == 0:
      try transaction.mapClear(property, of: key, in: table)
      map = ([], [])
    case 0...2:
      try transaction.mapRemove(name, property, of: key, in: table)
      if !isThere { return }
      map.keys.remove(at: place)
      map.values.remove(at: place)
    default:
      guard let value = try newValue(transaction, property, key, table, name) else { return }
      if isThere {
        map.values[place] = value
        return model.set(property.columnKey, of: key, in: table, to: .list(map.values))
      }
      map.keys.insert(name, at: place)
      map.values.insert(value, at: place)
    }
    model.set(
      property.mapKeys.columnKey, of: key, in: table, to: .list(map.keys.map { .string($0) }))
    model.set(property.columnKey, of: key, in: table, to: .list(map.values))
  }

  /// Gives the key a value, which is returned; nil if there is none to give.
  private mutating func newValue(
    _ transaction: ObjectTransaction, _ property: PropertyDescription, _ key: ObjectKey,
    _ table: TableKey, _ name: String
  ) throws -> StoredValue? {
    if model.owns(property), pick(4) != 0 {
      let made = try transaction.mapSetEmbedded(
        forKey: name, property, of: key, in: table)
      model.create(made, in: property.targetTable)
      return .link(property.targetTable, made)
    }
    let value = model.owns(property) ? .null : try anyValue(transaction, property)
    if value == .null, !property.isOptional { return nil }
    try transaction.mapSet(value, forKey: name, property, of: key, in: table)
    return value
  }

  private func map(
    _ property: PropertyDescription, _ key: ObjectKey, _ table: TableKey
  ) -> (keys: [String], values: [StoredValue]) {
    let keys = model.list(property.mapKeys.columnKey, of: key, in: table).map { stored in
      if case .string(let text) = stored { text } else { "" }
    }
    return (keys, model.list(property.columnKey, of: key, in: table))
  }
}
