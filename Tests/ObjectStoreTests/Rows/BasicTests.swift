import Testing

@testable import ObjectStore
@testable import Storage

/// A class with a property of every kind, plain and optional, and a class that it links to.
func everything() -> SchemaDescription {
  var properties = [
    PropertyDescription(name: "id", kind: .int, isPrimaryKey: true),
    PropertyDescription(name: "friend", kind: .object, linkTarget: "Person"),
    PropertyDescription(
      name: "friends", kind: .object, collection: .list, linkTarget: "Person"),
    PropertyDescription(name: "anything", kind: .any),
    PropertyDescription(name: "things", kind: .any, collection: .list),
  ]
  for kind in ValueKind.allCases where kind != .object && kind != .any {
    properties.append(PropertyDescription(name: "\(kind)", kind: kind))
    properties.append(PropertyDescription(name: "\(kind)?", kind: kind, isOptional: true))
    properties.append(PropertyDescription(name: "\(kind)s", kind: kind, collection: .list))
    properties.append(
      PropertyDescription(name: "\(kind)?s", kind: kind, collection: .list, isOptional: true))
  }
  for kind in [ValueKind.int, .bool, .string, .date, .objectId, .uuid] {
    properties.append(
      PropertyDescription(name: "indexed \(kind)", kind: kind, isIndexed: true))
    properties.append(
      PropertyDescription(
        name: "indexed \(kind)?", kind: kind, isOptional: true, isIndexed: true))
  }
  return SchemaDescription(
    classes: [
      ClassDescription(name: "Person", properties: properties),
      ClassDescription(
        name: "Pet",
        properties: [
          PropertyDescription(name: "name", kind: .string),
          PropertyDescription(name: "owner", kind: .object, linkTarget: "Person"),
          PropertyDescription(name: "mates", kind: .object, collection: .list, linkTarget: "Pet"),
        ]),
    ], version: 3)
}

@Suite struct RowsBasicTests {
  let person = TableKey(rawValue: 0)

  @Test func aStoredSchemaReadsBackAsWanted() throws {
    let store = try ScratchStore()
    let changed = try store.write { try $0.apply(everything()) }
    #expect(changed)
    let stored = try store.schema.description
    #expect(stored.version == 3)
    #expect(stored.classes.map(\.name) == ["Person", "Pet"])
    for (wanted, read) in zip(everything().classes, stored.classes) {
      #expect(wanted.properties.map(\.name) == read.properties.map(\.name))
      #expect(wanted.properties.map(\.typeText) == read.properties.map(\.typeText))
      #expect(wanted.properties.map(\.isIndexed) == read.properties.map(\.isIndexed))
    }
    let again = try store.write { try $0.apply(everything()) }
    #expect(!again)
    store.expectSound()
  }

  @Test func aNewObjectHoldsDefaults() throws {
    let store = try ScratchStore()
    let key = try store.write { transaction in
      try transaction.apply(everything())
      return try transaction.createObject(in: person, primaryKey: 7).key
    }
    let table = try store.table(person)
    let position = try #require(try table.find(key))
    for property in try store.schema.description.classes[0].properties {
      if property.isPrimaryKey {
        #expect(try table.int(property.columnKey, at: position) == 7)
      } else if property.collection == .list {
        #expect(try table.list(of: property, at: position).count == 0)
      } else {
        #expect(try table.value(of: property, at: position) == property.defaultValue)
      }
    }
    store.expectSound()
  }

  @Test func valuesOfEveryKindReadBackFromALaterVersion() throws {
    let store = try ScratchStore()
    let samples: [ValueKind: StoredValue] = [
      .int: .int(-5_000_000_000), .bool: .bool(true), .string: .string("grüße"),
      .data: .data([0, 255, 3]), .date: .date(1.5), .float: .float(-2.25),
      .double: .double(.infinity), .objectId: .objectId(ObjectIdBytes(head: 1, tail: 2)),
      .decimal128: .decimal128(DecimalBits(low: 9, high: 8)),
      .uuid: .uuid(UUIDBytes(head: 3, tail: 4)),
    ]
    let (first, second) = try store.write { transaction in
      try transaction.apply(everything())
      return (
        try transaction.createObject(in: person, primaryKey: 1).key,
        try transaction.createObject(in: person, primaryKey: 2).key
      )
    }
    let properties = try store.schema.description.classes[0].properties
    func sample(_ property: PropertyDescription) -> StoredValue {
      switch property.kind {
      case .object: return .link(person, first)
      case .any: return .link(person, second)
      default: return samples[property.kind]!
      }
    }
    try store.write { transaction in
      for property in properties where !property.isPrimaryKey {
        let column = property.columnKey
        if property.collection == .list {
          try transaction.listInsert(
            contentsOf: [sample(property), sample(property)], at: 0, column, of: second, in: person)
        } else {
          try transaction.set(sample(property), column, of: second, in: person)
        }
      }
    }
    store.expectSound()
    let table = try store.table(person)
    let position = try #require(try table.find(second))
    for property in properties where !property.isPrimaryKey {
      if property.collection == .list {
        let list = try table.list(of: property, at: position)
        #expect(list.count == 2)
        #expect(try list.value(at: 1) == sample(property))
      } else {
        #expect(try table.value(of: property, at: position) == sample(property))
      }
    }
    try store.write { transaction in
      for property in properties where property.collection == .none && property.isOptional {
        try transaction.setNull(property.columnKey, of: second, in: person)
      }
      try transaction.deleteObject(first, in: person)
    }
    store.expectSound()
    let changed = try store.table(person)
    let place = try #require(try changed.find(second))
    for property in properties where property.collection == .none && property.isOptional {
      #expect(try changed.value(of: property, at: place) == .null)
    }
    #expect(try changed.list(of: properties[2], at: place).count == 0)
    #expect(try changed.find(first) == nil)
  }
}
