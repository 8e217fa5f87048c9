import TestSupport
import Testing

@testable import ObjectStore
@testable import Storage

/// A plain in-memory account of what a store should hold, and random operations on both.
struct RowsModel {
  enum Content: Equatable {
    case value(StoredValue)
    case list([StoredValue])
  }

  typealias Object = [ColumnKey: Content]

  var tables: [[ObjectKey: Object]] = [[:], [:]]
  let schema: SchemaDescription

  init(schema: SchemaDescription) { self.schema = schema }

  func fresh(_ table: TableKey) -> Object {
    var object = Object()
    for property in schema.classes[Int(table.rawValue)].properties {
      object[property.columnKey] =
        property.collection == .list ? .list([]) : .value(property.defaultValue)
    }
    return object
  }

  /// What happens to links when `key` goes.
  mutating func delete(_ key: ObjectKey, in table: TableKey) {
    tables[Int(table.rawValue)][key] = nil
    let gone = StoredValue.link(table, key)
    for index in tables.indices {
      let properties = schema.classes[index].properties.filter {
        $0.kind == .object || $0.kind == .any
      }
      for (other, object) in tables[index] {
        for property in properties {
          switch object[property.columnKey]! {
          case .value(gone): tables[index][other]![property.columnKey] = .value(.null)
          case .list(let elements) where elements.contains(gone):
            let rest =
              property.kind == .object
              ? elements.filter { $0 != gone } : elements.map { $0 == gone ? .null : $0 }
            tables[index][other]![property.columnKey] = .list(rest)
          default: break
          }
        }
      }
    }
  }

  /// Compares everything with what the store holds.
  func expectEqual(_ table: (TableKey) throws -> Table) throws {
    for (index, objects) in tables.enumerated() {
      let key = TableKey(rawValue: UInt32(index))
      let stored = try table(key)
      let properties = schema.classes[index].properties
      try #require(stored.count == objects.count)
      var clusters = stored.clusters()
      var place = 0
      while let cluster = try clusters.next() {
        for row in 0..<cluster.count {
          let position = ObjectPosition(cluster: cluster, row: row)
          let object = try #require(objects[position.key])
          try #require(try stored.position(at: place).key == position.key)
          try #require(try stored.index(of: position.key) == place)
          place += 1
          for property in properties {
            let content = try RowsModel.content(stored, property, position)
            try #require(content == object[property.columnKey])
          }
        }
      }
      try expectIndexes(stored, properties, objects)
    }
  }

  private func expectIndexes(
    _ stored: Table, _ properties: [PropertyDescription], _ objects: [ObjectKey: Object]
  ) throws {
    for property in properties where property.isIndexed || property.isPrimaryKey {
      let index = try #require(try stored.index(of: property))
      var byValue: [StoredValue: [ObjectKey]] = [:]
      for (key, object) in objects {
        guard case .value(let value) = object[property.columnKey]! else { continue }
        byValue[value, default: []].append(key)
      }
      for (value, keys) in byValue {
        try #require(try index.keys(equal: value) == keys.sorted())
        try #require(try index.count(equal: value) == keys.count)
      }
      if property.isPrimaryKey, let (value, keys) = byValue.randomElement() {
        try #require(try stored.find(primaryKey: value, property) == keys[0])
      }
    }
  }

  static func content(
    _ table: Table, _ property: PropertyDescription, _ position: ObjectPosition
  ) throws -> Content {
    if property.collection == .none {
      return .value(try table.value(of: property, at: position))
    }
    let list = try table.list(of: property, at: position)
    return .list(try (0..<list.count).map { try list.value(at: $0) })
  }
}

/// Random operations on a transaction and its model alike.
struct RowsOperations {
  var generator: SeededGenerator
  var model: RowsModel
  /// How many objects a table may reach before more are deleted than made.
  var objectsWanted: Int
  var listElementsWanted: Int

  mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

  mutating func anyKey(_ table: TableKey) -> ObjectKey? {
    let keys = model.tables[Int(table.rawValue)].keys
    return keys.isEmpty ? nil : keys.sorted()[pick(keys.count)]
  }

