/// One class, as a realm knows it.
public struct ObjectSchema: Hashable, Sendable, CustomStringConvertible {
  /// In the order of declaration.
  public let properties: [Property]
  /// The class's name in the realm.
  public let className: String
  /// The Swift class.
  public let objectClass: AnyClass
  /// Whether objects of the class exist only as part of another one.
  public let isEmbedded: Bool
  /// Whether objects of the class are only sent to a server, and not kept.
  public let isAsymmetric: Bool
  /// The property by which `object(ofType:forPrimaryKey:)` finds objects.
  public let primaryKeyProperty: Property?

  init(
    className: String,
    objectClass: AnyClass,
    properties: [Property],
    primaryKeyProperty: Property? = nil,
    isEmbedded: Bool = false,
    isAsymmetric: Bool = false
  ) {
    self.className = className
    self.objectClass = objectClass
    self.properties = properties
    self.primaryKeyProperty = primaryKeyProperty
    self.isEmbedded = isEmbedded
    self.isAsymmetric = isAsymmetric
  }

  /// The property with that name in Swift.
  public subscript(propertyName: String) -> Property? {
    properties.first { $0.name == propertyName }
  }

  /// Whether both describe the same class: name, properties and primary key.
  public static func == (left: ObjectSchema, right: ObjectSchema) -> Bool {
    left.className == right.className && left.properties == right.properties
      && left.primaryKeyProperty == right.primaryKeyProperty
      && left.isEmbedded == right.isEmbedded && left.isAsymmetric == right.isAsymmetric
  }

  /// Hashes the name and the properties.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(className)
    hasher.combine(properties)
  }

  /// The class's name and properties, for people to read.
  public var description: String {
    var lines: [String] = []
    if let primaryKeyProperty { lines.append("primaryKey = \(primaryKeyProperty.name);") }
    lines += properties.map { "\($0)" }
    return "\(className) {\n" + indented(lines) + "}"
  }
}

/// The classes of a realm.
public struct Schema: Hashable, Sendable, CustomStringConvertible {
  /// A description of each class.
  public let objectSchema: [ObjectSchema]

  init(_ objectSchema: [ObjectSchema]) {
    self.objectSchema = objectSchema
  }

  /// The class with that name in the realm.
  public subscript(className: String) -> ObjectSchema? {
    objectSchema.first { $0.className == className }
  }

  /// The classes and their properties, for people to read.
  public var description: String {
    "Schema {\n" + indented(objectSchema.map { "\($0)" }) + "}"
  }
}

private func indented(_ blocks: [String]) -> String {
  blocks.map { block in
    block.split(separator: "\n").map { "\t\($0)\n" }.joined()
  }.joined()
}
