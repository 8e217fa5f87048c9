import ObjectStore
import TestSupport

/// Random operations on a transaction and on its model alike.
public struct ObjectOperations: Sendable {
  /// How large things get.
  public struct Sizes: Sendable {
    /// Objects that a table may reach before more are deleted than made.
    public var objects: Int
    public var listElements: Int

    public init(objects: Int, listElements: Int) {
      self.objects = objects
      self.listElements = listElements
    }
  }

  public var random: SeededGenerator
  public var model: StoreModel
  public let sizes: Sizes

  public init(seed: UInt64, model: StoreModel, sizes: Sizes) {
    random = SeededGenerator(seed: seed)
    self.model = model
    self.sizes = sizes
  }

  mutating func pick(_ count: Int) -> Int { random.below(count) }

  mutating func anyKey(_ table: TableKey) -> ObjectKey? {
    let keys = model[table].keys
    return keys.isEmpty ? nil : keys[pick(keys.count)]
  }

  mutating func anyTable() -> TableKey {
    TableKey(rawValue: UInt32(pick(model.schema.classes.count)))
  }

  /// One of the tables whose objects exist by themselves.
  mutating func anyTopLevelTable() -> TableKey {
    let tables = model.schema.classes.filter { !$0.isEmbedded }.map(\.tableKey)
    return tables[pick(tables.count)]
  }

  /// Makes the file hold what is wanted of the schema.
  public mutating func apply(
    _ wanted: SchemaDescription, _ transaction: ObjectTransaction
  ) throws {
    let before = model.schema
    let hasChanged = try transaction.apply(wanted)
    let stored = transaction.schema.description
    try require(hasChanged || stored == before, "a schema changed and apply did not say so")
    for description in wanted.classes {
      guard let found = stored.description(of: description.name) else {
        throw Disagreement("class \(description.name) was not stored")
      }
      try require(found.isEmbedded == description.isEmbedded, "\(found.name) is of another kind")
      for property in description.properties {
        guard let other = found.property(named: property.name), other.kind == property.kind,
          other.collection == property.collection, other.isOptional == property.isOptional,
          other.isIndexed == property.isIndexed, other.isFullText == property.isFullText,
          other.linkTarget == property.linkTarget
        else { throw Disagreement("\(description.name).\(property.name) was not stored as asked") }
      }
    }
    model.adopt(stored)
  }

  /// One operation.
  public mutating func step(_ transaction: ObjectTransaction) throws {
    let table = anyTable()
    let count = model[table].keys.count
    let choice = pick(100)
    if model.description(table).isNestedCollection {
      if count > 0 { try change(transaction, table, anyKey(table)!) }
    } else if choice < (count < sizes.objects ? 25 : 8) || count == 0 {
      try create(transaction, table)
    } else if choice < 35 {
      try delete(transaction, table, choice)
    } else {
      try change(transaction, table, anyKey(table)!)
    }
    // Links in columns of any kind make hidden columns as they come.
    model.adopt(transaction.schema.description)
  }

  mutating func create(_ transaction: ObjectTransaction, _ table: TableKey) throws {
    if model.description(table).isEmbedded { return try embed(transaction, table) }
    guard let property = model.description(table).primaryKey else {
      let isFilled = pick(2) == 0
      let key = try transaction.createObject(in: table, isFilled: isFilled)
      model.create(key, in: table)
      return try fill(transaction, key, table, isFilled)
    }
    var value = ValueGenerator.scalar(property.kind, &random)
    if property.isOptional, pick(6) == 0 { value = .null }
    let existing = model[table].keys.first {
      model.value(property.columnKey, of: $0, in: table) == value
    }
    let isFilled = pick(2) == 0
    let (key, isNew) = try transaction.createObject(
      in: table, primaryKey: value, isFilled: isFilled)
    try require(
      isNew == (existing == nil), "primary key \(value) of \(model.description(table).name)")
    if let existing { return try require(key == existing, "\(value) found object \(key.rawValue)") }
    model.create(key, in: table)
    model.initialize(property.columnKey, of: key, in: table, to: value)
    try fill(transaction, key, table, isFilled)
  }

