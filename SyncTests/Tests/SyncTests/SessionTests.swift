import RealmSwift
import SyncModels
import Testing

@MainActor
@Suite("sessions", .serialized, .timeLimit(.minutes(1))) struct SessionTests {
  @Test("can be suspended and resumed in a write transaction, as of its end")
  func suspendInWrite() async throws {
    try await OneDevice.with { one in
      try one.realm.write {
        one.realm.add(Dog(name: "Rex"))
        one.session.suspend()
      }
      for await state in one.session.connectionStates where state == .disconnected { break }
      #expect(one.session.state == .inactive)
      one.realm.beginWrite()
      one.session.suspend()
      one.session.resume()
      try one.realm.commitWrite()
      // Not before the others.
      one.session.reconnect()
      #expect(one.session.state == .active)
      try await one.session.wait(for: .upload)
    }
  }

  @Test("can be suspended by an observer that is called before a write")
  func suspendInObserver() async throws {
    try await OneDevice.with { one in
      var calls = 0
      let token = one.realm.objects(Dog.self).observe { _ in
        calls += 1
        if calls == 1 { one.session.suspend() }
      }
      one.realm.beginWrite()
      #expect(calls == 1)
      try one.realm.commitWrite()
      #expect(one.session.state == .inactive)
      token.invalidate()
    }
  }

  @Test("can be suspended while an asynchronous write waits for its turn, or has it")
  func suspendBeforeAsyncWrite() async throws {
    try await OneDevice.with { one in
      for isSuspended in [true, false] {
        let (ends, ended) = AsyncThrowingStream<Void, any Error>.makeStream()
        one.realm.writeAsync(
          { one.realm.add(Dog(name: "Rex")) }, onComplete: { ended.finish(throwing: $0) })
        // The turn may have come meanwhile, which nobody uses before this returns.
        for _ in 0..<20 { isSuspended ? one.session.suspend() : one.session.resume() }
        for try await _ in ends {}
        #expect(one.session.state == (isSuspended ? .inactive : .active))
      }
      #expect(one.realm.objects(Dog.self).count == 2)
    }
  }
}
