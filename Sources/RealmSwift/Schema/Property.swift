/// The kinds of properties, with the numbers that Apple's SDK gives them.
public enum PropertyType: Int, Hashable, Sendable, CaseIterable, CustomStringConvertible {
  /// An integer of any size.
  case int = 0
  /// A `Bool`.
  case bool = 1
  /// A `String`.
  case string = 2
  /// A `Data`.
  case data = 3
  /// A `Date`.
  case date = 4
  /// A `Float`.
  case float = 5
  /// A `Double`.
  case double = 6
  /// A link to an object, or a collection of them.
  case object = 7
  /// The objects that link here; computed, not stored.
  case linkingObjects = 8
  /// A value of any kind: `AnyRealmValue`.
  case any = 9
  /// An ``ObjectId``.
  case objectId = 10
  /// A ``Decimal128``.
  case decimal128 = 11
  /// A `UUID`.
  case UUID = 12

  /// The kind's name, for people to read.
  public var description: String {
    switch self {
    case .int: "int"
    case .bool: "bool"
    case .string: "string"
    case .data: "data"
    case .date: "date"
    case .float: "float"
    case .double: "double"
    case .object: "object"
    case .linkingObjects: "linking objects"
    case .any: "mixed"
    case .objectId: "object id"
    case .decimal128: "decimal128"
    case .UUID: "uuid"
    }
  }
}

/// One property of a class, as a realm knows it.
public struct Property: Hashable, Sendable, CustomStringConvertible {
  /// The name in Swift.
  public let name: String
  /// The name in the file, if it is another one there.
  public let columnName: String
  /// The kind of the value, or of a collection's elements.
  public let type: PropertyType
  /// Whether the property is a ``List``.
  public let isArray: Bool
  /// Whether the property is a set.
  public let isSet: Bool
  /// Whether the property is a map.
  public let isMap: Bool
  /// Whether there is an index on the property.
  public let isIndexed: Bool
  /// Whether the value, or a collection's elements, may be nil.
  public let isOptional: Bool
  /// The class that is linked to, or that links here.
  public let objectClassName: String?
  /// The property whose links `linkingObjects` counts.
  let originProperty: String?

  init(
    name: String,
    columnName: String? = nil,
    type: PropertyType,
    isArray: Bool = false,
    isSet: Bool = false,
    isMap: Bool = false,
    isIndexed: Bool = false,
    isOptional: Bool = false,
    objectClassName: String? = nil,
    originProperty: String? = nil
  ) {
    self.name = name
    self.columnName = columnName ?? name
    self.type = type
    self.isArray = isArray
    self.isSet = isSet
    self.isMap = isMap
    self.isIndexed = isIndexed
    self.isOptional = isOptional
    self.objectClassName = objectClassName
    self.originProperty = originProperty
  }

  /// The property and what it is made of, for people to read.
  public var description: String {
    var lines = ["type = \(type)"]
    if columnName != name { lines.append("columnName = \(columnName)") }
    if let objectClassName { lines.append("objectClassName = \(objectClassName)") }
    if let originProperty { lines.append("linkOriginPropertyName = \(originProperty)") }
    lines += [
      "indexed = \(yesOrNo(isIndexed))", "array = \(yesOrNo(isArray))",
      "set = \(yesOrNo(isSet))", "dictionary = \(yesOrNo(isMap))",
      "optional = \(yesOrNo(isOptional))",
    ]
    return "\(name) {\n" + lines.map { "\t\($0);\n" }.joined() + "}"
  }

  private func yesOrNo(_ flag: Bool) -> String { flag ? "YES" : "NO" }
}