  mutating func step(_ transaction: ObjectTransaction) throws {
    let table = TableKey(rawValue: UInt32(pick(2)))
    let count = model.tables[Int(table.rawValue)].count
    let choice = pick(100)
    if choice < (count < objectsWanted ? 30 : 10) || count == 0 {
      try create(transaction, table)
    } else if choice < 40 {
      let key = anyKey(table)!
      try transaction.deleteObject(key, in: table)
      model.delete(key, in: table)
    } else if choice == 41, pick(4) == 0 {
      var keys = model.tables[Int(table.rawValue)].keys.sorted()
      let start = pick(keys.count)
      if pick(2) == 0 { keys.shuffle(using: &generator) }
      keys = Array(keys[start...].prefix(1 + pick(keys.count)))
      try transaction.deleteObjects(
        keys + [keys[0], ObjectKey(rawValue: 1 << 40)], in: table)
      for key in keys { model.delete(key, in: table) }
    } else if choice == 40, pick(20) == 0 {
      try transaction.deleteAllObjects(in: table)
      for key in model.tables[Int(table.rawValue)].keys.sorted() {
        model.delete(key, in: table)
      }
    } else {
      try change(transaction, table, anyKey(table)!)
    }
  }

  private mutating func create(_ transaction: ObjectTransaction, _ table: TableKey) throws {
    let description = model.schema.classes[Int(table.rawValue)]
    guard let primaryKey = description.primaryKey else {
      let key = try transaction.createObject(in: table)
      model.tables[Int(table.rawValue)][key] = model.fresh(table)
      return
    }
    let value = StoredValue.int(Int64(pick(2 * objectsWanted)) - 5)
    let existing = model.tables[Int(table.rawValue)].first {
      $0.value[primaryKey.columnKey] == .value(value)
    }?.key
    let (key, isNew) = try transaction.createObject(in: table, primaryKey: value)
    #expect(isNew == (existing == nil))
    if let existing { return #expect(existing == key) }
    var object = model.fresh(table)
    object[primaryKey.columnKey] = .value(value)
    model.tables[Int(table.rawValue)][key] = object
  }

  private mutating func change(
    _ transaction: ObjectTransaction, _ table: TableKey, _ key: ObjectKey
  ) throws {
    let properties = model.schema.classes[Int(table.rawValue)].properties
    let property = properties[pick(properties.count)]
    if property.isPrimaryKey { return }
    guard case .list(let old) = model.tables[Int(table.rawValue)][key]![property.columnKey]! else {
      let value = randomValue(property)
      try set(transaction, value, property, key, table)
      model.tables[Int(table.rawValue)][key]![property.columnKey] = .value(value)
      return
    }
    let new = try changeList(transaction, old, property, key, table)
    model.tables[Int(table.rawValue)][key]![property.columnKey] = .list(new)
  }

  /// By the typed setter half of the time.
  private mutating func set(
    _ transaction: ObjectTransaction, _ value: StoredValue, _ property: PropertyDescription,
    _ key: ObjectKey, _ table: TableKey
  ) throws {
    let column = property.columnKey
    if property.kind == .any || pick(2) == 0 {
      return try transaction.set(value, column, of: key, in: table)
    }
    switch value {
    case .int(let value): try transaction.setInt(value, column, of: key, in: table)
    case .bool(let value): try transaction.setBool(value, column, of: key, in: table)
    case .string(let value) where property.kind == .string:
      try transaction.setString(value, column, of: key, in: table)
    case .double(let value), .date(let value):
      try transaction.setDouble(value, column, of: key, in: table)
    case .float(let value): try transaction.setFloat(value, column, of: key, in: table)
    case .link(_, let target) where property.kind == .object:
      try transaction.setLink(target, column, of: key, in: table)
    default: try transaction.set(value, column, of: key, in: table)
    }
  }

  private mutating func changeList(
    _ transaction: ObjectTransaction, _ old: [StoredValue], _ property: PropertyDescription,
    _ key: ObjectKey, _ table: TableKey
  ) throws -> [StoredValue] {
    var elements = old
    let column = property.columnKey
    let element = { (self: inout RowsOperations) in self.randomElement(property) }
    let count = old.count
    var choice = pick(10)
    if count == 0 || (choice < 5 && count < listElementsWanted) { choice = pick(5) }
    switch choice {
    case 0...3:
      guard let value = element(&self) else { return old }
      let index = pick(count + 1)
      try transaction.listInsert(value, at: index, column, of: key, in: table)
      elements.insert(value, at: index)
    case 4:
      let values = (0..<pick(listElementsWanted)).compactMap { _ in element(&self) }
      let index = pick(2) == 0 ? count : pick(count + 1)
      try transaction.listInsert(contentsOf: values, at: index, column, of: key, in: table)
      elements.insert(contentsOf: values, at: index)
    case 5:
      guard let value = element(&self) else { return old }
      let index = pick(count)
      try transaction.listSet(value, at: index, column, of: key, in: table)
      elements[index] = value
    case 6:
      let start = pick(count)
      let range = start..<min(count, start + 1 + pick(4))
      try transaction.listRemove(range, column, of: key, in: table)
      elements.removeSubrange(range)
    case 7:
      let (from, to) = (pick(count), pick(count))
      try transaction.listMove(from: from, to: to, column, of: key, in: table)
      elements.insert(elements.remove(at: from), at: to)
    case 8:
      let (left, right) = (pick(count), pick(count))
      try transaction.listSwap(left, right, column, of: key, in: table)
      elements.swapAt(left, right)
    default:
      if pick(4) != 0 { return old }
      try transaction.listClear(column, of: key, in: table)
      elements = []
    }
    return elements
  }

  // MARK: Values

  private mutating func randomElement(_ property: PropertyDescription) -> StoredValue? {
    let value = randomValue(property)
    return value == .null && !(property.isOptional || property.kind == .any) ? nil : value
  }

  private mutating func randomValue(_ property: PropertyDescription) -> StoredValue {
    if property.isOptional, pick(4) == 0 { return .null }
    switch property.kind {
    case .object:
      guard let key = anyKey(property.targetTable) else { return .null }
      return .link(property.targetTable, key)
    case .any:
      if pick(3) == 0 {
        let table = TableKey(rawValue: UInt32(pick(2)))
        guard let key = anyKey(table) else { return .null }
        return .link(table, key)
      }
      let kinds = ValueKind.allCases.filter { $0 != .any && $0 != .object }
      return randomScalar(kinds[pick(kinds.count)])
    default: return randomScalar(property.kind)
    }
  }

  private mutating func randomScalar(_ kind: ValueKind) -> StoredValue {
    switch kind {
    case .int:
      let bits = [0, 1, 2, 7, 8, 15, 16, 31, 33, 63][pick(10)]
      return .int(Int64(truncatingIfNeeded: generator.next()) >> Int64(63 - bits))
    case .bool: return .bool(pick(2) == 0)
    case .string:
      let lengths = [0, 1, 5, 20, 254, 255, 256, 700]
      return .string(String(repeating: "ä"[...].first!, count: lengths[pick(8)] / 2) + "\(pick(9))")
    case .data:
      let length = [0, 1, 9, 255, 256, 5000][pick(6)]
      return .data((0..<length).map { UInt8(truncatingIfNeeded: $0 + length) })
    case .date: return .date(Double(pick(40) - 20) / 4)
    case .float: return .float(Float(pick(1000)) / 8)
    case .double: return .double(Double(pick(1000)) / 8)
    case .objectId: return .objectId(ObjectIdBytes(head: UInt64(pick(9)), tail: 7))
    case .uuid: return .uuid(UUIDBytes(head: UInt64(pick(9)), tail: 1))
    case .decimal128: return .decimal128(DecimalBits(low: UInt64(1 + pick(9)), high: 5))
    case .object, .any: return .null
    }
  }
}
