import Testing

@testable import ObjectStore
@testable import Storage

@Suite struct RowsSchemaTests {
  let table = TableKey(rawValue: 0)

  private func schema(_ properties: [PropertyDescription]) -> SchemaDescription {
    SchemaDescription(classes: [ClassDescription(name: "Thing", properties: properties)])
  }

  @Test func newPropertiesReadAsDefaultsInExistingObjects() throws {
    let store = try ScratchStore()
    let old = PropertyDescription(name: "old", kind: .int)
    let key = try store.write { transaction in
      try transaction.apply(schema([old]))
      let key = try transaction.createObject(in: table)
      try transaction.setInt(5, ColumnKey(rawValue: 0), of: key, in: table)
      return key
    }
    let added = [
      PropertyDescription(name: "text", kind: .string, isIndexed: true),
      PropertyDescription(name: "maybe", kind: .date, isOptional: true, isIndexed: true),
      PropertyDescription(name: "next", kind: .object, linkTarget: "Thing"),
      PropertyDescription(name: "all", kind: .object, collection: .list, linkTarget: "Thing"),
    ]
    try store.write { transaction in
      #expect(try transaction.apply(schema([old] + added)))
      let stored = transaction.schema.description.classes[0]
      try transaction.setLink(
        key, stored.property(named: "next")!.columnKey, of: key, in: table)
      #expect(transaction.changes().schemaChanged)
    }
    store.expectSound()
    let stored = try store.schema.description.classes[0]
    let position = try #require(try store.table(table).find(key))
    let read = { (name: String) in
      try store.table(table).value(of: stored.property(named: name)!, at: position)
    }
    #expect(try read("old") == .int(5))
    #expect(try read("text") == .string(""))
    #expect(try read("maybe") == .null)
    #expect(try read("next") == .link(table, key))
    let index = try store.table(table).index(of: stored.property(named: "text")!)
    #expect(try index?.keys(equal: .string("")) == [key])
  }

  @Test func moreColumnsThanAFileIsReadWithAreRefused() throws {
    let store = try ScratchStore()
    try store.write { transaction in
      try transaction.apply(schema([PropertyDescription(name: "old", kind: .int)]))
    }
    var description = try store.schema.description
    description.classes[0].columnCount = UInt32(SchemaCodec.columnsMax + 1)
    #expect {
      try store.write { transaction in try transaction.tables.storeSchema(description) }
    } throws: { error in
      (error as? StorageError)?.code == .schemaMismatch
    }
    store.expectSound()
  }

  @Test func anUnusedPropertyKeepsItsValues() throws {
    let store = try ScratchStore()
    let a = PropertyDescription(name: "a", kind: .int)
    let b = PropertyDescription(name: "b", kind: .int)
    let key = try store.write { transaction in
      try transaction.apply(schema([a, b]))
      let key = try transaction.createObject(in: table)
      try transaction.setInt(9, ColumnKey(rawValue: 1), of: key, in: table)
      return key
    }
    #expect(try store.write { try $0.apply(schema([a])) } == false)
    let position = try #require(try store.table(table).find(key))
    #expect(try store.table(table).int(ColumnKey(rawValue: 1), at: position) == 9)
  }

  @Test func indexesComeAndGo() throws {
    let store = try ScratchStore()
    let names = ["i", "s", "d", "b", "o", "u"]
    let kinds: [ValueKind] = [.int, .string, .date, .bool, .objectId, .uuid]
    let plain = zip(names, kinds).map { PropertyDescription(name: $0, kind: $1) }
    let indexed = zip(names, kinds).map {
      PropertyDescription(name: $0, kind: $1, isIndexed: true)
    }
    try store.write { transaction in
      try transaction.apply(schema(plain))
      for number in 0..<600 {
        let key = try transaction.createObject(in: table)
        let i = ColumnKey(rawValue: 0)
        try transaction.setInt(Int64(number % 7), i, of: key, in: table)
        try transaction.setString("\(number % 5)", ColumnKey(rawValue: 1), of: key, in: table)
      }
    }
    #expect(try store.write { try $0.apply(schema(indexed)) })
    store.expectSound()
    try store.write { _ = try $0.apply(schema(plain)) }
    store.expectSound()
    #expect(
      try store.table(table).index(of: store.schema.description.classes[0].properties[0]) == nil)
    try store.write { _ = try $0.apply(schema(indexed)) }
    store.expectSound()
    let property = try store.schema.description.classes[0].properties[0]
    let index = try #require(try store.table(table).index(of: property))
    #expect(try index.count(from: 0, through: 2) == 258)
    #expect(try index.keys(from: 6, through: .max).count == 85)
    #expect(try index.rank(of: 1) == 86)
  }

  @Test func everyDifferenceThatNeedsAMigrationIsNamed() throws {
    let store = try ScratchStore()
    try store.write { transaction in
      _ = try transaction.apply(
        schema([
          PropertyDescription(name: "id", kind: .int, isPrimaryKey: true),
          PropertyDescription(name: "age", kind: .int),
          PropertyDescription(name: "name", kind: .string),
        ]))
    }
    let transaction = try store.begin()
    let error = try #require(throws: StorageError.self) {
      try transaction.apply(
        schema([
          PropertyDescription(name: "id", kind: .int),
          PropertyDescription(name: "age", kind: .double),
          PropertyDescription(name: "name", kind: .string, isOptional: true),
        ]))
    }
    #expect(error.code == .schemaMismatch)
    #expect(error.message.contains("Thing: primary key was id, is none"))
    #expect(error.message.contains("Thing.age: was int, is double"))
    #expect(error.message.contains("Thing.name: was string, is string?"))
    #expect(transaction.tables.root == store.root)
  }

  @Test func aSchemaThatMakesNoSenseIsRefused() throws {
    let store = try ScratchStore()
    let wrong: [PropertyDescription] = [
      PropertyDescription(name: "x", kind: .object, linkTarget: "Nobody"),
      PropertyDescription(name: "x", kind: .double, isIndexed: true),
      PropertyDescription(name: "x", kind: .date, isPrimaryKey: true),
      PropertyDescription(name: "x", kind: .int, collection: .list, isIndexed: true),
      PropertyDescription(
        name: "x", kind: .object, collection: .list, isOptional: true, linkTarget: "Thing"),
    ]
    for property in wrong {
      let error = try #require(throws: StorageError.self) {
        try store.begin().apply(schema([property]))
      }
      #expect(error.code == .schemaMismatch && error.message.contains("Thing.x"))
    }
  }

  @Test func aProgramOlderThanTheFileIsRefused() throws {
    let store = try ScratchStore()
    var wanted = schema([PropertyDescription(name: "a", kind: .int)])
    wanted.version = 2
    try store.write { _ = try $0.apply(wanted) }
    wanted.version = 1
    let error = try #require(throws: StorageError.self) { try store.begin().apply(wanted) }
    #expect(error.code == .schemaMismatch && error.message.contains("version 2"))
  }

  @Test func aDamagedSchemaIsNoSchema() {
    let bytes = SchemaCodec.encode(everything())
    for length in bytes.indices {
      let decoded = unsafe bytes[..<length].withUnsafeBytes { unsafe SchemaCodec.decode($0) }
      #expect(decoded == nil)
    }
  }
}
