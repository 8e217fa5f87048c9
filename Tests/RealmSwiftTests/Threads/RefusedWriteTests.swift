import Dispatch
import Foundation
import ObjectStore
import Storage
import Testing

@testable import RealmSwift

/// A write that cannot begin, because another program has given the file a schema that this one's
/// classes do not fit, leaves nothing that keeps the file open.
@Suite struct RefusedWriteTests {
  let file = TemporaryRealm.forThreads()
  let machine = WatchedMachine(boot: 1)

  init() throws {
    // Another program's, so that it is not this one's realm that is opened here.
    try file.open().write {}
  }

  /// What another program does to the file, through the layer below.
  @Sendable
  private static func migrate(_ path: String) throws {
    let database = try Database.open(path: path, options: DatabaseOptions())
    let schemas = SchemaCache()
    let transaction = try ObjectTransaction(try database.beginWrite(), schemas: schemas)
    var wanted = transaction.schema.description
    let place = try #require(wanted.classes.firstIndex { $0.name == "Letter" })
    wanted.classes[place].properties.removeAll { $0.name == "isAnswered" }
    wanted.version = 7
    try transaction.beginMigration(to: wanted)
    try transaction.finishMigration(to: wanted)
    _ = try transaction.commit()
  }

  private enum Way: CaseIterable, Sendable {
    case block, transaction, observed, synchronous, held
  }

  @Test(.timeLimit(.minutes(2)), arguments: Way.allCases)
  private func theFileIsClosedWhenNothingRefersToIt(way: Way) throws {
    RealmSystem.use(machine, forFileAt: file.path)
    let thread = LoopThread(name: "refused")
    let isTold = DispatchSemaphore(value: 0)
    thread.perform { [file] in
      let realm = try! file.open()
      realm.autorefresh = way == .observed
      let token = Box<NotificationToken?>(nil)
      if way == .observed {
        token.value = realm.objects(Letter.self).observe { _ in }
        realm.refresh()
      }
      try! Self.migrate(file.path)
      let told: ((any Error)?) -> Void = { error in
        #expect((error as? Realm.Error)?.code == .schemaMismatch)
        token.value?.invalidate()
        isTold.signal()
      }
      switch way {
      case .block, .observed:
        realm.writeAsync({ Issue.record("It cannot begin.") }, onComplete: told)
      case .held:
        realm.writeAsync({ Issue.record("It cannot begin.") }, onComplete: told)
        realm.writeAsync({ Issue.record("It cannot begin.") }, onComplete: told)
      case .transaction:
        // A second one, whose turn comes although the first has failed.
        realm.writeAsync({}, onComplete: { _ in realm.writeAsync({}, onComplete: told) })
      case .synchronous:
        do { try realm.write {} } catch { told(error) }
      }
    }
    isTold.wait()
    #expect(machine.waitForClose())
    thread.join()
  }

  @Test(.timeLimit(.minutes(2)))
  func aTaskThatIsRefusedKeepsNothing() async throws {
    RealmSystem.use(machine, forFileAt: file.path)
    let path = file.path
    try await Self.refusedTask(file.configuration) { try Self.migrate(path) }
    #expect(machine.waitForClose())
  }

  private actor Clerk {
    func write(_ configuration: Realm.Configuration, _ migrate: @Sendable () throws -> Void)
      async throws
    {
      let realm = try await Realm(configuration: configuration, actor: self)
      try migrate()
      do {
        try await realm.asyncWrite { Issue.record("It cannot begin.") }
      } catch {
        #expect((error as? Realm.Error)?.code == .schemaMismatch)
      }
    }
  }

  private static func refusedTask(
    _ configuration: Realm.Configuration, _ migrate: @escaping @Sendable () throws -> Void
  ) async throws {
    try await Clerk().write(configuration, migrate)
  }
}
