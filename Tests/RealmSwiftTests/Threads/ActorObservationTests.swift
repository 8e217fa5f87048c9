import Foundation
import Platform
import RealmSwift
import Testing

private actor Listener {
  var held: Realm?
}

/// Observing on actors: what has happened when the calls return.
@Suite struct ActorObservationTests {
  let file = TemporaryRealm.forThreads()
  private let listener = Listener()

  private func add(_ name: String) { file.writeElsewhere { $0.add(Reader(name: name)) } }

  @Test @MainActor func theInitialStateIsDeliveredWhenTheCallReturns() async throws {
    add("Ada")
    let realm = try await Realm(configuration: file.configuration)
    for turnObjectsMax in [1000, 0] {
      let told = LockedValue<[Int]>([])
      await compareElsewhere(turnObjectsMax)
      let token = await realm.objects(Reader.self).observe(on: listener) { _, change in
        if case .initial(let readers) = change { told.withLock { $0.append(readers.count) } }
      }
      #expect(told.withLock { $0 } == [1])
      token.invalidate()
    }
  }

  /// Whether the actor's realm leaves comparing to the worker.
  private func compareElsewhere(_ turnObjectsMax: Int) async {
    await listener.open(file.configuration, turnObjectsMax)
  }

  @Test @MainActor func aTaskThatWasCancelledDoesNotObserve() async throws {
    add("Ada")
    let realm = try await Realm(configuration: file.configuration)
    let readers = realm.objects(Reader.self)
    let told = LockedValue(0)
    let listener = listener
    let task = Task { @MainActor in
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      let token = await readers.observe(on: listener) { _, _ in told.withLock { $0 += 1 } }
      try realm.write { realm.add(Reader(name: "Grace")) }
      await listener.turn()
      return token.invalidate()
    }
    _ = try await task.value
    #expect(told.withLock { $0 } == 0)
  }

  @Test @MainActor func aWriteOnAnActorCountsAsAnAsynchronousOne() async throws {
    let realm = try await Realm(configuration: file.configuration)
    let inside = try await realm.asyncWrite { realm.isPerformingAsynchronousWriteOperations }
    #expect(inside && !realm.isPerformingAsynchronousWriteOperations)
  }

  @Test func codeThatIsIsolatedToNothingOrToSomeActorObserves() async throws {
    add("Ada")
    let count = try await listener.observeThrough(file.configuration)
    #expect(count == 1)
  }
}

extension Listener {
  func turn() {}

  func open(_ configuration: Realm.Configuration, _ turnObjectsMax: Int) async {
    held = try! await Realm(configuration: configuration, actor: self)
    held!.turnObjectsMax = turnObjectsMax
  }

  func observeThrough(_ configuration: Realm.Configuration) async throws -> Int {
    let realm = try await Realm(configuration: configuration, actor: self)
    let told = LockedValue(0)
    let token = await observed(realm.objects(Reader.self), by: self) { count in
      told.withLock { $0 = count }
    }
    token.invalidate()
    return told.withLock { $0 }
  }
}

/// A function as programs write it that work with and without an actor.
private func observed(
  _ readers: Results<Reader>, by listener: Listener,
  isolation: isolated (any Actor)? = #isolation, _ tell: @escaping @Sendable (Int) -> Void
) async -> NotificationToken {
  await readers.observe(on: listener) { _, change in
    if case .initial(let readers) = change { tell(readers.count) }
  }
}
