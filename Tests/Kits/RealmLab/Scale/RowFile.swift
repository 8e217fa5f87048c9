import Foundation
import ObjectStore
import Platform
import RealmSwift
import Storage

// One class in two generations; both are `Row` in the file.

final class RowBefore: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var title: String
  @Persisted var amount: Int
  @Persisted var note: String?
  @Persisted var next: RowBefore?

  override class func _realmObjectName() -> String? { "Row" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  static func title(_ id: Int) -> String { "the title of row \(id), some forty bytes long" }
}

final class RowAfter: Object {
  /// Was an integer.
  @Persisted(primaryKey: true) var id: String
  /// Was `title`.
  @Persisted var name: String
  /// Was an integer.
  @Persisted var amount: Double
  /// Was optional.
  @Persisted var note: String
  @Persisted(indexed: true) var size: Int
  @Persisted var next: RowAfter?

  override class func _realmObjectName() -> String? { "Row" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

enum RowFile {
  static let encryptedName = "encrypted.realm"

  /// The key of a file; nil unless its name says that it is encrypted.
  static func key(_ path: String) -> Data? { path.hasSuffix(encryptedName) ? LabRealm.key : nil }

  /// What is damaged in the file, and in what the newest version holds.
  static func findings(_ path: String) throws -> [String] {
    var options = DatabaseOptions()
    options.encryptionKey = key(path).flatMap { EncryptionKey($0) }
    let database = try Database.open(path: path, options: options)
    let damage = try database.verify().findings.prefix(3).map(\.description)
    let snapshot = try database.pinNewest()
    defer { snapshot.release() }
    return damage + snapshot.storeFindings().prefix(3).map { "\($0)" }
  }

  static func before(_ path: String) -> Realm.Configuration {
    var configuration = LabRealm.configuration(path, .relaxed, types: [RowBefore.self])
    configuration.encryptionKey = key(path)
    return configuration
  }

  static func after(
    _ path: String, _ durability: Realm.Configuration.Durability = .full
  ) -> Realm.Configuration {
    var configuration = LabRealm.configuration(path, durability, types: [RowAfter.self])
    configuration.encryptionKey = key(path)
    configuration.schemaVersion = 1
    configuration.migrationBlock = { migration, _ in
      migration.renameProperty(onType: "Row", from: "title", to: "name")
      migration.enumerateObjects(ofType: "Row") { old, new in
        let id = old!["id"] as! Int
        new!["id"] = "row \(id)"
        new!["size"] = id % 1000
      }
    }
    return configuration
  }

  /// Fills a new file with rows, about so many bytes.
  ///
  /// - Returns: how many rows.
  static func fill(_ path: String, megabytes: Int) throws -> Int {
    let realm = try Realm(configuration: before(path))
    let count = megabytes * 1_000_000 / 78
    for start in stride(from: 0, to: count, by: 50_000) {
      try realm.write {
        var last: RowBefore?
        for id in start..<min(count, start + 50_000) {
          let row = realm.create(RowBefore.self, value: ["id": id, "amount": id * 3])
          row.title = RowBefore.title(id)
          row.note = id % 2 == 0 ? nil : "note \(id % 100)"
          if id % 16 == 0 { row.next = last }
          last = row
        }
      }
    }
    return count
  }

  /// What is wrong with the rows of the old generation; nil for nothing.
  static func faultBefore(_ path: String, count: Int) throws -> String? {
    let rows = try Realm(configuration: before(path)).objects(RowBefore.self)
    if rows.count != count { return "\(rows.count) old rows of \(count)" }
    for (id, row) in rows.enumerated() {
      guard row.id == id, row.amount == id * 3, row.title == RowBefore.title(id),
        row.note == (id % 2 == 0 ? nil : "note \(id % 100)")
      else { return "old row \(id) is \(row)" }
    }
    return nil
  }

  /// What is wrong with the rows of the new generation; nil for nothing.
  static func faultAfter(_ path: String, count: Int) throws -> String? {
    let realm = try Realm(configuration: after(path))
    let rows = realm.objects(RowAfter.self)
    if rows.count != count { return "\(rows.count) new rows of \(count)" }
    for (id, row) in rows.enumerated() {
      guard row.id == "row \(id)", row.amount == Double(id * 3), row.name == RowBefore.title(id),
        row.note == (id % 2 == 0 ? "" : "note \(id % 100)"), row.size == id % 1000
      else { return "new row \(id) is \(row)" }
    }
    if rows.filter("size == 7").count != (count + 992) / 1000 { return "the index does not hold" }
    if realm.object(ofType: RowAfter.self, forPrimaryKey: "row 5")?.size != 5 {
      return "the primary key does not hold"
    }
    return nil
  }
}
