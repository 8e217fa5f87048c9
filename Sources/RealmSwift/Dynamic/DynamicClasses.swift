import Foundation
import ObjectStore

// Classes as objects see them that have no Swift class of their own. Each property has the Swift
// type that fits what is stored, and no place in the instance: it is always read from the row.

/// The tables of one schema without the program's classes. Immutable.
final class DynamicClasses: Sendable {
  /// By the tables' keys; nil for tables that no class uses any more.
  private let byTable: [TableBinding?]
  private let byName: [String: TableBinding]

  /// - Parameter classes: The program's, whose names for properties are used where there are any.
  init(_ schema: SchemaDescription, _ classes: [ClassInfo]) {
    let known = Dictionary(classes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    byTable = schema.classes.map { description in
      if description.isRemoved { return nil }
      return TableBinding(ClassInfo(description, known[description.name]), description)
    }
    let named = byTable.compactMap { $0 }.filter { !$0.description.isNestedCollection }
    byName = Dictionary(
      named.map { ($0.info.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  func binding(for table: TableKey) -> TableBinding? {
    Int(table.rawValue) < byTable.count ? byTable[Int(table.rawValue)] : nil
  }

  func binding(named className: String) -> TableBinding? { byName[className] }
}

extension ClassInfo {
  /// A stored class, with the names that the program's class has for its properties.
  fileprivate convenience init(_ description: ClassDescription, _ info: ClassInfo?) {
    let properties: [PropertyInfo]
    if let info {
      properties = info.properties.compactMap { property in
        if property.description.type == .linkingObjects { return PropertyInfo(computed: property) }
        guard let stored = description.property(named: property.columnName) else { return nil }
        return PropertyInfo(stored, name: property.name)
      }
    } else {
      properties = description.properties.map { PropertyInfo($0, name: $0.name) }
    }
    self.init(
      DynamicObject.self, description.name, properties,
      InstanceTemplate(DynamicObject(), []), isDynamic: true)
  }
}

extension PropertyInfo {
  fileprivate init(_ stored: PropertyDescription, name: String) {
    var description = _PropertyDescription(PropertyType(stored.kind))
    description.isOptional = stored.isOptional
    description.collection = stored.collection
    if stored.kind == .object { description.target = DynamicObject.self }
    self.init(
      name: name, columnName: stored.name, offset: Self.nowhere,
      field: DynamicField.type(description), description: description,
      targetName: stored.linkTarget, isIndexed: stored.isIndexed,
      isFullText: stored.isFullText, isPrimaryKey: stored.isPrimaryKey, originProperty: nil)
  }

  /// Linking objects, which only the program's class knows of.
  fileprivate init(computed property: PropertyInfo) {
    var description = property.description
    description.target = DynamicObject.self
    self.init(
      name: property.name, columnName: property.columnName, offset: Self.nowhere,
      field: DynamicField.type(description), description: description,
      targetName: property.targetName, isIndexed: false, isFullText: false,
      isPrimaryKey: false, originProperty: property.originProperty)
  }
}

/// The Swift types of properties that are known by their description alone.
private enum DynamicField {
  static func type(_ description: _PropertyDescription) -> any PersistedField.Type {
    switch description.type {
    case .int: type(Int.self, description)
    case .bool: type(Bool.self, description)
    case .string: type(String.self, description)
    case .data: type(Data.self, description)
    case .date: type(Date.self, description)
    case .float: type(Float.self, description)
    case .double: type(Double.self, description)
    case .objectId: type(ObjectId.self, description)
    case .decimal128: type(Decimal128.self, description)
    case .UUID: type(UUID.self, description)
    case .linkingObjects: Persisted<LinkingObjects<DynamicObject>>.self
    case .any: any(description.collection)
    case .object: object(description.collection)
    }
  }

  private static func type<Value: _Persistable & _RealmCollectionValueInsideOptional>(
    _: Value.Type, _ description: _PropertyDescription
  ) -> any PersistedField.Type {
    switch (description.collection, description.isOptional) {
    case (.none, false): Persisted<Value>.self
    case (.none, true): Persisted<Value?>.self
    case (.list, false): Persisted<List<Value>>.self
    case (.list, true): Persisted<List<Value?>>.self
    case (.set, false): Persisted<MutableSet<Value>>.self
    case (.set, true): Persisted<MutableSet<Value?>>.self
    case (.map, false): Persisted<Map<String, Value>>.self
    case (.map, true): Persisted<Map<String, Value?>>.self
    }
  }

  private static func any(
    _ collection: CollectionKind
  ) -> any PersistedField.Type {
    switch collection {
    case .none: Persisted<AnyRealmValue>.self
    case .list: Persisted<List<AnyRealmValue>>.self
    case .set: Persisted<MutableSet<AnyRealmValue>>.self
    case .map: Persisted<Map<String, AnyRealmValue>>.self
    }
  }

  private static func object(
    _ collection: CollectionKind
  ) -> any PersistedField.Type {
    switch collection {
    case .none: Persisted<DynamicObject?>.self
    case .list: Persisted<List<DynamicObject>>.self
    case .set: Persisted<MutableSet<DynamicObject>>.self
    case .map: Persisted<Map<String, DynamicObject?>>.self
    }
  }
}
