import Dispatch
import ObjectStore
import Storage

/// A row of a record file, by the names of its properties.
typealias Record = [String: StoredValue]

/// A Holdfast file of records with a string as their key. Several processes may use it at once: the
/// server and the subcommands.
final class RecordFile: Sendable {
  let database: Database
  private let schemas = SchemaCache()
  /// Flushes block, and so must not be on threads that others wait for.
  private let queue = DispatchQueue(label: "records")

  /// Opens the file, and makes it with these classes if it lacks them.
  init(path: String, classes: [ClassDescription]) throws(StorageError) {
    var options = DatabaseOptions()
    options.durability = .full
    options.label = "sync-server"
    database = try Database.open(path: path, options: options)
    let transaction = try ObjectTransaction(database.beginWrite(), schemas: schemas)
    defer { transaction.cancel() }
    if try transaction.apply(SchemaDescription(classes: classes)) {
      try transaction.commit().release()
    }
  }

  /// Reads the newest version.
  func read<Result>(_ body: (RecordReader) throws -> Result) throws -> Result {
    let snapshot = try database.pinNewest()
    defer { snapshot.release() }
    let schema = try schemas.schema(snapshot.root, in: snapshot.source).description
    return try body(
      RecordReader(
        view: StoreView(source: snapshot.source, root: snapshot.root, schema: schema)))
  }

  /// Writes in one transaction, which is durable when this returns; nothing if `body` throws.
  func write<Result: Sendable>(
    _ body: @escaping @Sendable (RecordWriter) throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(with: Swift.Result { try self.writeNow(body) })
      }
    }
  }

  /// The same, on this thread.
  func writeNow<Result>(_ body: (RecordWriter) throws -> Result) throws -> Result {
    let transaction = try ObjectTransaction(database.beginWrite(), schemas: schemas)
    defer { transaction.cancel() }
    let result = try body(RecordWriter(transaction: transaction))
    try transaction.commit().release()
    return result
  }
}

/// Reads records of one version.
struct RecordReader {
  let view: StoreView

  /// The record with that key.
  func find(_ name: String, _ key: String) throws -> Record? {
    guard let type = view.schema.description(of: name), let table = try view.table(type.tableKey),
      let primary = type.primaryKey,
      let found = try table.find(primaryKey: .string(key), primary)
    else { return nil }
    return try record(found, type, table)
  }

  /// The records of which an indexed property has that value.
  func all(_ name: String, where property: String, is value: String) throws -> [Record] {
    guard let type = view.schema.description(of: name), let table = try view.table(type.tableKey),
      let property = type.property(named: property), let index = try table.index(of: property)
    else { return [] }
    return try index.keys(equal: .string(value)).compactMap { try record($0, type, table) }
  }

  private func record(
    _ key: ObjectKey, _ type: ClassDescription, _ table: Table
  ) throws -> Record? {
    guard let position = try table.find(key) else { return nil }
    var record: Record = [:]
    for property in type.properties {
      record[property.name] = try table.value(of: property, at: position)
    }
    return record
  }
}

/// Changes records in a transaction.
struct RecordWriter {
  let transaction: ObjectTransaction

  /// What is there now.
  var reader: RecordReader { RecordReader(view: transaction.view) }

  /// Sets properties of the record with that key, which is made if it is not there.
  func put(_ name: String, _ key: String, _ values: Record) throws {
    let type = try description(name)
    let (object, _) = try transaction.createObject(in: type.tableKey, primaryKey: .string(key))
    for (property, value) in values {
      guard let property = type.property(named: property) else {
        preconditionFailure("\(name) has no property \(property)")
      }
      try transaction.set(value, property.columnKey, of: object, in: type.tableKey)
    }
  }

  /// Removes a record, and says whether there was one.
  @discardableResult
  func remove(_ name: String, _ key: String) throws -> Bool {
    let type = try description(name)
    guard let primary = type.primaryKey,
      let found = try transaction.table(type.tableKey).find(primaryKey: .string(key), primary)
    else { return false }
    try transaction.deleteObject(found, in: type.tableKey)
    return true
  }

  private func description(_ name: String) throws -> ClassDescription {
    guard let type = transaction.schema.description.description(of: name) else {
      preconditionFailure("no class is called \(name)")
    }
    return type
  }
}

extension Record {
  func text(_ name: String) -> String {
    if case .string(let text) = self[name] { text } else { "" }
  }

  func bytes(_ name: String) -> [UInt8] {
    if case .data(let bytes) = self[name] { bytes } else { [] }
  }

  func flag(_ name: String) -> Bool { self[name] == .bool(true) }

  func seconds(_ name: String) -> Double {
    if case .double(let value) = self[name] { value } else { 0 }
  }
}
