/// The kinds of properties, with the numbers that Apple's SDK gives them.
public enum PropertyType: Int, Hashable, Sendable, CaseIterable, CustomStringConvertible {
  case int = 0
  case bool = 1
  case string = 2
  case data = 3
  case date = 4
  case float = 5
  case double = 6
  /// A link to an object, or a collection of them.
  case object = 7
  /// The objects that link here; computed, not stored.
  case linkingObjects = 8
  /// A value of any kind: `AnyRealmValue`.
  case any = 9
  case objectId = 10
  case decimal128 = 11
  case UUID = 12

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
  public let isArray: Bool
  public let isSet: Bool
  public let isMap: Bool
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
