import Foundation
import RealmSwift
import ServerKit
import Testing

/// A boat, with a property of most kinds.
final class Boat: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var name = ""
  @Persisted var owner = ""
  @Persisted var length: Double?
  @Persisted var crew: List<String>
  @Persisted var ports: MutableSet<Int>
  @Persisted var log: Map<String, Double>
  @Persisted var engine: Engine?
  @Persisted var spares: List<Engine>
  @Persisted var harbour: Harbour?
  @Persisted var cargo: AnyRealmValue
  @Persisted var launched = Date(timeIntervalSince1970: 0)
}

/// Belongs to a boat.
final class Engine: EmbeddedObject {
  @Persisted var power = 0
}

/// Where boats lie.
final class Harbour: Object {
  @Persisted(primaryKey: true) var code = ""
  @Persisted var country = ""
}

/// A place in a harbour.
final class Berth: Object {
  @Persisted(primaryKey: true) var name = ""
  @Persisted var harbour: Harbour?
  @Persisted var prices: MutableSet<Decimal128>
}

/// Programs that use the library, and a server as a process.
@MainActor
@Suite(.serialized) struct SDKTests {
  private func app(_ server: ServerProcess) -> App {
    App(
      id: "fleet", configuration: AppConfiguration(baseURL: "http://127.0.0.1:\(server.port)"))
  }

  private func realm(
    _ user: User, _ server: ServerProcess, _ name: String,
    _ subscriptions: @escaping @Sendable (SyncSubscriptionSet) -> Void = {
      $0.append(QuerySubscription<Boat>(name: "boats"))
      $0.append(QuerySubscription<Harbour>(name: "harbours"))
    }
  ) async throws -> Realm {
    var configuration = user.flexibleSyncConfiguration(initialSubscriptions: subscriptions)
    configuration.fileURL = server.folder.appendingPathComponent("\(name).realm")
    configuration.objectTypes = [Boat.self, Engine.self, Harbour.self, Berth.self]
    return try await Realm(configuration: configuration)
  }

  /// Waits until the realm's objects are as they should be.
  private func waits(
    _ realm: Realm, until condition: @escaping (Realm) -> Bool
  ) async -> Bool {
    for await _ in changes(of: realm) where condition(realm) { return true }
    return false
  }

  /// An element at once, and after each change; ends after half a minute.
  private func changes(of realm: Realm) -> AsyncStream<Void> {
    AsyncStream { continuation in
      let token = realm.observe { _, _ in continuation.yield() }
      continuation.yield()
      let end = Task {
        try? await Task.sleep(for: .seconds(30))
        continuation.finish()
      }
      continuation.onTermination = { _ in
        end.cancel()
        Task { @MainActor in token.invalidate() }
      }
    }
  }

