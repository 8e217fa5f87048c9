import Foundation
import ObjectStore
import Storage
import Testing
import ToolReports

/// The tool as a user starts it. It lies beside the tests' own program.
enum Tool {
  struct Result {
    var status: Int32
    var output: String
    var errors: String
  }

  static func run(_ arguments: String...) throws -> Result { try run(arguments) }

  static func run(_ arguments: [String]) throws -> Result {
    let process = Process()
    let output = Pipe()
    let errors = Pipe()
    process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "holdfast")
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    let errorText = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
      errors: String(decoding: errorText, as: UTF8.self))
  }

  static func report<Report: TextReport>(_ arguments: String...) throws -> Report {
    let result = try run(arguments + ["--json"])
    try #require(result.status == 0, "\(result.output)\(result.errors)")
    return try Report(json: Data(result.output.utf8))
  }
}

/// Gives `body` an empty folder, which is gone afterwards.
func inFolder(_ body: (String) throws -> Void) throws {
  let folder = NSTemporaryDirectory() + "holdfast-tool-" + UUID().uuidString
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  try body(folder)
}

/// A database with a class of items that stay open in this process.
final class Shop {
  let path: String
  let database: Database
  private let schemas = SchemaCache()
  private var next: Int64 = 0

  init(folder: String, key: EncryptionKey? = nil) throws {
    path = folder + "/shop.realm"
    var options = DatabaseOptions()
    options.durability = .relaxed
    options.encryptionKey = key
    options.compactsInBackground = false
    options.label = "shop"
    database = try Database.open(path: path, options: options)
    let description = ClassDescription(
      name: "Item",
      properties: [
        PropertyDescription(name: "id", kind: .int, isPrimaryKey: true),
        PropertyDescription(name: "name", kind: .string, isOptional: true),
        PropertyDescription(name: "parts", kind: .object, collection: .list, linkTarget: "Item"),
      ])
    try write { _ = try $0.apply(SchemaDescription(classes: [description])) }
  }

  private var item: ClassDescription {
    get throws {
      let snapshot = try database.pinNewest()
      return try schemas.schema(snapshot.root, in: snapshot.source).description.classes[0]
    }
  }

  private func write(_ body: (ObjectTransaction) throws -> Void) throws {
    let objects = try ObjectTransaction(try database.beginWrite(), schemas: schemas)
    try body(objects)
    _ = try objects.commit()
  }

  /// Adds items, each a part of the one before.
  func fill(_ count: Int) throws {
    let item = try item
    let name = item.property(named: "name")!.columnKey
    let parts = item.property(named: "parts")!.columnKey
    try write { objects in
      var last: ObjectKey?
      for _ in 0..<count {
        let key = try objects.createObject(in: item.tableKey, primaryKey: next).key
        try objects.setString("item number \(next)", name, of: key, in: item.tableKey)
        if let last {
          try objects.listInsert(
            .link(item.tableKey, key), at: 0, parts, of: last, in: item.tableKey)
        }
        last = key
        next += 1
      }
    }
  }

  func deleteAll() throws {
    let table = try item.tableKey
    try write { try $0.deleteAllObjects(in: table) }
  }

  func count() throws -> Int {
    let snapshot = try database.pinNewest()
    let table = try StoreRoot.table(try item.tableKey, root: snapshot.root, in: snapshot.source)
    return table?.count ?? 0
  }

  /// Turns a bit over in the first leaf of the table; returns where the leaf is.
  func damage() throws -> UInt64 {
    let snapshot = try database.pinNewest()
    let table = try #require(
      try StoreRoot.table(try item.tableKey, root: snapshot.root, in: snapshot.source))
    var reference = table.clusterRoot
    while try snapshot.source.node(reference).kind == .clusterInner {
      reference = try snapshot.source.node(reference).reference(0)
    }
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.seek(toOffset: reference.offset + 40)
    let byte = try #require(try file.read(upToCount: 1)?.first)
    try file.seek(toOffset: reference.offset + 40)
    try file.write(contentsOf: Data([byte ^ 1]))
    try file.close()
    return reference.offset
  }
}
