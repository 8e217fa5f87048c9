import ObjectStore
import TestSupport

/// Schemas that between them have every kind of property, and ways to add to them.
public enum LabSchema {
  static let scalars: [ValueKind] = [
    .int, .bool, .string, .data, .date, .float, .double, .objectId, .decimal128, .uuid,
  ]
  static let indexable: [ValueKind] = [.int, .bool, .string, .date, .objectId, .uuid, .any]

  /// Primary keys of each kind that can be one, all scalars, collections, links and embedded
  /// objects.
  public static var everything: SchemaDescription {
    SchemaDescription(
      classes: [number, word, mark, ticket, loose, count, alias, bag, part], version: 1)
  }

  /// A few of them, for files that are to stay small.
  public static var small: SchemaDescription {
    var ticket = ticket
    ticket.properties.removeAll { $0.linkTarget == "Mark" }
    var loose = loose
    loose.properties += scalars.map { PropertyDescription(name: "\($0)", kind: $0) }
    loose.properties.removeAll { $0.linkTarget == "Number" }
    loose.properties += [
      link("part", to: "Part"), links("parts_owned", to: "Part"),
      PropertyDescription(name: "words", kind: .string, collection: .set),
      PropertyDescription(name: "named", kind: .object, collection: .map, linkTarget: "Part"),
    ]
    var part = part
    part.properties.removeAll { $0.linkTarget == "Number" }
    return SchemaDescription(classes: [ticket, loose, part], version: 1)
  }

  private static func pairs(
    _ prefix: String, _ kinds: [ValueKind], collection: CollectionKind = .none,
    isIndexed: Bool = false
  ) -> [PropertyDescription] {
    kinds.flatMap { kind in
      [false, true].map { isOptional in
        PropertyDescription(
          name: "\(prefix)_\(kind)\(isOptional ? "_maybe" : "")", kind: kind,
          collection: collection, isOptional: isOptional, isIndexed: isIndexed)
      }
    }
  }

  private static func map(
    _ name: String, _ kind: ValueKind, to target: String? = nil
  ) -> PropertyDescription {
    PropertyDescription(name: name, kind: kind, collection: .map, linkTarget: target)
  }

  private static func set(
    _ name: String, _ kind: ValueKind, to target: String? = nil
  ) -> PropertyDescription {
    PropertyDescription(name: name, kind: kind, collection: .set, linkTarget: target)
  }

  private static func link(_ name: String, to target: String) -> PropertyDescription {
    PropertyDescription(name: name, kind: .object, linkTarget: target)
  }

  private static func links(_ name: String, to target: String) -> PropertyDescription {
    PropertyDescription(name: name, kind: .object, collection: .list, linkTarget: target)
  }

  /// With an index of its words.
  private static func searched(_ name: String, isOptional: Bool = false) -> PropertyDescription {
    PropertyDescription(name: name, kind: .string, isOptional: isOptional, isFullText: true)
  }

  private static func primaryKey(
    _ kind: ValueKind, isOptional: Bool = false
  ) -> PropertyDescription {
    PropertyDescription(name: "id", kind: kind, isOptional: isOptional, isPrimaryKey: true)
  }

  private static var number: ClassDescription {
    ClassDescription(
      name: "Number",
      properties: [primaryKey(.int)] + pairs("plain", scalars)
        + [
          PropertyDescription(name: "anything", kind: .any), link("next", to: "Number"),
          link("word", to: "Word"),
        ])
  }

  private static var word: ClassDescription {
    ClassDescription(
      name: "Word",
      properties: [primaryKey(.string)] + pairs("list", scalars, collection: .list)
        + [
          PropertyDescription(name: "list_any", kind: .any, collection: .list),
          links("numbers", to: "Number"), links("words", to: "Word"),
        ])
  }

  private static var mark: ClassDescription {
    ClassDescription(
      name: "Mark",
      properties: [primaryKey(.objectId, isOptional: true)]
        + pairs("indexed", indexable, isIndexed: true)
        + [
          link("number", to: "Number"), PropertyDescription(name: "anything", kind: .any),
          searched("text", isOptional: true),
        ])
  }

  private static var ticket: ClassDescription {
    ClassDescription(
      name: "Ticket",
      properties: [
        primaryKey(.uuid), link("mark", to: "Mark"), links("tickets", to: "Ticket"),
        PropertyDescription(name: "amount", kind: .int),
        PropertyDescription(name: "note", kind: .string, isOptional: true),
      ])
  }