  @Test func everyKindOfPropertyReachesTheOtherDevice() async throws {
    let server = try ServerProcess()
    try await server.start()
    let app = app(server)
    try await app.emailPasswordAuth.registerUser(email: "ada@example.com", password: "difference")
    let user = try await app.login(
      credentials: .emailPassword(email: "ada@example.com", password: "difference"))
    let left = try await realm(user, server, "left")
    let right = try await realm(user, server, "right")
    try left.write {
      let boat = Boat()
      boat.name = "Argo"
      boat.length = 30.5
      boat.crew.append(objectsIn: ["Jason", "Orpheus"])
      boat.ports.insert(objectsIn: [3, 1, 2])
      boat.log["day 1"] = 12.5
      boat.engine = Engine(value: ["power": 50])
      boat.spares.append(Engine(value: ["power": 20]))
      boat.harbour = Harbour(value: ["code": "IOL", "country": "GR"])
      boat.cargo = .string("fleece")
      boat.launched = Date(timeIntervalSince1970: 1_000)
      left.add(boat)
    }
    #expect(await waits(right) { $0.objects(Boat.self).first?.harbour?.country == "GR" })
    let boat = try #require(right.objects(Boat.self).first)
    #expect(boat.name == "Argo" && boat.length == 30.5)
    #expect(Array(boat.crew) == ["Jason", "Orpheus"] && Set(boat.ports) == [1, 2, 3])
    #expect(boat.log["day 1"] == 12.5 && boat.engine?.power == 50)
    #expect(boat.spares.map(\.power) == [20] && boat.cargo == .string("fleece"))
    #expect(boat.launched == Date(timeIntervalSince1970: 1_000))
    try right.write {
      boat.crew.insert("Atalanta", at: 0)
      boat.engine?.power = 60
      boat.log["day 2"] = 3
      boat.ports.remove(2)
      boat.harbour?.country = "Greece"
    }
    #expect(
      await waits(left) {
        let boat = $0.objects(Boat.self).first
        return boat?.crew.first == "Atalanta" && boat?.engine?.power == 60
          && boat?.harbour?.country == "Greece" && boat?.log.count == 2 && boat?.ports.count == 2
      })
    let verified = try server.run(["verify"])
    #expect(verified.status == 0, "\(verified.output)")
  }

  @Test func namesThatSwiftTakesForEqualAndNumbersThatAreEqualAreToldApartAsTheFileDoes()
    async throws
  {
    let server = try ServerProcess()
    try await server.start()
    let user = try await app(server).login(credentials: .anonymous)
    let berths: @Sendable (SyncSubscriptionSet) -> Void = {
      $0.append(QuerySubscription<Berth>(name: "berths"))
    }
    let left = try await realm(user, server, "left") {
      berths($0)
      $0.append(QuerySubscription<Harbour>(name: "harbours"))
    }
    let names = ["\u{E9}", "e\u{301}"]
    try left.write {
      let harbour = left.create(Harbour.self, value: ["code": "IOL"])
      for name in names {
        let berth = left.create(Berth.self, value: ["name": name])
        berth.harbour = harbour
        berth.prices.insert(try Decimal128(string: "1.50"))
      }
    }
    let session = try #require(left.syncSession)
    try await session.wait(for: .upload)
    for change in ["removed", "put in anew"] {
      try left.write {
        for berth in left.objects(Berth.self) {
          if change == "removed" {
            berth.prices.remove(try Decimal128(string: "1.50"))
          } else {
            berth.prices.insert(try Decimal128(string: "1.5"))
          }
        }
      }
      try await session.wait(for: .upload)
    }
    // Links to a harbour that is not in view, until it is.
    let right = try await realm(user, server, "right", berths)
    #expect(await waits(right) { $0.objects(Berth.self).count == 2 })
    #expect(right.objects(Berth.self).allSatisfy { $0.harbour == nil && $0.prices.count == 1 })
    let subscriptions = right.subscriptions
    try await subscriptions.update {
      subscriptions.append(QuerySubscription<Harbour>(name: "harbours"))
    }
    #expect(
      await waits(right) { realm in
        realm.objects(Berth.self).allSatisfy { $0.harbour?.code == "IOL" }
      })
    let verified = try server.run(["verify"])
    #expect(verified.status == 0, "\(verified.output)")
  }

  @Test func subscriptionsSelectOnTheServer() async throws {
    let server = try ServerProcess()
    try await server.start()
    let app = app(server)
    let user = try await app.login(credentials: .anonymous)
    let all = try await realm(user, server, "all")
    try all.write {
      for number in 1...20 {
        let harbour = number % 2 == 0 ? "ODD" : "EVN"
        let boat = all.create(
          Boat.self,
          value: ["name": "boat \(number)", "owner": number > 15 ? "ada" : "bob"] as [String: Any])
        boat.harbour = all.create(
          Harbour.self, value: ["code": harbour, "country": harbour], update: .modified)
      }
    }
    try await #require(all.syncSession).wait(for: .upload)
    let mine = try await realm(user, server, "mine") {
      $0.append(QuerySubscription<Boat>(name: "mine") { $0.owner == "ada" })
    }
    #expect(await waits(mine) { $0.objects(Boat.self).count == 5 })
    let linked = try await realm(user, server, "linked") {
      $0.append(QuerySubscription<Boat>(name: "odd") { $0.harbour.country == "ODD" })
    }
    #expect(await waits(linked) { $0.objects(Boat.self).count == 10 })
    try all.write {
      all.objects(Boat.self).where { $0.owner == "bob" }.setValue("ada", forKey: "owner")
    }
    #expect(await waits(mine) { $0.objects(Boat.self).count == 20 })
  }

  @Test func usersLogInWithTheirKeysAndOut() async throws {
    let server = try ServerProcess()
    try await server.start()
    let app = app(server)
    let user = try await app.login(credentials: .anonymous)
    let key = try await user.apiKeysAuth.createAPIKey(named: "robot")
    let robot = try await app.login(credentials: .userAPIKey(try #require(key.key)))
    #expect(robot.id == user.id)
    await #expect(throws: (any Error).self) {
      try await app.login(credentials: .userAPIKey("nonsense"))
    }
    try await robot.logOut()
    #expect(!robot.isLoggedIn)
  }
}
