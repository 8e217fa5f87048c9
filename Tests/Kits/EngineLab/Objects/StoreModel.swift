import ObjectStore

/// What an object store should hold, as plain values.
public struct StoreModel: Sendable {
  public enum Content: Hashable, Sendable {
    case value(StoredValue)
    case list([StoredValue])
  }

  public typealias Object = [ColumnKey: Content]

  public struct Table: Sendable {
    /// Rising.
    public internal(set) var keys: [ObjectKey] = []
    public internal(set) var objects: [ObjectKey: Object] = [:]
  }

  /// A property of an object that was set, or a list that was changed.
  public struct Touch: Hashable, Sendable {
    public var table: TableKey
    public var column: ColumnKey
    public var object: ObjectKey
  }

  /// As stored: classes and properties have their keys.
  public private(set) var schema = SchemaDescription(classes: [])
  public private(set) var tables: [Table] = []
  /// What was touched since this was last emptied, in objects old and new.
  public var touched: Set<Touch> = []

  public init() {}

  public subscript(table: TableKey) -> Table { tables[Int(table.rawValue)] }

  public func description(_ table: TableKey) -> ClassDescription {
    schema.classes[Int(table.rawValue)]
  }

  public func object(_ key: ObjectKey, in table: TableKey) -> Object? { self[table].objects[key] }

  public func value(_ column: ColumnKey, of key: ObjectKey, in table: TableKey) -> StoredValue {
    guard case .value(let value)? = object(key, in: table)?[column] else { return .null }
    return value
  }

  public func list(_ column: ColumnKey, of key: ObjectKey, in table: TableKey) -> [StoredValue] {
    guard case .list(let elements)? = object(key, in: table)?[column] else { return [] }
    return elements
  }

  // MARK: Changes

  /// Takes over a schema with as many classes and properties or more; objects get what is new.
  mutating func adopt(_ stored: SchemaDescription) {
    let old = schema
    schema = stored
    while tables.count < stored.classes.count { tables.append(Table()) }
    for (index, description) in stored.classes.enumerated() {
      let known = index < old.classes.count ? old.classes[index].properties.count : 0
      for property in description.properties.dropFirst(known) {
        for key in tables[index].keys {
          tables[index].objects[key]![property.columnKey] = StoreModel.later(property)
        }
      }
    }
  }

  static func fresh(_ property: PropertyDescription) -> Content {
    property.collection == .list ? .list([]) : .value(property.defaultValue)
  }

  /// What a property has in objects that were there before it: dates begin in 1970.
  private static func later(_ property: PropertyDescription) -> Content {
    if case .value(.date) = fresh(property) { return .value(.date(-978_307_200)) }
    return fresh(property)
  }

  mutating func create(_ key: ObjectKey, in table: TableKey) {
    var object = Object()
    for property in description(table).properties {
      object[property.columnKey] = StoreModel.fresh(property)
    }
    tables[Int(table.rawValue)].keys.append(key)
    tables[Int(table.rawValue)].objects[key] = object
  }

  /// Without a touch: a primary key, when the object is made.
  mutating func initialize(
    _ column: ColumnKey, of key: ObjectKey, in table: TableKey, to value: StoredValue
  ) {
    tables[Int(table.rawValue)].objects[key]![column] = .value(value)
  }

  mutating func set(
    _ column: ColumnKey, of key: ObjectKey, in table: TableKey, to content: Content
  ) {
    tables[Int(table.rawValue)].objects[key]![column] = content
    touched.insert(Touch(table: table, column: column, object: key))
  }

  /// Takes an object out: links to it become null, lists of objects lose it.
  mutating func delete(_ key: ObjectKey, in table: TableKey) {
    let place = tables[Int(table.rawValue)].keys.firstIndex(of: key)!
    tables[Int(table.rawValue)].keys.remove(at: place)
    tables[Int(table.rawValue)].objects[key] = nil
    let gone = StoredValue.link(table, key)
    for description in schema.classes {
      for property in description.properties
      where property.kind == .any || (property.kind == .object && property.targetTable == table) {
        sever(gone, property, in: description.tableKey)
      }
    }
  }

  private mutating func sever(
    _ gone: StoredValue, _ property: PropertyDescription, in table: TableKey
  ) {
    let column = property.columnKey
    for key in self[table].keys {
      switch self[table].objects[key]![column]! {
      case .value(let value) where value == gone: set(column, of: key, in: table, to: .value(.null))
      case .list(let elements) where elements.contains(gone):
        let rest =
          property.kind == .object
          ? elements.filter { $0 != gone } : elements.map { $0 == gone ? .null : $0 }
        set(column, of: key, in: table, to: .list(rest))
      default: break
      }
    }
  }

  // MARK: Backlinks

  /// A hidden column of a class.
  struct HiddenColumn: Hashable {
    var table: TableKey
    var column: ColumnKey
  }

  /// For each hidden column and target the objects that link there, rising, once for each link.
  func backlinks() -> [HiddenColumn: [ObjectKey: [ObjectKey]]] {
    var result: [HiddenColumn: [ObjectKey: [ObjectKey]]] = [:]
    for description in schema.classes {
      for property in description.properties
      where property.kind == .any || property.kind == .object {
        for key in self[description.tableKey].keys {
          let content = self[description.tableKey].objects[key]![property.columnKey]!
          for case .link(let table, let target) in content.values {
            guard
              let hidden = self.description(table).backlinkColumn(
                from: description.tableKey, property.columnKey)
            else { continue }
            result[HiddenColumn(table: table, column: hidden), default: [:]][target, default: []]
              .append(key)
          }
        }
      }
    }
    return result
  }
}

extension StoreModel.Content {
  var values: [StoredValue] {
    switch self {
    case .value(let value): [value]
    case .list(let elements): elements
    }
  }
}

/// The store and the model disagree, or the store broke a rule of its own.
public struct Disagreement: Error, CustomStringConvertible {
  public var description: String

  public init(_ description: String) { self.description = description }
}

/// Throws `Disagreement` with `message` unless `condition` holds.
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw Disagreement(message()) }
}
