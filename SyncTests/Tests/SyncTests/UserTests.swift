import RealmSwift
import SyncModels
import SyncServerKit
import Testing

@MainActor
@Suite("users", .serialized, .timeLimit(.minutes(1))) struct UserTests {
  @Test("who were removed and log in again are synchronised")
  func removed() async throws {
    let server = try TestServer()
    let app = makeApp(server)
    let user = try await makeAccount(app)
    let device = Device(user)
    defer { device.remove() }
    let before = try await Realm(configuration: device.configuration, downloadBeforeOpen: .always)
    #expect(before.syncSession?.state == .active)
    _ = try await user.remove()
    let again = try await logIn(app)
    #expect(again.id == user.id && again !== user)
    var configuration = device.configuration
    configuration.syncConfiguration = again.flexibleSyncConfiguration().syncConfiguration
    let realm = try await Realm(configuration: configuration)
    try realm.write { realm.add(Dog(name: "Rex")) }
    let session = try #require(realm.syncSession)
    try await session.wait(for: .upload)
    #expect(session.parentUser() === again)
  }

  @Test("who log in again are synchronised at once, though there is a long pause")
  func logInEndsPause() async throws {
    let server = try TestServer()
    let app = makeApp(server)
    let device = Device(try await makeAccount(app))
    defer { device.remove() }
    let realm = try await Realm(configuration: device.configuration, downloadBeforeOpen: .always)
    let session = try #require(realm.syncSession)
    try server.refuseUploads(1, with: .unavailable, retryAfterMilliseconds: 60_000)
    try realm.write { realm.add(Dog(name: "Rex")) }
    for await state in session.connectionStates where state == .disconnected { break }
    try await logIn(app)
    try await session.wait(for: .upload)
  }

  @Test("who log in again in another process are synchronised in this one, too")
  func logInElsewhere() async throws {
    let server = try TestServer()
    let app = makeApp(server)
    let device = Device(try await makeAccount(app))
    defer { device.remove() }
    let realm = try await Realm(configuration: device.configuration, downloadBeforeOpen: .always)
    let session = try #require(realm.syncSession)
    try server.forgetLogIns()
    try await logIn(makeAppElsewhere(app, server))
    try server.endConnections()
    try realm.write { realm.add(Dog(name: "Rex")) }
    try await session.wait(for: .upload)
  }

  @Test("who log out in another process are not logged in by this one")
  func logOutElsewhere() async throws {
    let server = try TestServer()
    let app = makeApp(server)
    let user = try await makeAccount(app)
    let device = Device(user)
    defer { device.remove() }
    let realm = try await Realm(configuration: device.configuration, downloadBeforeOpen: .always)
    let session = try #require(realm.syncSession)
    // The server is out of reach, and does not hear of it.
    try server.goAway()
    let same = try #require(makeAppElsewhere(app, server).allUsers[user.id])
    try await same.logOut()
    try server.forgetTokens()
    try server.comeBack()
    session.reconnect()
    try realm.write { realm.add(Dog(name: "Rex")) }
    #expect(await waits(realm) { _ in session.state == .invalid })
    #expect(!user.isLoggedIn)
    let later = App(id: app.appId, configuration: AppConfiguration(baseURL: "http://127.0.0.1:1"))
    #expect(later.allUsers[user.id]?.isLoggedIn == false)
  }

  @Test("make API keys when their access token has run out")
  func apiKeys() async throws {
    let server = try TestServer()
    let user = try await makeApp(server).login(credentials: .anonymous)
    #expect(try await user.apiKeysAuth.createAPIKey(named: "first").name == "first")
    try server.forgetTokens()
    #expect(try await user.apiKeysAuth.createAPIKey(named: "second").name == "second")
  }

  @Test("need not log in again because somebody else has answered for the server")
  func portal() async throws {
    try await OneDevice.with { one in
      try one.server.letPortalAnswer(status: 302)
      try one.server.forgetTokens()
      try one.realm.write { one.realm.add(Dog(name: "Rex")) }
      // An error of the session would end it.
      async let upload: Void = one.session.wait(for: .upload)
      try one.server.endConnections()
      let failures = one.session.connectionStates.filter { $0 == .disconnected }
      for await _ in failures.prefix(3) {}
      try one.server.letPortalAnswer(status: 200)
      one.session.reconnect()
      for await _ in failures.prefix(2) {}
      try one.server.letPortalAnswer(status: nil)
      one.session.reconnect()
      try await upload
      #expect(one.user.isLoggedIn)
    }
  }

  @Test("who were removed in another process have to log in again, which is told once")
  func removedElsewhere() async throws {
    let server = try TestServer()
    let app = makeApp(server)
    let user = try await makeAccount(app)
    let device = Device(user)
    defer { device.remove() }
    let realm = try await Realm(configuration: device.configuration, downloadBeforeOpen: .always)
    let session = try #require(realm.syncSession)
    let errors = errors(of: app)
    let same = try #require(makeAppElsewhere(app, server).allUsers[user.id])
    _ = try await same.remove()
    try server.forgetTokens()
    try server.endConnections()
    for await error in errors.prefix(1) {
      #expect((error as? SyncError)?.code == .clientUserError)
    }
    #expect(await waits(realm) { _ in session.state == .invalid })
    #expect(user.state == .loggedOut)
    try realm.write { realm.add(Dog(name: "Rex")) }
    try await logIn(app)
    try await session.wait(for: .upload)
  }
}
