import Foundation
import RealmSwift
import Storage
import TestSupport
import Testing

final class SecretNote: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var title: String
  @Persisted var text: Data
  @Persisted var tags: List<String>
}

@Suite struct EncryptionTests {
  private let directory = TemporaryDirectory()
  private let key = Data((0..<64).map { UInt8($0 * 3) })
  private let otherKey = Data(repeating: 5, count: 64)

  private func configuration(
    _ name: String = "secret.realm", key: Data?, version: UInt64 = 0
  ) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(fileURLWithPath: directory.file(name)), encryptionKey: key,
      schemaVersion: version, objectTypes: [SecretNote.self])
  }

  private func fill(_ configuration: Realm.Configuration) throws {
    let realm = try Realm(configuration: configuration)
    try realm.write {
      for id in 0..<200 {
        let note = SecretNote()
        note.id = id
        note.title = "a well-kept secret \(id)"
        note.text = Data(repeating: UInt8(id), count: 300)
        note.tags.append(objectsIn: ["private", "well-kept"])
        realm.add(note)
      }
    }
  }

  private func check(_ configuration: Realm.Configuration) throws {
    let realm = try Realm(configuration: configuration)
    let notes = realm.objects(SecretNote.self)
    #expect(notes.count == 200)
    #expect(notes.where { $0.title == "a well-kept secret 77" }.first?.id == 77)
    #expect(notes.filter("ANY tags == 'well-kept'").count == 200)
    #expect(realm.object(ofType: SecretNote.self, forPrimaryKey: 9)?.text.first == 9)
  }

  private func bytes(_ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: directory.file(name)))
  }

  private func failure(_ configuration: Realm.Configuration) -> Realm.Error? {
    do { _ = try Realm(configuration: configuration) } catch { return error as? Realm.Error }
    return nil
  }

  @Test func `an encrypted realm is read with its key, and shows nothing without it`() throws {
    try fill(configuration(key: key))
    try check(configuration(key: key))
    let stored = try bytes("secret.realm")
    for text in ["well-kept", "SecretNote", "private"] {
      #expect(stored.range(of: Data(text.utf8)) == nil)
    }
    try fill(configuration("plain.realm", key: nil))
    #expect(try bytes("plain.realm").range(of: Data("well-kept".utf8)) != nil)
  }

  @Test func `a realm is not opened with another key or none, nor a plain one with a key`() throws {
    try fill(configuration(key: key))
    try fill(configuration("plain.realm", key: nil))
    for wrong in [
      configuration(key: otherKey), configuration(key: nil),
      configuration("plain.realm", key: key),
    ] {
      let error = failure(wrong)
      #expect(error?.code == .invalidDatabase)
      #expect(error?.localizedDescription.contains("Realm file decryption failed") == true)
      #expect(error?.localizedDescription.contains(wrong.fileURL!.path) == true)
    }
    try check(configuration(key: key))
  }

  @Test func `a realm that is open with another key is not opened again`() throws {
    let realm = try Realm(configuration: configuration(key: key))
    for wrong in [otherKey, nil] {
      let error = failure(configuration(key: wrong))
      #expect(error?.code == .alreadyOpen)
      #expect(error?.localizedDescription.contains("different encryption key") == true)
    }
    #expect(realm.isEmpty)
  }

  /// Another process, through the layer below.
  private func otherProcess(_ path: String) throws -> Database {
    var options = DatabaseOptions()
    options.encryptionKey = EncryptionKey(key)
    return try Database.open(path: path, options: options)
  }

  @Test func `a key is not changed while another process has the file open`() throws {
    let old = configuration(key: key)
    try fill(old)
    let database = try otherProcess(old.fileURL!.path)
    try autoreleasepool {
      let realm = try Realm(configuration: old)
      try realm.writeCopy(
        toFile: URL(fileURLWithPath: directory.file("new.realm")), encryptionKey: otherKey)
    }
    let error = #expect(throws: Realm.Error.self) { try Realm.deleteFiles(for: old) }
    #expect(error?.code == .alreadyOpen)
    try check(old)
    try check(configuration("new.realm", key: otherKey))
    withExtendedLifetime(database) {}
  }

  @Test func `a copy has the key that it is given`() throws {
    try fill(configuration(key: key))
    let realm = try Realm(configuration: configuration(key: key))
    func url(_ name: String) -> URL { URL(fileURLWithPath: directory.file(name)) }
    try realm.writeCopy(toFile: url("other.realm"), encryptionKey: otherKey)
    try realm.writeCopy(toFile: url("plain.realm"))
    try realm.writeCopy(configuration: configuration("same.realm", key: key))
    try check(configuration("other.realm", key: otherKey))
    try check(configuration("plain.realm", key: nil))
    try check(configuration("same.realm", key: key))
    #expect(failure(configuration("other.realm", key: key))?.code == .invalidDatabase)
    // The same data under the same key looks otherwise in each file.
    let nodes = 16384..<20000
    try realm.writeCopy(configuration: configuration("again.realm", key: key))
    #expect(try bytes("same.realm")[nodes] != bytes("again.realm")[nodes])
  }

  @Test func `the key of a realm is changed by way of a copy`() throws {
    try fill(configuration(key: key))
    let new = URL(fileURLWithPath: directory.file("new.realm"))
    try autoreleasepool {
      let realm = try Realm(configuration: configuration(key: key))
      try realm.writeCopy(toFile: new, encryptionKey: otherKey)
    }
    _ = try Realm.deleteFiles(for: configuration(key: key))
    try FileManager.default.moveItem(at: new, to: configuration(key: key).fileURL!)
    #expect(failure(configuration(key: key))?.code == .invalidDatabase)
    try check(configuration(key: otherKey))
  }

  @Test func `a schema version is read with the key`() throws {
    try fill(configuration(key: key, version: 7))
    let url = configuration(key: key).fileURL!
    #expect(try schemaVersionAtURL(url, encryptionKey: key) == 7)
    for wrong in [otherKey, nil] {
      #expect(throws: Realm.Error.self) { try schemaVersionAtURL(url, encryptionKey: wrong) }
    }
  }

  @Test func `a seed file keeps its key`() throws {
    try fill(configuration("seed.realm", key: key))
    var seeded = configuration(key: key)
    seeded.seedFilePath = URL(fileURLWithPath: directory.file("seed.realm"))
    try check(seeded)
  }

  @Test func `data in memory is encrypted as well`() throws {
    let identifier = "secret-\(UUID().uuidString)"
    let memory = Realm.Configuration(
      inMemoryIdentifier: identifier, encryptionKey: key, objectTypes: [SecretNote.self])
    let realm = try Realm(configuration: memory)
    try fill(memory)
    try check(memory)
    #expect(!realm.isEmpty)
  }

  @Test @MainActor func `an encrypted realm is observed and frozen`() async throws {
    try fill(configuration(key: key))
    let realm = try open(configuration(key: key))
    let frozen = realm.objects(SecretNote.self).freeze()
    var modified: [Int] = []
    for await change in realm.objects(SecretNote.self).where({ $0.id < 10 }).changes {
      if case .update(_, _, _, let modifications) = change {
        modified = modifications
        break
      }
      try realm.write { realm.object(ofType: SecretNote.self, forPrimaryKey: 3)!.title = "new" }
    }
    #expect(modified == [3])
    #expect(frozen.count == 200 && frozen[3].title == "a well-kept secret 3")
  }

  /// Not the asynchronous initialiser, which an asynchronous function would get.
  private func open(_ configuration: Realm.Configuration) throws -> Realm {
    try Realm(configuration: configuration)
  }

  @Test func `an encrypted realm is migrated and compacted`() throws {
    try fill(configuration(key: key))
    var newer = configuration(key: key, version: 2)
    newer.migrationBlock = { _, _ in }
    try Realm.performMigration(for: newer)
    try autoreleasepool {
      let realm = try Realm(configuration: newer)
      try realm.write { realm.delete(realm.objects(SecretNote.self).where { $0.id >= 100 }) }
    }
    newer.shouldCompactOnLaunch = { _, _ in true }
    #expect(try Realm(configuration: newer).objects(SecretNote.self).count == 100)
  }
}
