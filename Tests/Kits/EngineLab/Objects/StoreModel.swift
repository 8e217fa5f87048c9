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

  /// What a version holds.
  init(reading view: StoreView) throws {
    schema = view.schema
    for description in view.schema.classes {
      var contents = Table()
      if let table = try view.table(description.tableKey) {
        var clusters = table.clusters()
        while let cluster = try clusters.next() {
          for row in 0..<cluster.count {
            let position = ObjectPosition(cluster: cluster, row: row)
            contents.keys.append(position.key)
            contents.objects[position.key] = try Self.object(table, description, position)
          }
        }
      }
      tables.append(contents)
    }
  }

  private static func object(
    _ table: ObjectStore.Table, _ description: ClassDescription, _ position: ObjectPosition
  ) throws -> Object {
    var object = Object()
    for property in description.properties {
      object[property.columnKey] = try StoreComparison.content(table, property, position)
      if property.collection == .map {
        object[property.mapKeys.columnKey] = try StoreComparison.content(
          table, property.mapKeys, position)
      }
    }
    return object
  }

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
          add(property, to: &tables[index].objects[key]!)
          // Dates begin in 1970 in objects that were there before them.
          if case .value(.date) = tables[index].objects[key]![property.columnKey]! {
            tables[index].objects[key]![property.columnKey] = .value(.date(-978_307_200))
          }
        }
      }
    }
  }

  /// What a new object has in a property: nothing, or the kind's zero. A map's keys are in a column
  /// of their own.
  private func add(_ property: PropertyDescription, to object: inout Object) {
    object[property.columnKey] =
      property.isCollection ? .list([]) : .value(property.defaultValue)
    if property.collection == .map { object[property.mapKeys.columnKey] = .list([]) }
  }

  mutating func create(_ key: ObjectKey, in table: TableKey) {
    var object = Object()
    for property in description(table).properties { add(property, to: &object) }
    tables[Int(table.rawValue)].keys.append(key)
    tables[Int(table.rawValue)].objects[key] = object
  }

  /// Without a touch: a primary key, when the object is made.
  mutating func initialize(
    _ column: ColumnKey, of key: ObjectKey, in table: TableKey, to value: StoredValue
  ) {
    tables[Int(table.rawValue)].objects[key]![column] = .value(value)
  }

  /// Embedded objects that are no longer linked to go.
  mutating func set(
    _ column: ColumnKey, of key: ObjectKey, in table: TableKey, to content: Content
  ) {
    let old = tables[Int(table.rawValue)].objects[key]![column]!
    tables[Int(table.rawValue)].objects[key]![column] = content
    touch(table, column, key)
    guard let property = description(table).property(at: column) else { return }
    for case .link(let target, let gone) in Set(old.values).subtracting(content.values)
    where owns(property, target) && object(gone, in: target) != nil {
      delete(gone, in: target)
    }
  }

  /// What holds a list or map among values of any kind has changed when that has.
  private mutating func touch(_ table: TableKey, _ column: ColumnKey, _ key: ObjectKey) {
    touched.insert(Touch(table: table, column: column, object: key))
    guard description(table).isNestedCollection else { return }
    let link = StoredValue.link(table, key)
    for description in schema.classes {
      for property in description.properties where property.kind == .any {
        for owner in self[description.tableKey].keys
        where object(owner, in: description.tableKey)![property.columnKey]!.values.contains(link) {
          return touch(description.tableKey, property.columnKey, owner)
        }
      }
    }
  }

  /// Whether an object of that class belongs to the property that links to it.
  private func owns(_ property: PropertyDescription, _ target: TableKey) -> Bool {
    owns(property) || property.kind == .any && description(target).isNestedCollection
  }

  /// Whether what the property links to is embedded.
  func owns(_ property: PropertyDescription) -> Bool {
    property.kind == .object && description(property.targetTable).isEmbedded
  }

  /// Takes an object out, and the embedded ones that belong to it: links to it become null, lists
  /// and sets of objects lose it.
  mutating func delete(_ key: ObjectKey, in table: TableKey) {
    let place = tables[Int(table.rawValue)].keys.firstIndex(of: key)!
    let object = tables[Int(table.rawValue)].objects[key]!
    tables[Int(table.rawValue)].keys.remove(at: place)
    tables[Int(table.rawValue)].objects[key] = nil
    let gone = StoredValue.link(table, key)
    for description in schema.classes {
      for property in description.properties
      where property.kind == .any || (property.kind == .object && property.targetTable == table) {
        sever(gone, property, in: description.tableKey)
      }
    }
    for property in description(table).properties {
      for case .link(let target, let owned) in object[property.columnKey]!.values
      where owns(property, target) {
        delete(owned, in: target)
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
        let loses =
          property.collection == .set || property.kind == .object && property.collection == .list
        let rest = loses ? elements.filter { $0 != gone } : elements.map { $0 == gone ? .null : $0 }
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
