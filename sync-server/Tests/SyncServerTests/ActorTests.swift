import Foundation
import RealmSwift
import ServerKit
import Testing

/// A line of a list that several actors work on.
final class Chore: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var name: String
  @Persisted var owner: String
  @Persisted var status: String
}

/// Keeps a synced realm to itself.
private actor ChoreKeeper {
  private var realm: Realm!

  func open(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm(
      configuration: configuration, actor: self, downloadBeforeOpen: .always)
  }

  var names: [String] { realm.objects(Chore.self).map(\.name).sorted() }

  func create(_ name: String) async throws {
    try await realm.asyncWrite {
      realm.create(
        Chore.self, value: ["_id": ObjectId.generate(), "name": name, "owner": "keeper"])
    }
  }

  func finish(_ reference: ThreadSafeReference<Chore>) throws {
    try realm.write { realm.resolve(reference)?.status = "done" }
  }

  func waitForUpload() async throws { try await realm.syncSession?.wait(for: .upload) }

  func close() { realm = nil }
}

/// Realms of actors that are synced with a server as a process.
@MainActor
@Suite struct ActorTests {
  private func configuration(
    _ user: User, _ server: ServerProcess, _ name: String
  ) -> Realm.Configuration {
    var configuration = user.flexibleSyncConfiguration(initialSubscriptions: { subscriptions in
      subscriptions.append(QuerySubscription<Chore>(name: "all_chores"))
    })
    configuration.objectTypes = [Chore.self]
    configuration.fileURL = server.folder.appendingPathComponent("\(name).realm")
    return configuration
  }

  @Test("a realm of the main actor has what the server has when it is open")
  func mainActor() async throws {
    let server = try ServerProcess()
    try await server.start()
    let app = App(
      id: "chores", configuration: AppConfiguration(baseURL: "http://127.0.0.1:\(server.port)"))
    let user = try await app.login(credentials: Credentials.anonymous)
    let keeper = ChoreKeeper()
    try await keeper.open(configuration(user, server, "keeper"))
    try await keeper.create("sweep")
    try await keeper.create("dust")
    try await keeper.waitForUpload()
    let realm = try await Realm(
      configuration: configuration(user, server, "main"), actor: MainActor.shared,
      downloadBeforeOpen: .always)
    #expect(realm.objects(Chore.self).map(\.name).sorted() == ["dust", "sweep"])
    await keeper.close()
  }

  @Test("actors share a synced file, observe it, and hand objects over")
  func sharing() async throws {
    let server = try ServerProcess()
    try await server.start()
    let app = App(
      id: "chores", configuration: AppConfiguration(baseURL: "http://127.0.0.1:\(server.port)"))
    let user = try await app.login(credentials: Credentials.anonymous)
    let shared = configuration(user, server, "shared")
    let realm = try await Realm(configuration: shared, actor: MainActor.shared)
    let keeper = ChoreKeeper()
    try await keeper.open(shared)
    let (states, continuation) = AsyncStream<[String]>.makeStream()
    let token = await realm.objects(Chore.self).observe(on: keeper) { _, change in
      if case .update(let chores, _, _, _) = change {
        continuation.yield(chores.map { "\($0.name) \($0.status)" })
      }
    }
    var iterator = states.makeAsyncIterator()
    let chore = try await realm.asyncWrite {
      realm.create(Chore.self, value: ["_id": ObjectId.generate(), "name": "sweep"])
    }
    #expect(await iterator.next() == ["sweep "])
    try await keeper.finish(ThreadSafeReference(to: chore))
    #expect(await iterator.next() == ["sweep done"])
    token.invalidate()
    try await realm.syncSession?.wait(for: .upload)
    let other = try await Realm(
      configuration: configuration(user, server, "other"), actor: MainActor.shared,
      downloadBeforeOpen: .always)
    #expect(other.objects(Chore.self).map(\.status) == ["done"])
    await keeper.close()
  }
}
