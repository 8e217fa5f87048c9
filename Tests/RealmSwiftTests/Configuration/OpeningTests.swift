import Foundation
import Platform
import Synchronization
import TestSupport
import Testing

@testable import RealmSwift

final class OpeningItem: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var payload: Data
}

/// What the blocks of a configuration are asked, and when.
@Suite struct OpeningTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
    "opening-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  private func configuration(version: UInt64 = 0) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: directory.appendingPathComponent("a.realm"), schemaVersion: version,
      objectTypes: [OpeningItem.self])
  }

  private func fill(_ configuration: Realm.Configuration, count: Int) throws {
    try autoreleasepool {
      let realm = try Realm(configuration: configuration)
      try realm.write {
        for id in 0..<count {
          let item = OpeningItem()
          item.id = id
          item.payload = Data(repeating: UInt8(id & 255), count: 1000)
          realm.add(item)
        }
      }
    }
  }

  @Test func migrationBlockIsCalledOnceForANewerVersion() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let calls = Mutex<[String]>([])
    var first = configuration(version: 1)
    first.migrationBlock = { _, _ in calls.withLock { $0.append("new file") } }
    try fill(first, count: 1)
    var second = configuration(version: 4)
    second.migrationBlock = { migration, oldVersion in
      let names = migration.oldSchema["OpeningItem"]?.properties.map(\.name) ?? []
      calls.withLock {
        $0.append("\(oldVersion) \(names) \(migration.newSchema["OpeningItem"] != nil)")
      }
    }
    #expect(try Realm(configuration: second).objects(OpeningItem.self).count == 1)
    #expect(try Realm(configuration: second).objects(OpeningItem.self).count == 1)
    #expect(calls.withLock { $0 } == [#"1 ["id", "payload"] true"#])
  }

  @Test func aFileInUseIsNotDeletedForItsSchema() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try fill(configuration(version: 5), count: 3)
    var older = configuration(version: 4)
    older.deleteRealmIfMigrationNeeded = true
    let replacing = older
    let open = try Realm(configuration: configuration(version: 5))
    let thread = LoopThread(name: "older")
    thread.performAndWait {
      let error = #expect(throws: Realm.Error.self) { try Realm(configuration: replacing) }
      #expect(error?.code == .alreadyOpen)
    }
    thread.join()
    #expect(Realm.fileExists(for: older))
    #expect(open.objects(OpeningItem.self).count == 3)
  }

  /// Another process that has the file open, through the layer below.
  private func otherProcess() throws -> ChildProcess {
    let child = try ChildProcess(
      program: "TestProgram", ["obey", configuration().path, "full"])
    #expect(try child.readLine() == "ready")
    #expect(try child.ask("open").hasPrefix("opened"))
    return child
  }

  @Test func aFileThatAnotherProcessHasOpenIsNotDeleted() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try fill(configuration(), count: 3)
    let other = try otherProcess()
    let error = #expect(throws: Realm.Error.self) {
      try Realm.deleteFiles(for: configuration())
    }
    #expect(error?.code == .alreadyOpen)
    #expect(Realm.fileExists(for: configuration()))
    _ = try other.ask("close")
    #expect(try Realm.deleteFiles(for: configuration()))
  }

  @Test func aFileThatAnotherProcessHasOpenIsEmptiedForItsSchema() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try fill(configuration(version: 5), count: 3)
    let other = try otherProcess()
    var older = configuration(version: 4)
    older.deleteRealmIfMigrationNeeded = true
    let replacing = older
    let inode = try inode(of: older)
    try autoreleasepool {
      let realm = try Realm(configuration: replacing)
      #expect(realm.objects(OpeningItem.self).isEmpty)
      #expect(realm.instance.snapshot!.storeFindings().isEmpty)
      try realm.write { realm.add(OpeningItem(value: ["id": 1])) }
    }
    #expect(try self.inode(of: older) == inode, "the other process would go on with the old file")
    _ = try other.ask("close")
    #expect(try schemaVersionAtURL(older.fileURL!) == 4)
  }

  private func inode(of configuration: Realm.Configuration) throws -> UInt64? {
    let attributes = try FileManager.default.attributesOfItem(atPath: configuration.path)
    return (attributes[.systemFileNumber] as? NSNumber)?.uint64Value
  }

  @Test(arguments: [true, false])
  func aProcessHasAFileOpenForReadingOrForWriting(readsFirst: Bool) throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try fill(configuration(), count: 3)
    var (first, second) = (configuration(), configuration())
    first.readOnly = readsFirst
    second.readOnly = !readsFirst
    let other = second
    let realm = try Realm(configuration: first)
    let error = #expect(throws: Realm.Error.self) { try Realm(configuration: other) }
    #expect(error?.code == .alreadyOpen)
    #expect(
      error?.localizedDescription.hasPrefix(
        "Realm at path '\(first.path)' already opened with different read permissions.") == true)
    #expect(realm.objects(OpeningItem.self).count == 3)
  }

  @Test func aRealmIsClosedWhenItIsLetGoOf() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    var relaxed = configuration()
    relaxed.durability = .relaxed
    // Also while the news of its last commit are on their way.
    for round in 0..<2500 {
      do {
        let realm = try Realm(configuration: relaxed)
        try realm.write { realm.add(OpeningItem(value: ["id": round])) }
        for _ in 0..<(round * 37 % 3000) { withExtendedLifetime(realm) {} }
      }
      #expect(!SharedRealm.isOpen(relaxed.path))
    }
  }

  @Test func defaultRealmMakesItsDirectory() async throws {
    try FileManager.default.removeItem(at: directory)
    // In a process of its own, since it changes the environment.
    await #expect(processExitsWith: .success) {
      let home = FileManager.default.temporaryDirectory.appendingPathComponent(
        "data-\(UUID().uuidString)")
      unsafe setenv("XDG_DATA_HOME", home.path, 1)
      defer { try? FileManager.default.removeItem(at: home) }
      var configuration = Realm.Configuration()
      configuration.objectTypes = [OpeningItem.self]
      // As the documentation has it for a file for each user.
      configuration.fileURL!.deleteLastPathComponent()
      configuration.fileURL!.appendPathComponent("Galadriel")
      configuration.fileURL!.appendPathExtension("realm")
      Realm.Configuration.defaultConfiguration = configuration
      let realm = try Realm()
      try realm.write { _ = realm.create(OpeningItem.self, value: ["id": 1]) }
      let expected = Realm.Configuration.defaultFileURL.deletingLastPathComponent()
        .appendingPathComponent("Galadriel.realm")
      precondition(expected.path.hasPrefix(home.path))
      precondition(FileManager.default.fileExists(atPath: expected.path))
    }
  }

  @Test func aLowerVersionIsAnError() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try fill(configuration(version: 4), count: 1)
    let error = #expect(throws: Realm.Error.self) {
      try Realm(configuration: configuration(version: 3))
    }
    #expect(error?.code == .schemaMismatch)
  }

  @Test func compactionIsAskedForOncePerProcessAndShrinksTheFile() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try fill(configuration(), count: 4000)
    try autoreleasepool {
      let realm = try Realm(configuration: configuration())
      try realm.write { realm.delete(realm.objects(OpeningItem.self).where { $0.id > 100 }) }
    }
    let asked = Mutex<[(total: Int, used: Int)]>([])
    var compacting = configuration()
    compacting.shouldCompactOnLaunch = { total, used in
      asked.withLock { $0.append((total, used)) }
      return true
    }
    let realm = try Realm(configuration: compacting)
    _ = try Realm(configuration: compacting)
    #expect(realm.objects(OpeningItem.self).count == 101)
    let sizes = asked.withLock { $0 }
    #expect(sizes.count == 1)
    #expect(sizes[0].used < 1_000_000)
    #expect(sizes[0].used <= sizes[0].total)
    // What was freed is with the file system again, as holes or by a shorter file.
    let file = try PosixSystem.shared.openFile(path: compacting.path, mode: .readOnly)
    #expect(try file.allocatedSize() < 1_000_000)
  }
}
