import Foundation
import EngineLab
import ObjectStore
import Platform
import TestSupport
import Storage
import Testing

@Suite struct StoreModelTests {
  /// 15 lives of 700 operations: every durability with every size of nodes.
  @Test(arguments: Array(1...15 as ClosedRange<UInt64>))
  func `random operations agree with a model`(seed: UInt64) throws {
    let system = SimulatedSystem()
    system.recordsCalls = false
    let run = try ModelRun(ModelRun.Settings(seed: seed), path: "/model.realm", system: system)
    try run.run(operations: 700)
    print("model seed \(seed): \(run.counts)")
  }

  /// A lab that never comes to a kind of property says nothing about it.
  @Test func `random operations fill every kind of property`() throws {
    let system = SimulatedSystem()
    system.recordsCalls = false
    let database = try Database.open(
      path: "/reach.realm", options: DatabaseOptions(), system: system)
    var operations = ObjectOperations(
      seed: 3, model: StoreModel(), sizes: ObjectOperations.Sizes(objects: 60, listElements: 12))
    let objects = try ObjectTransaction(try database.beginWrite(), schemas: SchemaCache())
    try operations.apply(LabSchema.everything, objects)
    var missing = Set(
      operations.model.schema.classes.flatMap { description in
        description.properties.map { "\(description.name).\($0.name)" }
      })
    for step in 0..<12_000 {
      try operations.step(objects)
      if step % 100 != 0 { continue }
      let model = operations.model
      for description in model.schema.classes {
        for property in description.properties {
          let isFilled = model[description.tableKey].keys.contains { key in
            let content = model.object(key, in: description.tableKey)![property.columnKey]!
            return content != .list([]) && content != .value(.null)
          }
          if isFilled { missing.remove("\(description.name).\(property.name)") }
        }
      }
    }
    #expect(missing.isEmpty)
    objects.cancel()
  }

  @Test(arguments: [101, 102, 103, 104] as [UInt64])
  func `random operations on real files agree with a model`(seed: UInt64) throws {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("store-model-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appendingPathComponent("model.realm").path
    let run = try ModelRun(
      ModelRun.Settings(seed: seed), path: path, system: PosixSystem.shared)
    try run.run(operations: 500)
    print("model on real files, seed \(seed): \(run.counts)")
  }

  @Test(arguments: [Durability.relaxed, .inMemory])
  func `readers catch whole versions while a writer works`(durability: Durability) throws {
    let system = SimulatedSystem()
    system.recordsCalls = false
    var settings = ModelRun.Settings(seed: 7)
    settings.durability = durability
    settings.reopens = false
    let run = try ModelRun(settings, path: "/model.realm", system: system)
    let readers = ConcurrentReaders()
    run.readers = readers
    readers.start(2, run.database)
    let result = Result { try run.run(operations: 1000) }
    try readers.stop()
    try result.get()
    print("\(durability): \(readers.versionsRead) versions read meanwhile")
    #expect(readers.versionsRead > 0)
  }
}
