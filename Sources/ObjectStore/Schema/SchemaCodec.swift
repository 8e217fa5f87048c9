import Storage

/// The schema node: its data is the serialised schema, `count` bytes of it.
enum SchemaCodec {
  private struct ClassFlags: OptionSet {
    let rawValue: UInt64
    static let embedded = ClassFlags(rawValue: 1)
  }

  private struct PropertyFlags: OptionSet {
    let rawValue: UInt64
    static let optional = PropertyFlags(rawValue: 1)
    static let primaryKey = PropertyFlags(rawValue: 2)
    static let indexed = PropertyFlags(rawValue: 4)
    static let fullText = PropertyFlags(rawValue: 8)
  }

  static func encode(_ schema: SchemaDescription) -> [UInt8] {
    var encoder = ByteEncoder()
    encoder.append(schema.version)
    encoder.append(schema.classes.count)
    for description in schema.classes { encode(description, to: &encoder) }
    return encoder.bytes
  }

  private static func encode(_ description: ClassDescription, to encoder: inout ByteEncoder) {
    encoder.append(description.name)
    encoder.append((description.isEmbedded ? ClassFlags.embedded : []).rawValue)
    encoder.append(UInt64(description.columnCount))
    encoder.append(UInt64(description.indexSlotCount))
    encoder.append(description.properties.count)
    for property in description.properties {
      var flags: PropertyFlags = []
      if property.isOptional { flags.insert(.optional) }
      if property.isPrimaryKey { flags.insert(.primaryKey) }
      if property.isIndexed { flags.insert(.indexed) }
      if property.isFullText { flags.insert(.fullText) }
      encoder.append(property.name)
      encoder.append(UInt64(property.columnKey.rawValue))
      encoder.append(UInt64(property.kind.rawValue))
      encoder.append(UInt64(property.collection.rawValue))
      encoder.append(flags.rawValue)
      encoder.append(property.linkTarget == nil ? 0 : UInt64(property.targetTable.rawValue) + 1)
      encoder.append(UInt64(property.indexSlot))
      if property.collection == .map { encoder.append(UInt64(property.keyColumn.rawValue)) }
    }
    encoder.append(description.backlinks.count)
    for backlink in description.backlinks {
      encoder.append(UInt64(backlink.originTable.rawValue))
      encoder.append(UInt64(backlink.originColumn.rawValue))
      encoder.append(UInt64(backlink.columnKey.rawValue))
    }
  }

  /// - Throws: `.corrupt` if the node is no schema.
  static func decode(
    _ reference: NodeReference, in source: NodeSource
  ) throws(StorageError) -> SchemaDescription {
    let node = try source.node(reference)
    guard node.kind == .schema, node.count <= node.dataSize,
      let schema = unsafe decode(UnsafeRawBufferPointer(start: node.data, count: node.count))
    else { throw source.corrupt(reference, "a schema was expected") }
    return schema
  }

  static func decode(_ bytes: UnsafeRawBufferPointer) -> SchemaDescription? {
    var decoder = unsafe ByteDecoder(bytes)
    guard let version = decoder.unsigned(), let classCount = decoder.count(),
      classCount < Int(UInt32.max)
    else { return nil }
    var schema = SchemaDescription(classes: [], version: version)
    for index in 0..<classCount {
      guard var description = decodeClass(&decoder) else { return nil }
      description.tableKey = TableKey(rawValue: UInt32(index))
      schema.classes.append(description)
    }
    for classIndex in schema.classes.indices {
      for index in schema.classes[classIndex].properties.indices {
        let target = schema.classes[classIndex].properties[index].targetTable
        if target == .unassigned { continue }
        guard let name = schema.description(of: target)?.name else { return nil }
        schema.classes[classIndex].properties[index].linkTarget = name
      }
    }
    return isSound(schema) ? schema : nil
  }

  private static func decodeClass(_ decoder: inout ByteDecoder) -> ClassDescription? {
    guard let name = decoder.text(), let flags = decoder.unsigned(),
      flags & ~ClassFlags.embedded.rawValue == 0, let columnCount = decoder.key(),
      let indexSlotCount = decoder.key(),
      let propertyCount = decoder.count()
    else { return nil }
    var description = ClassDescription(
      name: name, properties: [], isEmbedded: ClassFlags(rawValue: flags).contains(.embedded))
    description.columnCount = columnCount
    description.indexSlotCount = indexSlotCount
    for _ in 0..<propertyCount {
      guard let property = decodeProperty(&decoder), property.columnKey.rawValue < columnCount,
        property.collection != .map || property.keyColumn.rawValue < columnCount,
        property.indexSlot <= indexSlotCount
      else { return nil }
      description.properties.append(property)
    }
    guard let backlinkCount = decoder.count() else { return nil }
    for _ in 0..<backlinkCount {
      guard let table = decoder.key(), let column = decoder.key(), let key = decoder.key(),
        key < columnCount
      else { return nil }
      description.backlinks.append(
        BacklinkDescription(
          originTable: TableKey(rawValue: table), originColumn: ColumnKey(rawValue: column),
          columnKey: ColumnKey(rawValue: key)))
    }
    return description
  }

  private static func decodeProperty(_ decoder: inout ByteDecoder) -> PropertyDescription? {
    guard let name = decoder.text(), let column = decoder.key(),
      let kind = decoder.key().flatMap({ ValueKind(rawValue: UInt8(clamping: $0)) }),
      let collection = decoder.key().flatMap({ CollectionKind(rawValue: UInt8(clamping: $0)) }),
      let rawFlags = decoder.unsigned(), let target = decoder.key(), let slot = decoder.key()
    else { return nil }
    let flags = PropertyFlags(rawValue: rawFlags)
    var property = PropertyDescription(
      name: name, kind: kind, collection: collection, isOptional: flags.contains(.optional),
      isPrimaryKey: flags.contains(.primaryKey), isIndexed: flags.contains(.indexed),
      isFullText: flags.contains(.fullText))
    property.columnKey = ColumnKey(rawValue: column)
    if target != 0 { property.targetTable = TableKey(rawValue: target - 1) }
    property.indexSlot = slot
    if collection == .map {
      guard let keys = decoder.key() else { return nil }
      property.keyColumn = ColumnKey(rawValue: keys)
    }
    return property
  }
}

extension ByteDecoder {
  mutating func key() -> UInt32? {
    guard let value = unsigned() else { return nil }
    return UInt32(exactly: value)
  }
}