  /// Sets some properties of a new object, which may get into its indexes only by that, or with
  /// the next one that is made meanwhile.
  private mutating func fill(
    _ transaction: ObjectTransaction, _ key: ObjectKey, _ table: TableKey, _ isFilled: Bool
  ) throws {
    if !isFilled { return }
    if pick(8) == 0 { try create(transaction, table) }
    for _ in 0..<pick(6) { try change(transaction, table, key) }
    try transaction.finishFilling(table)
  }

  private mutating func delete(
    _ transaction: ObjectTransaction, _ table: TableKey, _ choice: Int
  ) throws {
    switch choice {
    case 34 where pick(25) == 0:
      try transaction.deleteAllObjects(in: table)
      for key in model[table].keys where model.object(key, in: table) != nil {
        model.delete(key, in: table)
      }
    case 33:
      var keys = (0..<pick(5)).compactMap { _ in anyKey(table) }
      keys.append(ObjectKey(rawValue: 1 << 40))
      try transaction.deleteObjects(keys, in: table)
      for key in Set(keys) where model.object(key, in: table) != nil {
        model.delete(key, in: table)
      }
    default:
      let key = anyKey(table)!
      try transaction.deleteObject(key, in: table)
      model.delete(key, in: table)
    }
  }

  private mutating func change(
    _ transaction: ObjectTransaction, _ table: TableKey, _ key: ObjectKey
  ) throws {
    let properties = model.description(table).properties
    let property = properties[pick(properties.count)]
    if property.isPrimaryKey { return }
    switch property.collection {
    case .none: break
    case .list: return try changeList(transaction, property, key, table)
    case .set: return try changeSet(transaction, property, key, table)
    case .map: return try changeMap(transaction, property, key, table)
    }
    if model.owns(property), pick(3) != 0 {
      return try setEmbedded(transaction, property, key, table)
    }
    let value = try anyValue(transaction, property, at: key, in: table)
    try set(transaction, value, property, key, table)
    model.set(property.columnKey, of: key, in: table, to: .value(value))
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
    case .null: try transaction.setNull(column, of: key, in: table)
    case .int(let value): try transaction.setInt(value, column, of: key, in: table)
    case .bool(let value): try transaction.setBool(value, column, of: key, in: table)
    case .string(let value): try transaction.setString(value, column, of: key, in: table)
    case .double(let value), .date(let value):
      try transaction.setDouble(value, column, of: key, in: table)
    case .float(let value): try transaction.setFloat(value, column, of: key, in: table)
    case .link(_, let target): try transaction.setLink(target, column, of: key, in: table)
    case .data(let bytes):
      let result = unsafe bytes.withUnsafeBytes { bytes in
        Result { try unsafe transaction.setBytes(bytes, column, of: key, in: table) }
      }
      try result.get()
    case .objectId, .uuid, .decimal128: try transaction.set(value, column, of: key, in: table)
    }
  }

  // MARK: Values

  /// A value to be put into the property at once: it may be a new list or map.
  mutating func anyValue(
    _ transaction: ObjectTransaction, _ property: PropertyDescription
  ) throws -> StoredValue {
    switch property.kind {
    case .object: return anyLink(property.targetTable)
    case .any:
      if property.collection != .set, pick(6) == 0 { return try nested(transaction) }
      if pick(5) == 0 { return .null }
      return pick(3) == 0 ? anyLink(anyTopLevelTable()) : ValueGenerator.unlinked(&random)
    default:
      if property.isOptional, pick(4) == 0 { return .null }
      return ValueGenerator.scalar(property.kind, &random)
    }
  }

  /// The same for a property that is no collection; an embedded object stays where it is, or goes.
  private mutating func anyValue(
    _ transaction: ObjectTransaction, _ property: PropertyDescription, at key: ObjectKey,
    in table: TableKey
  ) throws -> StoredValue {
    if !model.owns(property) { return try anyValue(transaction, property) }
    return pick(2) == 0 ? .null : model.value(property.columnKey, of: key, in: table)
  }

  private mutating func nested(_ transaction: ObjectTransaction) throws -> StoredValue {
    let (table, key) = try transaction.createNested(pick(2) == 0 ? .list : .map)
    model.adopt(transaction.schema.description)
    model.create(key, in: table)
    return .link(table, key)
  }

  private mutating func anyLink(_ table: TableKey) -> StoredValue {
    guard pick(8) != 0, let key = anyKey(table) else { return .null }
    return .link(table, key)
  }
}
