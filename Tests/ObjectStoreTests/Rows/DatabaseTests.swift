import Foundation
import TestSupport
import Testing

@testable import ObjectStore
@testable import Storage

/// The object store on the real storage layer: commits, pins, rollback, history, reopening.
@Suite struct RowsDatabaseTests {
  private let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("holdfast-rows-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  private func open() throws -> Database {
    var options = DatabaseOptions()
    options.durability = .relaxed
    unsafe options.mergeHistory = unsafe ChangeSet.mergeEncoded
    return try Database.open(
      path: directory.appendingPathComponent("a.realm").path, options: options)
  }

  @Test func randomTransactionsAgreeWithAModelAcrossPinsAndReopening() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let seed = UInt64.random(in: 0...UInt64.max)
    print("rows database seed \(seed)")
    let limits = TreeLimits(clusterRows: 16, innerChildren: 4, listElements: 8, pairEntries: 8)
    var database: Database? = try open()
    var schemas = SchemaCache()
    var random = try RowsOperations(
      generator: SeededGenerator(seed: seed),
      model: prepare(database!, schemas, limits), objectsWanted: 60, listElementsWanted: 12)
    var pinned: [(snapshot: Snapshot, model: RowsModel)] = []
    for number in 0..<80 {
      let before = random.model
      let transaction = try database!.beginWrite()
      let objects = try ObjectTransaction(transaction, schemas: schemas, limits: limits)
      for _ in 0..<(1 + random.pick(12)) { try random.step(objects) }
      if number % 9 == 4 {
        transaction.cancel()
        random.model = before
        continue
      }
      let snapshot = try objects.commit()
      for (old, model) in pinned { try expectChanges(snapshot, since: old, model, random.model) }
      if number % 4 == 0 { pinned.append((snapshot, random.model)) }
      if pinned.count > 4 { pinned.remove(at: random.pick(pinned.count)) }
      if number % 20 == 19 {
        for (snapshot, model) in pinned { try expect(snapshot, model) }
        try expect(snapshot, random.model)
        #expect(try database!.verify().findings.isEmpty)
        pinned.removeAll()
        database = nil
        schemas = SchemaCache()
        database = try open()
        try expect(try database!.pinNewest(), random.model)
      }
    }
  }

  private func prepare(
    _ database: Database, _ schemas: SchemaCache, _ limits: TreeLimits
  ) throws -> RowsModel {
    let transaction = try database.beginWrite()
    let objects = try ObjectTransaction(transaction, schemas: schemas, limits: limits)
    try objects.apply(everything())
    _ = try objects.commit()
    return RowsModel(schema: objects.schema.description)
  }

  private func expect(_ snapshot: Snapshot, _ model: RowsModel) throws {
    try model.expectEqual { try #require(try snapshot.table($0)) }
    try #require(snapshot.storeFindings() == [])
  }

  /// Insertions and deletions are exact; every difference is named as a modification.
  private func expectChanges(
    _ snapshot: Snapshot, since old: Snapshot, _ before: RowsModel, _ after: RowsModel
  ) throws {
    let changes = try snapshot.changes(after: old)
    for index in before.tables.indices {
      let table = changes.changes(in: TableKey(rawValue: UInt32(index)))
      let (was, now) = (before.tables[index], after.tables[index])
      try #require(
        Array(table?.insertions ?? KeySet()) == now.keys.filter { was[$0] == nil }.sorted())
      try #require(
        Array(table?.deletions ?? KeySet()) == was.keys.filter { now[$0] == nil }.sorted())
      for (key, object) in was {
        guard let new = now[key] else { continue }
        for (column, content) in object where content != new[column] {
          try #require(table?.isModified(key, column) == true)
        }
      }
    }
  }

  @Test func aTransactionThatChangesNothingMakesNoVersion() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let database = try open()
    let schemas = SchemaCache()
    _ = try prepare(database, schemas, .standard)
    let version = database.newestVersion
    let transaction = try database.beginWrite()
    let objects = try ObjectTransaction(transaction, schemas: schemas)
    #expect(try objects.apply(everything()) == false)
    _ = try objects.table(TableKey(rawValue: 0))
    let snapshot = try objects.commit()
    #expect(snapshot.version == version)
    #expect(database.newestVersion == version)
  }
}
