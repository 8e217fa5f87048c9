import ObjectStore

/// Classes with every kind of property and collection.
enum StoreClasses {
  static let scalars: [(String, ValueKind, Bool)] = [
    ("number", .int, false), ("maybe", .int, true), ("flag", .bool, false),
    ("text", .string, false), ("note", .string, true), ("bytes", .data, false),
    ("day", .date, false), ("half", .float, false), ("real", .double, false),
    ("name", .objectId, false), ("unique", .uuid, true), ("price", .decimal128, false),
  ]

  static let description = SchemaDescription(classes: [thing, part, named])

  private static let thing = ClassDescription(
    name: "Thing",
    properties: [PropertyDescription(name: "_id", kind: .int, isPrimaryKey: true)]
      + scalars.map { PropertyDescription(name: $0.0, kind: $0.1, isOptional: $0.2) } + [
        PropertyDescription(name: "friend", kind: .object, linkTarget: "Thing"),
        PropertyDescription(name: "any", kind: .any),
        PropertyDescription(name: "numbers", kind: .int, collection: .list),
        PropertyDescription(name: "words", kind: .string, collection: .set),
        PropertyDescription(name: "reals", kind: .double, collection: .set),
        PropertyDescription(name: "prices", kind: .decimal128, collection: .set),
        PropertyDescription(name: "choices", kind: .any, collection: .set),
        PropertyDescription(name: "counts", kind: .int, collection: .map),
        PropertyDescription(
          name: "friends", kind: .object, collection: .list, linkTarget: "Thing"),
        PropertyDescription(name: "circle", kind: .object, collection: .set, linkTarget: "Thing"),
        PropertyDescription(name: "roles", kind: .object, collection: .map, linkTarget: "Thing"),
        PropertyDescription(name: "anys", kind: .any, collection: .list),
        PropertyDescription(name: "part", kind: .object, linkTarget: "Part"),
        PropertyDescription(name: "parts", kind: .object, collection: .list, linkTarget: "Part"),
        PropertyDescription(name: "places", kind: .object, collection: .map, linkTarget: "Part"),
      ])

  /// Objects whose keys are texts.
  private static let named = ClassDescription(
    name: "Named",
    properties: [
      PropertyDescription(name: "_id", kind: .string, isPrimaryKey: true),
      PropertyDescription(name: "friend", kind: .object, linkTarget: "Thing"),
    ])

  private static let part = ClassDescription(
    name: "Part",
    properties: [
      PropertyDescription(name: "title", kind: .string),
      PropertyDescription(name: "count", kind: .int),
      PropertyDescription(name: "tags", kind: .string, collection: .list),
      PropertyDescription(name: "owner", kind: .object, linkTarget: "Thing"),
    ], isEmbedded: true)
}
