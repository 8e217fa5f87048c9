import Dispatch
import Foundation
import Platform
import Storage
import Testing

@testable import RealmSwift

/// What the last closing of a file leaves for the next opening, also after the machine was
/// restarted.
@Suite struct ClosingTests {
  let first = WatchedMachine(boot: 1)
  let second = WatchedMachine(boot: 2)

  private func write(_ count: Int, _ file: TemporaryRealm) throws {
    let realm = try file.open()
    for index in 0..<count { try realm.write { realm.add(Animal("a", age: index)) } }
  }

  @Test(arguments: [Realm.Configuration.Durability.relaxed, .grouped, .full])
  func `commits survive the last close and a restart of the machine`(
    durability: Realm.Configuration.Durability
  ) throws {
    let file = TemporaryRealm(TemporaryRealm.types, durability)
    RealmSystem.use(first, forFileAt: file.path)
    try write(20, file)
    #expect(first.waitForClose())
    #expect(first.unflushedWrites == 0)
    RealmSystem.use(second, forFileAt: file.path)
    #expect(try file.open().objects(Animal.self).count == 20)
  }

  @Test func `after the last close the newest version is durable`() throws {
    let file = TemporaryRealm()
    RealmSystem.use(first, forFileAt: file.path)
    try write(1, file)
    #expect(first.waitForClose())
    let database = try Database.open(path: file.path, system: second)
    #expect(try database.pinNewest().version == database.durableVersion)
    #expect(database.newestVersion > 2)
  }

  @Test func `who waits for a version to be durable is called though the file is closed`() throws {
    let file = TemporaryRealm()
    RealmSystem.use(first, forFileAt: file.path)
    let called = DispatchSemaphore(value: 0)
    try withRelaxedDatabase(file.path) { database in
      try write(1, file)
      database.whenDurable(database.newestVersion) { outcome in
        if case .success = outcome { called.signal() }
      }
    }
    #expect(called.wait(timeout: .now() + .seconds(20)) == .success)
  }

  private func withRelaxedDatabase(_ path: String, _ body: (Database) throws -> Void) throws {
    var options = DatabaseOptions()
    options.durability = .relaxed
    try body(Database.open(path: path, options: options, system: first))
  }

  @Test(arguments: [Realm.Configuration.Durability.relaxed, .grouped, .full])
  func `compaction on launch makes the file shorter`(
    durability: Realm.Configuration.Durability
  ) throws {
    let file = TemporaryRealm([OpeningItem.self], durability)
    RealmSystem.use(first, forFileAt: file.path)
    try fillAndEmpty(file)
    #expect(first.waitForClose())
    let before = try length(file)
    var configuration = file.configuration
    configuration.shouldCompactOnLaunch = { _, _ in true }
    #expect(try Realm(configuration: configuration).objects(OpeningItem.self).count == 10)
    #expect(first.waitForClose())
    let after = try length(file)
    #expect(after < before / 4, "\(before) bytes became \(after)")
    #expect(try file.open().objects(OpeningItem.self).count == 10)
  }

  private func fillAndEmpty(_ file: TemporaryRealm) throws {
    let realm = try file.open()
    try realm.write {
      for id in 0..<2000 {
        realm.create(OpeningItem.self, value: ["id": id, "payload": Data(count: 1000)])
      }
    }
    try realm.write { realm.delete(realm.objects(OpeningItem.self).where { $0.id >= 10 }) }
  }

  private func length(_ file: TemporaryRealm) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: file.path)[.size] as! Int
  }
}
