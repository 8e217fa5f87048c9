import ObjectStore
import TestSupport
import Storage
import Testing

/// What random runs have found, one by one.
@Suite struct QueryRegressionTests {
  private func schema(isIndexed: Bool, version: UInt64) -> SchemaDescription {
    SchemaDescription(
      classes: [
        ClassDescription(
          name: "Item",
          properties: [PropertyDescription(name: "value", kind: .int, isIndexed: isIndexed)])
      ], version: version)
  }

  @Test func `a compiled query outlives the index that it was to use`() throws {
    let database = try Database.open(path: "/a.realm", system: SimulatedSystem())
    let schemas = SchemaCache()
    let table = TableKey(rawValue: 0)
    func write(_ body: (ObjectTransaction) throws -> Void) throws -> StoreView {
      let transaction = try database.beginWrite()
      let objects = try ObjectTransaction(transaction, schemas: schemas)
      try body(objects)
      let snapshot = try objects.commit()
      kept.append(snapshot)
      return StoreView(
        source: snapshot.source, root: snapshot.root, schema: objects.schema.description)
    }
    var kept: [Snapshot] = []
    defer { kept = [] }
    var expected: [ObjectKey] = []
    let before = try write { objects in
      try objects.apply(schema(isIndexed: true, version: 1))
      let column = objects.schema.description.classes[0].properties[0].columnKey
      for value in 0..<1000 as Range<Int64> {
        let key = try objects.createObject(in: table)
        try objects.setInt(value % 100, column, of: key, in: table)
        if value % 100 == 7 { expected.append(key) }
      }
    }
    let query = try CompiledQuery(
      QueryDescription(
        .table(table), where: .compare(.path("value"), .equal, .value(.int(7)))),
      schema: before.schema)
    #expect(Array(try query.evaluate(before)) == expected)
    let after = try write { try $0.apply(schema(isIndexed: false, version: 2)) }
    #expect(Array(try query.evaluate(after)) == expected)
    #expect(try query.count(after) == 10)
  }
}
