import Foundation
import RealmSwift
import SyncServerKit
import Testing

@Suite("accounts") struct AccountTests {
  @Test("are registered, log in by their password, and log out")
  func password() async throws {
    let server = try TestServer()
    let app = makeApp(server)
    try await app.emailPasswordAuth.registerUser(email: "a@b.c", password: "secret")
    await #expect(throws: AppError.self) {
      try await app.login(credentials: .emailPassword(email: "a@b.c", password: "wrong"))
    }
    let user = try await app.login(credentials: .emailPassword(email: "a@b.c", password: "secret"))
    #expect(user.isLoggedIn && app.currentUser === user && app.allUsers[user.id] === user)
    try await user.logOut()
    #expect(!user.isLoggedIn && user.accessToken == nil && app.currentUser == nil)
  }

  @Test("are current as they log in and are switched to")
  func current() async throws {
    let server = try TestServer()
    let app = makeApp(server)
    let first = try await app.login(credentials: .anonymous)
    let second = try await app.login(credentials: .anonymous)
    #expect(app.currentUser === second)
    app.switch(to: first)
    #expect(app.currentUser === first)
    _ = try await first.remove()
    #expect(app.currentUser === second && first.state == .removed)
  }

  @Test("are told why the server cannot be reached")
  func unreachable() async throws {
    let app = App(
      id: "nowhere", configuration: AppConfiguration(baseURL: "http://127.0.0.1:1"))
    let error = await #expect(throws: AppError.self) {
      try await app.login(credentials: .anonymous)
    }
    #expect(error?.code == .httpRequestFailed)
  }
}
