import Storage
import Testing

@testable import ObjectStore

@Suite struct StoreSpaceTests {
  @Test func everyByteOfAVersionBelongsToATableOrTheSchema() throws {
    let store = try ScratchStore()
    let description = ClassDescription(
      name: "Item",
      properties: [
        PropertyDescription(name: "id", kind: .int, isPrimaryKey: true),
        PropertyDescription(name: "name", kind: .string, isIndexed: true),
        PropertyDescription(name: "tags", kind: .string, collection: .list),
        PropertyDescription(name: "next", kind: .object, isOptional: true, linkTarget: "Item"),
      ])
    try store.write { transaction in
      _ = try transaction.apply(SchemaDescription(classes: [description]))
      try fill(transaction)
    }
    let space = try StoreSpace(root: store.root, in: store.source)
    let stored = try #require(try store.schema.description.classes.first)
    let table = try #require(space.tables.first)
    #expect(space.schemaBytes + table.totalBytes == UInt64(try store.liveBytes()))
    for property in stored.properties {
      #expect(table.columns[property.columnKey, default: 0] > 0, "\(property.name)")
    }
    let indexed = stored.properties.filter { $0.isIndexed || $0.isPrimaryKey }.map(\.columnKey)
    #expect(Set(table.indexes.keys) == Set(indexed))
    // The hidden column of backlinks as well.
    #expect(table.columns.count == stored.properties.count + 1)
  }

  @Test func anEmptyFileHasNoTables() throws {
    let store = try ScratchStore()
    let space = try StoreSpace(root: store.root, in: store.source)
    #expect(space.tables.isEmpty && space.schemaBytes == 0)
  }

  private func fill(_ transaction: ObjectTransaction) throws {
    let item = transaction.schema.description.classes[0]
    let columns = Dictionary(
      uniqueKeysWithValues: item.properties.map { ($0.name, $0.columnKey) })
    let table = item.tableKey
    var last: ObjectKey?
    for number in 0..<1000 {
      let key = try transaction.createObject(in: table, primaryKey: Int64(number)).key
      try transaction.setString("item \(number)", columns["name"]!, of: key, in: table)
      try transaction.listInsert(
        .string("tag \(number % 7)"), at: 0, columns["tags"]!, of: key, in: table)
      try transaction.setLink(last, columns["next"]!, of: key, in: table)
      last = key
    }
  }
}
