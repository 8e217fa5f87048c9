import ObjectStore
import SyncProtocol

/// The app's classes as tables of its file: what the schema says, but for what no file can have.
struct RealSchema {
  /// A class of the app that has a table.
  struct RealClass {
    let description: ClassDescription
    /// None for embedded objects.
    let key: PropertyDescription?
    let properties: [RealProperty]

    var table: TableKey { description.tableKey }
    var isEmbedded: Bool { description.isEmbedded }
  }

  struct RealProperty {
    let name: NameID
    let description: PropertyDescription
  }

  /// The column of keys in classes of which no property is known to be the key.
  static let textKey = "server.key"

  private var classes: [NameID: RealClass] = [:]
  private var types: [TableKey: NameID] = [:]

  /// The classes of a schema that a file has tables for.
  init(_ stored: SchemaDescription, _ schema: Schema, _ names: Names) {
    for type in schema.classes.values {
      guard Schema.isName(type.name), let id = names.find(type.name),
        let description = stored.description(of: type.name.string),
        description.isEmbedded == type.isEmbedded
      else { continue }
      let properties = description.properties.compactMap { property -> RealProperty? in
        guard !property.isPrimaryKey, let name = names.find(Text(property.name)) else { return nil }
        return RealProperty(name: name, description: property)
      }
      classes[id] = RealClass(
        description: description, key: description.primaryKey, properties: properties)
      types[description.tableKey] = id
    }
  }

  subscript(type: NameID) -> RealClass? { classes[type] }

  /// The class of a table.
  func type(of table: TableKey) -> NameID? { types[table] }

  /// What a file must have for a schema.
  static func wanted(_ schema: Schema) -> SchemaDescription {
    // Names that look the same are one name to the file, whatever their bytes.
    var known: Set<String> = []
    let classes = schema.classes.values.sorted { $0.name < $1.name }.filter {
      Schema.isName($0.name) && known.insert($0.name.string).inserted
    }
    return SchemaDescription(classes: classes.map { description($0, schema) })
  }

  private static func description(_ type: SchemaClass, _ schema: Schema) -> ClassDescription {
    let key = type.isEmbedded ? nil : keyName(type)
    var properties: [PropertyDescription] = []
    if !type.isEmbedded && key == nil {
      properties.append(
        PropertyDescription(name: textKey, kind: .string, isPrimaryKey: true))
    }
    var known: Set<String> = []
    for (name, property) in type.properties.sorted(by: { $0.key < $1.key })
    where Schema.isName(name) && known.insert(name.string).inserted {
      guard let found = description(name, property, isKey: name == key, schema) else { continue }
      properties.append(found)
    }
    return ClassDescription(
      name: type.name.string, properties: properties, isEmbedded: type.isEmbedded)
  }

  /// The property that is the key: the one that clients have named, or `_id`.
  private static func keyName(_ type: SchemaClass) -> Text? {
    let name = type.key.string.isEmpty ? "_id" : type.key
    guard let property = type.properties[name], property.shape == .single else { return nil }
    switch property.value {
    case .int, .string, .objectID, .uuid: return name
    default: return nil
    }
  }

  private static func description(
    _ name: Text, _ property: PropertyType, isKey: Bool, _ schema: Schema
  ) -> PropertyDescription? {
    let isObject = property.value == .link || property.value == .object
    if isObject {
      guard Schema.isName(property.target), let target = schema.classes[property.target],
        target.isEmbedded == (property.value == .object),
        !(target.isEmbedded && property.shape == .set)
      else { return nil }
    }
    let isOrdered = property.shape == .list || property.shape == .set
    return PropertyDescription(
      name: name.string, kind: property.value.kind, collection: property.shape.kind,
      isOptional: isObject && isOrdered ? false : property.isOptional, isPrimaryKey: isKey,
      linkTarget: isObject ? property.target.string : nil)
  }
}

extension ValueType {
  fileprivate var kind: ValueKind {
    switch self {
    case .any: .any
    case .bool: .bool
    case .int: .int
    case .float: .float
    case .double: .double
    case .string: .string
    case .data: .data
    case .date: .date
    case .decimal: .decimal128
    case .objectID: .objectId
    case .uuid: .uuid
    case .link, .object: .object
    }
  }
}

extension Shape {
  fileprivate var kind: CollectionKind {
    switch self {
    case .single: .none
    case .list: .list
    case .set: .set
    case .map: .map
    }
  }
}
