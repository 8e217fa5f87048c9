import Foundation
import ObjectStore
import RealmSwift
import Storage

/// The engine, through its own interface; `full` where commits are flushed, else `relaxed`. A
/// property is read through a live object of the public API.
final class HoldfastStore: Store {
  static let name = "Holdfast"

  let path: String
  private let database: Database
  private let schemas = SchemaCache()
  private let schema: StoredSchema
  private let table: TableKey
  private var reader: Snapshot?
  /// When the last transaction's commit was called.
  private(set) var commitCalledAt: UInt64 = 0

  private static let description = SchemaDescription(classes: [
    ClassDescription(
      name: "Person",
      properties: [
        PropertyDescription(name: "id", kind: .int, isPrimaryKey: true),
        PropertyDescription(name: "name", kind: .string),
        PropertyDescription(name: "age", kind: .int),
        PropertyDescription(name: "score", kind: .double),
        PropertyDescription(name: "date", kind: .date),
        PropertyDescription(name: "flag", kind: .bool),
      ])
  ])

  init(folder: URL, flushing: Flushing) throws {
    path = folder.appending(path: "holdfast.realm").path(percentEncoded: false)
    var options = DatabaseOptions()
    options.durability = flushing == .everyCommit ? .full : .relaxed
    options.mergeHistory = ChangeSet.mergeEncoded
    database = try Database.open(path: path, options: options)
    let objects = try ObjectTransaction(try database.beginWrite(), schemas: schemas)
    _ = try objects.apply(Self.description)
    let snapshot = try objects.commit()
    schema = try schemas.schema(snapshot.root, in: snapshot.source)
    table = schema.description.classes[0].tableKey
  }

  var newestVersion: Version { database.newestVersion }

  private func column(_ name: String) -> ColumnKey {
    schema.description.classes[0].property(named: name)!.columnKey
  }

  private func write(_ body: (ObjectTransaction) throws -> Void) throws {
    let objects = try ObjectTransaction(try database.beginWrite(), schemas: schemas)
    try body(objects)
    commitCalledAt = monotonicNanoseconds()
    _ = try objects.commit()
  }

  func insert(_ identifiers: Range<Int>) throws {
    let inserter = Inserter(self)
    try write { objects in
      for identifier in identifiers { try inserter.insert(identifier, objects) }
    }
  }

  func insertOneByOne(_ identifiers: Range<Int>) throws {
    let inserter = Inserter(self)
    for identifier in identifiers { try write { try inserter.insert(identifier, $0) } }
  }

  private struct Inserter {
    let table: TableKey
    let name, age, score, date, flag: ColumnKey

    init(_ store: HoldfastStore) {
      table = store.table
      name = store.column("name")
      age = store.column("age")
      score = store.column("score")
      date = store.column("date")
      flag = store.column("flag")
    }

    func insert(_ identifier: Int, _ objects: ObjectTransaction) throws {
      let record = Record(identifier)
      let key = try objects.createObject(in: table, primaryKey: Int64(record.identifier)).key
      try objects.setString(record.name, name, of: key, in: table)
      try objects.setInt(Int64(record.age), age, of: key, in: table)
      try objects.setDouble(record.score, score, of: key, in: table)
      try objects.setDouble(record.date, date, of: key, in: table)
      try objects.setBool(record.flag, flag, of: key, in: table)
    }
  }

  func update(_ identifiers: [Int]) throws {
    let age = column("age")
    let primaryKey = schema.description.classes[0].primaryKey!
    for identifier in identifiers {
      try write { objects in
        let table = try objects.table(self.table)
        guard let key = try table.find(primaryKey: Int64(identifier), primaryKey),
          let position = try table.find(key)
        else { throw StoreError("object \(identifier) is missing") }
        let changed = (try table.int(age, at: position) + 1) % 100
        try objects.setInt(changed, age, of: key, in: self.table)
      }
    }
  }

  func pinAndUnpin(times: Int) throws {
    for _ in 0..<times { try database.withNewest { (_, _) throws(StorageError) in } }
  }

  func pin() throws { reader = try database.pinNewest() }

  func readAge(of identifier: Int, times: Int) throws -> Int {
    let realm = try Realm(
      configuration: Realm.Configuration(
        fileURL: URL(filePath: path), objectTypes: [Person.self]))
    guard let person = realm.object(ofType: Person.self, forPrimaryKey: identifier)
    else { throw StoreError("object \(identifier) is missing") }
    var sum = 0
    for _ in 0..<times { sum &+= person.age }
    return sum
  }

  func count(age: Int) throws -> Int {
    let query = try CompiledQuery(
      QueryDescription(
        .table(table),
        where: .compare(.path(QueryPath("age")), .equal, .value(.int(Int64(age))))),
      schema: schema.description)
    let snapshot = try database.pinNewest()
    defer { snapshot.release() }
    return try query.count(
      StoreView(source: snapshot.source, root: snapshot.root, schema: schema.description))
  }

  func sizeBytes() throws -> Int { try Self.size(of: [URL(filePath: path)]) }
}
