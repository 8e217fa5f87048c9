import TestSupport
import Testing

@testable import ObjectStore
@testable import Storage

@Suite struct FillingTests {
  private let table = TableKey(rawValue: 0)
  private let schema = SchemaDescription(classes: [
    ClassDescription(
      name: "Thing",
      properties: [
        PropertyDescription(name: "number", kind: .int, isIndexed: true),
        PropertyDescription(name: "text", kind: .string, isOptional: true, isIndexed: true),
      ])
  ])

  /// What is in both indexes, after making objects by `make`.
  private func entries(
    _ make: (ObjectTransaction, _ number: ColumnKey) throws -> Void
  ) throws -> (numbers: [IndexPair], nulls: [IndexPair]) {
    let store = try ScratchStore(limits: .standard, length: 1 << 24)
    try store.write { try $0.apply(schema) }
    let properties = try store.schema.description.classes[0].properties
    try store.write { try make($0, properties[0].columnKey) }
    let view = try store.table(table)
    func pairs(_ property: PropertyDescription, _ place: Int) throws -> [IndexPair] {
      let root = try view.source.node(view.indexRoot(property.indexSlot), .index).reference(place)
      var found: [IndexPair] = []
      var iterator = PairIterator(root: root, in: view.source)
      while let pair = try iterator.next() { found.append(pair) }
      return found
    }
    return (try pairs(properties[0], 0), try pairs(properties[1], 1))
  }

  @Test func `an object that gets its values at once is in its indexes by them, or by defaults`()
    throws
  {
    let found = try entries { transaction, number in
      let key = try transaction.createObject(in: table, isFilled: true)
      try transaction.setInt(7, number, of: key, in: table)
      try transaction.finishFilling(table)
      try transaction.setInt(8, number, of: key, in: table)
    }
    #expect(found.numbers == [IndexPair(8, 0)] && found.nulls == [IndexPair(0, 0)])
  }

  @Test func `an object that never got its values is in its indexes with the next one`()
    throws
  {
    let found = try entries { transaction, number in
      let first = try transaction.createObject(in: table, isFilled: true)
      let second = try transaction.createObject(in: table, isFilled: true)
      try transaction.setInt(5, number, of: first, in: table)
      try transaction.setInt(0, number, of: second, in: table)
      try transaction.finishFilling(table)
    }
    #expect(found.numbers == [IndexPair(0, 1), IndexPair(5, 0)])
    #expect(found.nulls == [IndexPair(0, 0), IndexPair(0, 1)])
  }

  @Test func `an object that is deleted before it got its values is in no index`() throws {
    let found = try entries { transaction, _ in
      let first = try transaction.createObject(in: table, isFilled: true)
      try transaction.deleteObject(first, in: table)
      let second = try transaction.createObject(in: table, isFilled: true)
      try transaction.deleteObjects([second], in: table)
    }
    #expect(found.numbers.isEmpty && found.nulls.isEmpty)
  }

  @Test func `an object that goes with all of its class before it got its values is in no index`()
    throws
  {
    let found = try entries { transaction, _ in
      try transaction.createObject(in: table, isFilled: true)
      try transaction.deleteAllObjects(in: table)
      try transaction.finishFilling(table)
      let second = try transaction.createObject(in: table, isFilled: true)
      try transaction.deleteObject(second, in: table)
    }
    #expect(found.numbers.isEmpty && found.nulls.isEmpty)
  }

  @Test func `an object that never got its values is in its indexes after the commit`() throws {
    let directory = TemporaryDirectory()
    let database = try Database.open(path: directory.file("a.realm"))
    let objects = try ObjectTransaction(database.beginWrite(), schemas: SchemaCache())
    try objects.apply(schema)
    try objects.createObject(in: table, isFilled: true)
    #expect(try objects.commit().storeFindings() == [])
  }

  @Test func `asking for what is left to be indexed opens no table for writing`() throws {
    let store = try ScratchStore(limits: .standard, length: 1 << 24)
    try store.write { try $0.apply(schema) }
    try store.write { transaction in
      try transaction.finishFilling(table)
      try transaction.finishFilling()
      #expect(transaction.tables.stateIfOpen(0) == nil)
    }
  }
}
