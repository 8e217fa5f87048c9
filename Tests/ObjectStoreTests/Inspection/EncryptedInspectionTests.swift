import EngineLab
import TestSupport
import Testing

@testable import ObjectStore
@testable import Storage

/// What the checks of an encrypted file leave behind in the process that runs them.
@Suite struct EncryptedInspectionTests {
  private static func options() -> DatabaseOptions {
    var options = DatabaseOptions()
    options.encryptionKey = .lab
    options.compactsInBackground = false
    options.mappingReservation = 1 << 24
    return options
  }

  /// A file that this process has written and opened anew, so that nothing of it is decrypted.
  private func opened(_ system: SimulatedSystem) throws -> Database {
    system.recordsCalls = false
    var database: Database? = try Database.open(
      path: "/a.realm", options: Self.options(), system: system)
    let objects = try ObjectTransaction(try database!.beginWrite(), schemas: SchemaCache())
    try objects.apply(
      SchemaDescription(classes: [
        ClassDescription(
          name: "Note",
          properties: [
            PropertyDescription(name: "text", kind: .string),
            PropertyDescription(name: "number", kind: .int, isIndexed: true),
          ])
      ]))
    let note = objects.schema.description.classes[0]
    for number in 0..<20_000 {
      let key = try objects.createObject(in: note.tableKey)
      try objects.setString(
        "the text of note \(number)", note.property(named: "text")!.columnKey, of: key,
        in: note.tableKey)
      try objects.setInt(
        Int64(number), note.property(named: "number")!.columnKey, of: key, in: note.tableKey)
    }
    _ = try objects.commit()
    database = nil
    return try Database.open(path: "/a.realm", options: Self.options(), system: system)
  }

  /// Pages of decrypted nodes that the process keeps.
  private func decryptedPages(_ database: Database, of size: UInt64) throws -> Int {
    guard let shadow = try unsafe database.mappings.mapping(covering: 0).shadow else { return 0 }
    return stride(from: 0, to: Int(size), by: 4096).count { offset in
      unsafe UnsafeRawBufferPointer(start: shadow + offset, count: 4096)
        .bindMemory(to: UInt64.self).contains { $0 != 0 }
    }
  }

  @Test func `checks and reports keep nothing decrypted`() throws {
    let system = SimulatedSystem()
    let database = try opened(system)
    let snapshot = try database.pinNewest()
    let before = try decryptedPages(database, of: snapshot.logicalSize)
    #expect(snapshot.storeFindings().isEmpty)
    let space = try snapshot.storeSpace()
    #expect(space.tables.first?.totalBytes ?? 0 > 500_000)
    let after = try decryptedPages(database, of: snapshot.logicalSize)
    #expect(after <= before + 4, "\(after) pages, \(before) before")
    // What is read as usual stays.
    _ = try StoreSpace(root: snapshot.root, in: snapshot.source)
    #expect(try decryptedPages(database, of: snapshot.logicalSize) > 100)
  }
}
