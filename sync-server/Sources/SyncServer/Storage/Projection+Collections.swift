import ObjectStore
import Storage
import SyncProtocol

// Collections: written as a whole where something in them has changed.
extension Projection {
  mutating func writeCollection(
    _ source: Source, _ property: RealSchema.RealProperty, _ type: RealSchema.RealClass,
    _ row: RowKey, depth: Int
  ) throws(StorageError) {
    let slot = Slot.property(property.name)
    let container =
      source.object.container(madeBy: slot, of: source.container)
      ?? ContainerID(declaredBy: property.name, in: source.container)
    let description = property.description
    let ownsElements = isEmbedded(description)
    let newest =
      ownsElements || description.kind == .any
      ? source.object.newestVersion(within: container) : source.object.version(of: container)
    guard source.isNewer(slot) || newest > source.since else { return }
    switch (description.collection, source.object.kind(of: container)) {
    case (.map, .map):
      try writeMap(source.object, container, description, type, row, depth: depth)
    case (.list, .list) where ownsElements:
      try writeEmbeddedList(source.object, container, description, type, row, depth: depth)
    case (.list, .list):
      var values: [StoredValue] = []
      for element in source.object.elements(of: container) {
        let slot = Slot.item(element)
        guard let cell = source.object.value(slot, of: container) else { continue }
        let value = try stored(cell, at: slot, of: container, source.object, description, depth)
        if let value = value ?? (description.kind == .any ? .null : nil) { values.append(value) }
      }
      try replaceList(with: values, description, type, row)
    case (.set, .set):
      var values: [StoredValue] = []
      for slot in source.object.slots(of: container) {
        guard case .member(let name) = slot, let cell = source.object.value(slot, of: container)
        else { continue }
        let member = cell.member(named: name, in: description)
        let value = try stored(member, at: slot, of: container, source.object, description, depth)
        if let value { values.append(value) }
      }
      try transaction.listClear(description.columnKey, of: row, in: type.table)
      try transaction.setInsert(values, description.columnKey, of: row, in: type.table)
    case (.map, _): try transaction.mapClear(description, of: row, in: type.table)
    default: try transaction.listClear(description.columnKey, of: row, in: type.table)
    }
  }

  /// Changes a list only where it differs, from its first to its last difference.
  private func replaceList(
    with values: [StoredValue], _ property: PropertyDescription, _ type: RealSchema.RealClass,
    _ row: RowKey
  ) throws(StorageError) {
    let list = try transaction.list(property.columnKey, of: row, in: type.table)
    var start = 0
    while start < min(list.count, values.count),
      try list.value(at: start).isIdentical(to: values[start])
    { start += 1 }
    var end = 0
    while end < min(list.count, values.count) - start,
      try list.value(at: list.count - 1 - end).isIdentical(to: values[values.count - 1 - end])
    { end += 1 }
    let count = list.count
    if start < count - end {
      try transaction.listRemove(
        start..<(count - end), property.columnKey, of: row, in: type.table)
    }
    if start < values.count - end {
      try transaction.listInsert(
        contentsOf: values[start..<(values.count - end)], at: start, property.columnKey, of: row,
        in: type.table)
    }
  }

  private mutating func writeEmbeddedList(
    _ object: ServerObject, _ container: ContainerID, _ property: PropertyDescription,
    _ type: RealSchema.RealClass, _ row: RowKey, depth: Int
  ) throws(StorageError) {
    try transaction.listClear(property.columnKey, of: row, in: type.table)
    guard let name = schema.type(of: property.targetTable), let target = schema[name] else {
      return
    }
    let made = object.elements(of: container).compactMap {
      object.container(madeBy: .item($0), of: container)
    }
    if made.isEmpty { return }
    let first = try transaction.listInsertEmbedded(
      count: made.count, at: 0, property.columnKey, of: row, in: type.table)
    for (offset, child) in made.enumerated() {
      let key = RowKey(rawValue: first.rawValue + Int64(offset))
      try write(
        Source(object: object, container: child, since: .zero), target, key, depth: depth + 1)
    }
  }

  private mutating func writeMap(
    _ object: ServerObject, _ container: ContainerID, _ property: PropertyDescription,
    _ type: RealSchema.RealClass, _ row: RowKey, depth: Int
  ) throws(StorageError) {
    try transaction.mapClear(property, of: row, in: type.table)
    let target = isEmbedded(property) ? schema.type(of: property.targetTable) : nil
    for slot in object.slots(of: container) {
      guard case .key(let key) = slot, let cell = object.value(slot, of: container) else {
        continue
      }
      if let target, let embedded = schema[target] {
        guard let child = object.container(madeBy: slot, of: container) else {
          if cell == .null {
            try transaction.mapSet(.null, forKey: key.string, property, of: row, in: type.table)
          }
          continue
        }
        let made = try transaction.mapSetEmbedded(
          forKey: key.string, property, of: row, in: type.table)
        try write(
          Source(object: object, container: child, since: .zero), embedded, made, depth: depth + 1)
      } else {
        let value = try stored(cell, at: slot, of: container, object, property, depth)
        // A link to what is not there is null, as one is to what is deleted later.
        let hasNull = property.kind == .object || property.kind == .any
        if let value = value ?? (hasNull ? .null : nil) {
          try transaction.mapSet(value, forKey: key.string, property, of: row, in: type.table)
        }
      }
    }
  }
}

// Lists and maps that are values of any kind.
extension Projection {
  /// A new collection with what a container holds, as the value that stands for it.
  mutating func nested(
    _ container: ContainerID, _ object: ServerObject, depth: Int
  ) throws(StorageError) -> StoredValue? {
    if depth > Self.depthMax { return nil }
    let kind = object.kind(of: container)
    // Embedded objects are no values of any kind.
    if case .object = kind { return nil }
    let made = try transaction.createNested(kind == .map ? .map : .list)
    guard
      let elements = transaction.schema.description.description(of: made.table)?
        .property(named: "elements")
    else { return nil }
    if kind == .map {
      for slot in object.slots(of: container) {
        guard case .key(let key) = slot, let cell = object.value(slot, of: container) else {
          continue
        }
        let value = try stored(cell, at: slot, of: container, object, elements, depth)
        try transaction.mapSet(
          value ?? .null, forKey: key.string, elements, of: made.object, in: made.table)
      }
      return .link(made.table, made.object)
    }
    var slots: [Slot] = object.elements(of: container).map { .item($0) }
    if kind == .set { slots = object.slots(of: container) }
    var values: [StoredValue] = []
    for slot in slots {
      let cell: CellValue? =
        if case .member(let name) = slot {
          object.value(slot, of: container)?.member(named: name, in: elements)
        } else {
          object.value(slot, of: container)
        }
      var value: StoredValue?
      if let cell {
        value = try stored(cell, at: slot, of: container, object, elements, depth)
      }
      values.append(value ?? .null)
    }
    try transaction.listInsert(
      contentsOf: values, at: 0, elements.columnKey, of: made.object, in: made.table)
    return .link(made.table, made.object)
  }
}
