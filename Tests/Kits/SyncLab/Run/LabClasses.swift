import SyncProtocol

/// The classes of the lab's programs; newer programs have more.
enum LabClasses {
  /// A value that no user may write.
  static let unlucky: Int64 = 13

  static let item: Text = "Item"
  static let pair: Text = "Pair"
  static let part: Text = "Part"

  /// What items of newer programs have beside the others.
  static let added: [Text: PropertyType] = [
    "extra": PropertyType(.int, .single),
    "extras": PropertyType(.int, .list),
    "extraPart": PropertyType(.object, .single, target: part),
    "extraParts": PropertyType(.object, .list, target: part),
  ]

  static func classes(isNew: Bool) -> [SchemaClass] {
    var properties: [Text: PropertyType] = [
      "owner": PropertyType(.int, .single),
      "a": PropertyType(.int, .single),
      "b": PropertyType(.string, .single, isOptional: true),
      "link": PropertyType(.link, .single, target: item),
      "any": PropertyType(.any, .single),
      "list": PropertyType(.int, .list),
      "anys": PropertyType(.any, .list),
      "set": PropertyType(.int, .set),
      "map": PropertyType(.any, .map),
      "child": PropertyType(.object, .single, target: part),
      "parts": PropertyType(.object, .list, target: part),
    ]
    if isNew { properties.merge(added) { $1 } }
    return [
      SchemaClass(name: item, properties: properties),
      SchemaClass(
        name: pair,
        properties: [
          "owner": PropertyType(.int, .single), "value": PropertyType(.int, .single),
        ]),
      SchemaClass(
        name: part, isEmbedded: true,
        properties: [
          "x": PropertyType(.int, .single), "numbers": PropertyType(.int, .list),
          "child": PropertyType(.object, .single, target: part),
        ]),
    ]
  }
}
