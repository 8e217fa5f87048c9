import Foundation
import Storage
import TestSupport
import Testing

@testable import ObjectStore

@Suite struct CheckMemoryTests {
  /// Links and an index of 400,000 objects are checked with no more than 32 MB of private memory.
  @Test func `memory for the check of objects does not grow with their number`() async {
    await #expect(processExitsWith: .success) {
      let directory = FileManager.default.temporaryDirectory.path
      let path = "\(directory)/check-\(ProcessInfo.processInfo.processIdentifier).realm"
      defer {
        for name in [path, path + ".lock"] { try? FileManager.default.removeItem(atPath: name) }
      }
      var options = DatabaseOptions()
      options.durability = .relaxed
      options.compactsInBackground = false
      let database = try Database.open(path: path, options: options)
      let table = TableKey(rawValue: 0)
      let count = 400_000
      for part in 0..<20 {
        let transaction = try database.beginWrite()
        let objects = try ObjectTransaction(transaction, schemas: SchemaCache())
        if part == 0 {
          try objects.apply(
            SchemaDescription(classes: [
              ClassDescription(
                name: "Item",
                properties: [
                  PropertyDescription(name: "id", kind: .int, isPrimaryKey: true),
                  PropertyDescription(name: "next", kind: .object, linkTarget: "Item"),
                ])
            ]))
        }
        for number in 0..<count / 20 {
          let id = Int64(part * (count / 20) + number)
          let key = try objects.createObject(in: table, primaryKey: id &* 7919 % 400_009).key
          try objects.setLink(
            ObjectKey(rawValue: id / 2), ColumnKey(rawValue: 1), of: key, in: table)
        }
        _ = try objects.commit()
      }
      let snapshot = try database.pinNewest()
      MemoryLimit.allowPrivateMemory(more: 32 << 20)
      var told = 0
      let findings = StoreCheck.findings(root: snapshot.root, in: snapshot.source) { told = $1 }
      precondition(findings.isEmpty, "\(findings.prefix(3))")
      precondition(told == count)
    }
  }
}
