extension SchemaCodec {
  /// Columns of all classes together, at most: what is kept in memory for each is then bounded.
  static let columnsMax = 1 << 20

  /// Whether there are not too many columns.
  static func fits(_ schema: SchemaDescription) -> Bool {
    schema.classes.reduce(0) { $0 + Int($1.columnCount) + Int($1.indexSlotCount) } <= columnsMax
  }

  /// Whether the parts of a schema agree with each other. Reading and writing rely on it, so a file
  /// that says otherwise is refused when its schema is read.
  static func isSound(_ schema: SchemaDescription) -> Bool {
    guard fits(schema) else { return false }
    var names: Set<String> = []
    for description in schema.classes {
      if description.isRemoved {
        guard description.properties.isEmpty, description.backlinks.isEmpty else { return false }
        continue
      }
      guard names.insert(description.name).inserted, isSound(description, in: schema)
      else { return false }
    }
    return true
  }

  private static func isSound(
    _ description: ClassDescription, in schema: SchemaDescription
  ) -> Bool {
    var names: Set<String> = []
    var columns: Set<ColumnKey> = []
    var indexes: Set<UInt32> = []
    for property in description.properties {
      guard names.insert(property.name).inserted, columns.insert(property.columnKey).inserted,
        property.indexSlot == 0 || indexes.insert(property.indexSlot).inserted,
        isSound(property, in: schema), hasBacklinks(property, description, schema)
      else { return false }
    }
    for backlink in description.backlinks {
      guard columns.insert(backlink.columnKey).inserted, isSound(backlink, description, in: schema)
      else { return false }
    }
    return description.properties.count(where: \.isPrimaryKey) <= (description.isEmbedded ? 0 : 1)
  }

  private static func isSound(
    _ property: PropertyDescription, in schema: SchemaDescription
  ) -> Bool {
    let isLink = property.kind == .object
    guard isLink == (property.targetTable != .unassigned), isLink == (property.linkTarget != nil)
    else { return false }
    let isList = property.isCollection
    let mayBeNoObject = isLink && (!isList || property.collection == .map)
    if property.kind == .any || mayBeNoObject, !property.isOptional { return false }
    if isLink && !mayBeNoObject && property.isOptional { return false }
    if property.isPrimaryKey,
      property.indexSlot == 0 || property.kind == .date || property.kind == .any
    {
      return false
    }
    if property.isFullText {
      if property.isPrimaryKey || property.isIndexed || property.indexSlot == 0 { return false }
      if property.kind != .string { return false }
    }
    let isIndexed = property.isPrimaryKey || property.isIndexed || property.indexSlot != 0
    return !isIndexed || !isList && canBeIndexed(property.kind)
  }

  private static func canBeIndexed(_ kind: ValueKind) -> Bool {
    switch kind {
    case .int, .bool, .string, .objectId, .uuid, .date, .any: true
    default: false
    }
  }

  /// A property of links has its hidden column in the class that it links to.
  private static func hasBacklinks(
    _ property: PropertyDescription, _ description: ClassDescription, _ schema: SchemaDescription
  ) -> Bool {
    guard property.kind == .object else { return true }
    guard let target = schema.description(of: property.targetTable),
      !target.isEmbedded || property.collection != .set
    else { return false }
    return target.backlinkColumn(from: description.tableKey, property.columnKey) != nil
  }

  /// A hidden column is that of a property of links to this class, or of values of any kind.
  private static func isSound(
    _ backlink: BacklinkDescription, _ description: ClassDescription,
    in schema: SchemaDescription
  ) -> Bool {
    let origin = schema.description(of: backlink.originTable)
    guard let property = origin?.property(at: backlink.originColumn) else { return false }
    return property.kind == .any && (!description.isEmbedded || description.isNestedCollection)
      || property.kind == .object && property.targetTable == description.tableKey
  }
}