  private static var loose: ClassDescription {
    ClassDescription(
      name: "Loose",
      properties: [
        PropertyDescription(name: "rank", kind: .int, isIndexed: true),
        PropertyDescription(name: "name", kind: .string, isIndexed: true),
        link("ticket", to: "Ticket"), links("numbers", to: "Number"),
        links("tickets", to: "Ticket"),
        PropertyDescription(name: "anything", kind: .any, isIndexed: true),
        PropertyDescription(name: "parts", kind: .int, collection: .list), searched("text"),
      ])
  }

  private static var count: ClassDescription {
    ClassDescription(
      name: "Count",
      properties: [
        primaryKey(.int, isOptional: true), link("same", to: "Count"),
        PropertyDescription(name: "weight", kind: .double),
      ])
  }

  private static var alias: ClassDescription {
    ClassDescription(
      name: "Alias",
      properties: [
        primaryKey(.string, isOptional: true), links("words", to: "Word"),
        PropertyDescription(name: "pieces", kind: .string, collection: .list, isOptional: true),
      ])
  }

  /// Sets and maps of everything, and embedded objects in each place that they can have.
  private static var bag: ClassDescription {
    ClassDescription(
      name: "Bag",
      properties: scalars.map { set("set_\($0)", $0) }
        + scalars.map {
          PropertyDescription(name: "map_\($0)", kind: $0, collection: .map, isOptional: true)
        }
        + [
          set("set_any", .any), map("map_any", .any), set("numbers", .object, to: "Number"),
          map("words", .object, to: "Word"), link("part", to: "Part"), links("parts", to: "Part"),
          map("named", .object, to: "Part"),
        ])
  }

  private static var part: ClassDescription {
    ClassDescription(
      name: "Part",
      properties: [
        PropertyDescription(name: "size", kind: .int, isIndexed: true),
        PropertyDescription(name: "name", kind: .string, isOptional: true),
        link("next", to: "Part"), links("parts", to: "Part"), link("number", to: "Number"),
        PropertyDescription(name: "anything", kind: .any),
        PropertyDescription(name: "sizes", kind: .int, collection: .set),
      ], isEmbedded: true)
  }

  /// Adds a property or a class, or gives or takes an index: what needs no migration.
  static func grow(_ schema: inout SchemaDescription, _ random: inout SeededGenerator) {
    schema.version += 1
    let index = random.below(schema.classes.count)
    switch random.below(6) {
    case 0 where schema.classes.count < 12:
      let name = "Added\(schema.classes.count)"
      let target = schema.classes[index].name
      schema.classes.append(
        ClassDescription(
          name: name,
          properties: [
            link("first", to: target), links("all", to: name),
            PropertyDescription(name: "value", kind: .int, isIndexed: random.below(2) == 0),
          ]))
    case 1, 2, 3:
      guard schema.classes[index].properties.count < 40 else { return }
      schema.classes[index].properties.append(added(schema, index, &random))
    default:
      let places = schema.classes[index].properties.indices.filter {
        let property = schema.classes[index].properties[$0]
        return !property.isCollection && !property.isPrimaryKey
          && indexable.contains(property.kind)
      }
      guard !places.isEmpty else { return }
      toggleIndex(&schema.classes[index].properties[places[random.below(places.count)]], &random)
    }
  }

  private static func toggleIndex(
    _ property: inout PropertyDescription, _ random: inout SeededGenerator
  ) {
    if property.kind == .string, random.below(2) == 0 {
      property.isFullText.toggle()
      property.isIndexed = false
    } else {
      property.isIndexed.toggle()
      property.isFullText = false
    }
  }

  private static func added(
    _ schema: SchemaDescription, _ index: Int, _ random: inout SeededGenerator
  ) -> PropertyDescription {
    let name = "added\(schema.classes[index].properties.count)"
    let target = schema.classes[random.below(schema.classes.count)]
    var collection: CollectionKind = .none
    if random.below(3) == 0 { collection = [.list, .list, .set, .map][random.below(4)] }
    switch random.below(5) {
    case 0:
      if target.isEmbedded, collection == .set { collection = .list }
      return PropertyDescription(
        name: name, kind: .object, collection: collection, linkTarget: target.name)
    case 1:
      return PropertyDescription(
        name: name, kind: .any, collection: collection,
        isIndexed: collection == .none && random.below(2) == 0)
    default:
      let kind = scalars[random.below(scalars.count)]
      return PropertyDescription(
        name: name, kind: kind, collection: collection, isOptional: random.below(2) == 0,
        isIndexed: collection == .none && indexable.contains(kind) && random.below(2) == 0)
    }
  }
}
