import ObjectStore
import Storage

/// Compares everything that a version holds with its model, through every way of reading.
public struct StoreComparison {
  let model: StoreModel
  let view: StoreView
  private let backlinks: [StoreModel.HiddenColumn: [ObjectKey: [ObjectKey]]]

  private init(_ model: StoreModel, _ view: StoreView) {
    self.model = model
    self.view = view
    backlinks = model.backlinks()
  }

  /// Throws `Disagreement` unless the version holds exactly what the model does.
  public static func requireEqual(_ model: StoreModel, _ view: StoreView) throws {
    try require(view.schema == model.schema, "the schema is another")
    try StoreComparison(model, view).compareTables()
  }

  private func compareTables() throws {
    for description in model.schema.classes {
      guard let table = try view.table(description.tableKey) else {
        throw Disagreement("\(description.name) has no table")
      }
      do { try compare(table, description) } catch let disagreement as Disagreement {
        throw Disagreement("\(description.name): \(disagreement.description)")
      }
    }
  }

  private func compare(_ table: Table, _ description: ClassDescription) throws {
    let expected = model[table.key]
    try require(
      table.count == expected.keys.count, "\(table.count) objects, not \(expected.keys.count)")
    var clusters = table.clusters()
    var place = 0
    while let cluster = try clusters.next() {
      for row in 0..<cluster.count {
        let position = ObjectPosition(cluster: cluster, row: row)
        let key = position.key
        try require(
          place < expected.keys.count && expected.keys[place] == key,
          "object \(key.rawValue) at \(place) was not expected")
        try compareWays(table, key, place)
        try compare(table, description, position)
        place += 1
      }
    }
    try require(place == expected.keys.count, "the clusters have \(place) objects")
    try compareAbsent(table)
    for property in description.properties where property.isPrimaryKey || property.isIndexed {
      try IndexComparison(table: table, property: property, objects: expected).run()
    }
  }

  private func compareWays(_ table: Table, _ key: ObjectKey, _ place: Int) throws {
    try require(try table.find(key)?.key == key, "object \(key.rawValue) is not found")
    try require(try table.index(of: key) == place, "object \(key.rawValue) has no place")
    try require(try table.position(at: place).key == key, "at \(place) is another object")
  }

  private func compareAbsent(_ table: Table) throws {
    let next = try table.nextKey()
    try require(next > model[table.key].keys.last ?? ObjectKey(rawValue: -1), "next key \(next)")
    for key in [next, ObjectKey(rawValue: -1), ObjectKey(rawValue: .max)] {
      try require(try table.find(key) == nil, "an object with key \(key.rawValue)")
    }
  }

  private func compare(
    _ table: Table, _ description: ClassDescription, _ position: ObjectPosition
  ) throws {
    let key = position.key
    let object = model[table.key].objects[key]!
    for property in description.properties {
      let found = try Self.content(table, property, position)
      let expected = object[property.columnKey]!
      try require(
        found == expected,
        "[\(key.rawValue)].\(property.name) is \(found), expected \(expected)")
      guard property.collection == .map else { continue }
      let keys = try Self.content(table, property.mapKeys, position)
      try require(
        keys == object[property.mapKeys.columnKey]!,
        "[\(key.rawValue)].\(property.name) has the keys \(keys)")
    }
    for backlink in description.backlinks {
      let hidden = StoreModel.HiddenColumn(table: table.key, column: backlink.columnKey)
      let expected = backlinks[hidden]?[key] ?? []
      let found = try table.backlinks(backlink.columnKey, at: position)
      try require(
        found.count == expected.count, "[\(key.rawValue)] has \(found.count) backlinks")
      try require(try found.keys() == expected, "[\(key.rawValue)] has other backlinks")
      for (index, origin) in expected.enumerated().prefix(3) {
        try require(try found.key(at: index) == origin, "[\(key.rawValue)] backlink \(index)")
        try require(
          try found.count(from: origin) == expected.count { $0 == origin },
          "[\(key.rawValue)] backlinks from \(origin.rawValue)")
      }
    }
  }

  static func content(
    _ table: Table, _ property: PropertyDescription, _ position: ObjectPosition
  ) throws -> StoreModel.Content {
    if property.collection == .none {
      return .value(try table.value(of: property, at: position))
    }
    let list = try table.list(of: property, at: position)
    return .list(try (0..<list.count).map { try list.value(at: $0) })
  }
}

/// Compares what an index says with what the objects of the model have.
struct IndexComparison {
  let table: Table
  let property: PropertyDescription
  let objects: StoreModel.Table

  func run() throws {
    guard let index = try table.index(of: property) else {
      throw Disagreement("\(property.name) has no index")
    }
    var byValue: [StoredValue: [ObjectKey]] = [:]
    for key in objects.keys {
      guard case .value(let value) = objects.objects[key]![property.columnKey]! else { continue }
      byValue[value, default: []].append(key)
    }
    for (value, same) in byValue {
      let keys = property.kind == .any ? equalInAnyKind(value, byValue) : same
      try require(
        try index.keys(equal: value) == keys, "the index of \(property.name) for \(value)")
      try require(
        try index.count(equal: value) == keys.count, "the count of \(property.name) \(value)")
      guard property.isPrimaryKey else { continue }
      try require(
        try table.find(primaryKey: value, property) == keys[0] && keys.count == 1,
        "primary key \(value)")
    }
    if property.isPrimaryKey, byValue[.int(77_777)] == nil, property.kind == .int {
      try require(try table.find(primaryKey: .int(77_777), property) == nil, "a key not there")
    }
    if index.isOrdered { try compareOrder(index, byValue) }
  }

  /// Numbers of all kinds are found by their values.
  private func equalInAnyKind(
    _ value: StoredValue, _ byValue: [StoredValue: [ObjectKey]]
  ) -> [ObjectKey] {
    byValue.filter { ModelOrder.compare($0.key, value) == 0 }.flatMap(\.value).sorted()
  }

  private func compareOrder(_ index: ColumnIndex, _ byValue: [StoredValue: [ObjectKey]]) throws {
    let entries = byValue.flatMap { (value, keys) in
      keys.compactMap { key in
        ColumnIndex.orderedKey(value).map { IndexPair($0, key.rawValue) }
      }
    }.sorted()
    try require(try index.nullCount == (byValue[.null]?.count ?? 0), "nulls of \(property.name)")
    for place in [0, entries.count / 2, entries.count - 1] where entries.indices.contains(place) {
      try require(
        try index.entry(at: place) == entries[place], "entry \(place) of \(property.name)")
      let low = entries[place / 2].value
      let high = entries[place].value
      let within = entries.filter { low <= $0.value && $0.value <= high }
      try require(
        try index.count(from: low, through: high) == within.count, "a range of \(property.name)")
      try require(
        try index.keys(from: low, through: high).map(\.rawValue) == within.map(\.key),
        "the objects of a range of \(property.name)")
      try require(
        try index.rank(of: low) == entries.count { $0.value < low }, "rank in \(property.name)")
    }
  }
}
