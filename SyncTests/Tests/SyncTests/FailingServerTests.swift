import Foundation
import RealmSwift
import SyncModels
import SyncServerKit
import Testing

@MainActor
@Suite("a server that fails", .serialized, .timeLimit(.minutes(1))) struct FailingServerTests {
  @Test("to go along with what a client has makes it start over")
  func divergence() async throws {
    try await OneDevice.with { one in
      let connections = try one.server.connections()
      try one.server.refuseUploads(1, with: .divergence)
      try one.realm.write { one.realm.add(Dog(name: "Rex")) }
      for await startsOver in connections.prefix(1) { #expect(startsOver) }
      try await one.session.wait(for: .upload)
      try await one.session.wait(for: .download)
      one.realm.refresh()
      #expect(one.realm.objects(Dog.self).map(\.name) == ["Rex"])
    }
  }

  @Test("is left alone for as long as it wants")
  func wantsToBeLeftAlone() async throws {
    try await OneDevice.with { one in
      let refusals = try one.server.refusedUploads()
      try one.server.refuseUploads(2, with: .storage, retryAfterMilliseconds: 2_000)
      try one.realm.write { one.realm.add(Dog(name: "Rex")) }
      var times: [ContinuousClock.Instant] = []
      for await time in refusals.prefix(2) { times.append(time) }
      #expect(times[1] - times[0] > .milliseconds(1_900), "\(times[1] - times[0])")
    }
  }

  @Test("to go along with a client that has started over is left alone, too")
  func divergenceAgain() async throws {
    try await OneDevice.with { one in
      let refusals = try one.server.refusedUploads()
      try one.server.refuseUploads(with: .divergence, retryAfterMilliseconds: 1_000)
      try one.realm.write { one.realm.add(Dog(name: "Rex")) }
      var times: [ContinuousClock.Instant] = []
      for await time in refusals.prefix(3) { times.append(time) }
      // The client starts over at once, and once.
      #expect(times[1] - times[0] < .milliseconds(900))
      #expect(times[2] - times[1] > .milliseconds(900), "\(times[2] - times[1])")
    }
  }

  @Test("is not waited for if it is out of reach and that is wanted")
  func impatientOutOfReach() async throws { try await giveUp { try $0.goAway() } }

  @Test("is not waited for if it is unavailable and that is wanted")
  func impatientUnavailable() async throws {
    try await giveUp { try $0.refuseConnections(with: .unavailable) }
  }

  @Test("is not waited for if it answers nothing but pings and that is wanted")
  func impatientPingsOnly() async throws {
    let timeouts = SyncTimeoutOptions(connectTimeout: 500, pingKeepalivePeriod: 100)
    try await giveUp(timeouts) { try $0.answerOnlyPings() }
  }

  @Test("is waited for as long as one likes")
  func endlessPatience() async throws {
    let server = try TestServer()
    let app = App(
      id: "app-\(UUID().uuidString)",
      configuration: AppConfiguration(baseURL: server.url, defaultRequestTimeoutMS: .max))
    app.syncManager.timeoutOptions = SyncTimeoutOptions(
      connectTimeout: .max, pingKeepalivePeriod: .max, pongKeepaliveTimeout: .max)
    let user = try await app.login(credentials: .anonymous)
    let device = Device(user)
    defer { device.remove() }
    _ = try await Realm(configuration: device.configuration, downloadBeforeOpen: .always)
  }

  /// Opens a file that does not wait for its server, to which something has happened.
  private func giveUp(
    _ timeouts: SyncTimeoutOptions? = nil, _ event: (TestServer) throws -> Void
  ) async throws {
    let server = try TestServer()
    let app = makeApp(server)
    app.syncManager.timeoutOptions = timeouts
    let user = try await app.login(credentials: .anonymous)
    let device = Device(user)
    defer { device.remove() }
    let configuration = device.impatient(user)
    try event(server)
    let error = await #expect(throws: SyncError.self) {
      _ = try await Realm(configuration: configuration, downloadBeforeOpen: .always)
    }
    #expect(error?.code == .connectionFailed)
  }

  @Test("is not waited for with a callback either, if that is wanted")
  func impatientCallback() async throws {
    let server = try TestServer()
    let user = try await makeApp(server).login(credentials: .anonymous)
    let device = Device(user)
    defer { device.remove() }
    try server.goAway()
    let error = await #expect(throws: SyncError.self) {
      _ = try await withCheckedThrowingContinuation { continuation in
        Realm.asyncOpen(configuration: device.impatient(user)) { result in
          continuation.resume(with: result.map { $0.objects(Dog.self).count })
        }
      }
    }
    #expect(error?.code == .connectionFailed)
  }

  @Test("is asked again at once when an attempt fails that was under way as the program asked")
  func reconnectWhileConnecting() async throws {
    try await OneDevice.with { one in
      try one.server.delay(milliseconds: 300)
      try one.server.refuseConnections(1, with: .unavailable, retryAfterMilliseconds: 120_000)
      try one.server.endConnections()
      for await state in one.session.connectionStates where state == .connecting { break }
      one.session.reconnect()
      try one.realm.write { one.realm.add(Dog(name: "Rex")) }
      try await one.session.wait(for: .upload)
    }
  }

  @Test("to know the app is told as an error of the session, and asked again")
  func unknownApp() async throws {
    try await OneDevice.with { one in
      let errors = errors(of: one.app)
      try one.server.move(away: true)
      try one.server.endConnections()
      for await error in errors.prefix(1) {
        #expect((error as? SyncError)?.code == .clientSessionError)
        #expect(error.localizedDescription.contains("404"))
        #expect(error.localizedDescription.contains(one.app.appId))
      }
      let error = await #expect(throws: SyncError.self) {
        try await one.session.wait(for: .download)
      }
      #expect(error?.code == .clientSessionError)
      try one.server.move(away: false)
      one.session.reconnect()
      for await state in one.session.connectionStates where state == .connected { break }
      try one.realm.write { one.realm.add(Dog(name: "Rex")) }
      try await one.session.wait(for: .upload)
    }
  }
}
