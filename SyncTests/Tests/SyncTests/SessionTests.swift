import RealmSwift
import SyncModels
import SyncServerKit
import Testing

@MainActor
@Suite("sessions", .serialized, .timeLimit(.minutes(1))) struct SessionTests {
  /// Lends the realm of a device to a test.
  private func withRealm(
    _ body: @MainActor (Realm, SyncSession) async throws -> Void
  ) async throws {
    let server = try TestServer()
    let device = Device(try await makeApp(server).login(credentials: .anonymous))
    defer { device.remove() }
    let realm = try await Realm(configuration: device.configuration, downloadBeforeOpen: .always)
    try await body(realm, try #require(realm.syncSession))
  }

  @Test("can be suspended and resumed in a write transaction, as of its end")
  func suspendInWrite() async throws {
    try await withRealm { realm, session in
      try realm.write {
        realm.add(Dog(name: "Rex"))
        session.suspend()
      }
      for await state in session.connectionStates where state == .disconnected { break }
      #expect(session.state == .inactive)
      realm.beginWrite()
      session.suspend()
      session.resume()
      try realm.commitWrite()
      // Not before the others.
      session.reconnect()
      #expect(session.state == .active)
      try await session.wait(for: .upload)
    }
  }

  @Test("can be suspended by an observer that is called before a write")
  func suspendInObserver() async throws {
    try await withRealm { realm, session in
      var calls = 0
      let token = realm.objects(Dog.self).observe { _ in
        calls += 1
        if calls == 1 { session.suspend() }
      }
      realm.beginWrite()
      #expect(calls == 1)
      try realm.commitWrite()
      #expect(session.state == .inactive)
      token.invalidate()
    }
  }

  @Test("can be suspended while an asynchronous write waits for its turn, or has it")
  func suspendBeforeAsyncWrite() async throws {
    try await withRealm { realm, session in
      for isSuspended in [true, false] {
        let (ends, ended) = AsyncThrowingStream<Void, any Error>.makeStream()
        realm.writeAsync(
          { realm.add(Dog(name: "Rex")) }, onComplete: { ended.finish(throwing: $0) })
        // The turn may have come meanwhile, which nobody uses before this returns.
        for _ in 0..<20 { isSuspended ? session.suspend() : session.resume() }
        for try await _ in ends {}
        #expect(session.state == (isSuspended ? .inactive : .active))
      }
      #expect(realm.objects(Dog.self).count == 2)
    }
  }
}
