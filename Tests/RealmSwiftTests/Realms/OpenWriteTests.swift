import Dispatch
import Foundation
import RealmSwift
import Testing

/// Writes that are begun through one `Realm` and ended through another, or by nobody.
@Suite struct OpenWriteTests {
  let file = TemporaryRealm()

  /// Runs the body on a thread of its own, to the thread's end.
  private func onThread(_ body: @escaping @Sendable (TemporaryRealm) throws -> Void) {
    let thread = ThreadWithoutLoop { [file] in try! body(file) }
    thread.runToTheEnd()
  }

  @Test func aWriteBegunOnATemporaryIsCommittedByAnother() throws {
    onThread { file in
      try file.open().beginWrite()
      try file.open().add(Animal("Tom"))
      #expect(try file.open().isInWriteTransaction)
      try file.open().commitWrite()
      #expect(try !file.open().isInWriteTransaction)
      try file.open().beginWrite()
      try file.open().deleteAll()
      try file.open().cancelWrite()
    }
    #expect(try file.open().objects(Animal.self).map(\.name) == ["Tom"])
  }

  @Test func onALoopItLastsToTheEndOfTheTurn() throws {
    let loop = LoopThread(name: "open write")
    defer { loop.join() }
    loop.performAndWait { [file] in
      try! file.open().beginWrite()
      try! file.open().add(Animal("Tom"))
      try! file.open().commitWrite()
      try! file.open().beginWrite()
      try! file.open().add(Animal("dropped"))
      #expect(try! file.open().objects(Animal.self).count == 2)
    }
    // The writer is free again.
    try file.open().write { try file.open().add(Animal("Spike")) }
    loop.performAndWait { [file] in
      #expect(try! !file.open().isInWriteTransaction)
      #expect(try! file.open().objects(Animal.self).map(\.name) == ["Tom", "Spike"])
    }
  }

  @Test func onAQueueItLastsToTheEndOfTheTurn() throws {
    let queue = DispatchQueue(label: "open write")
    queue.sync {
      try! Realm(configuration: file.configuration, queue: queue).beginWrite()
      try! Realm(configuration: file.configuration, queue: queue).add(Animal("dropped"))
    }
    try file.open().write { try file.open().add(Animal("Spike")) }
    #expect(try file.open().objects(Animal.self).map(\.name) == ["Spike"])
  }

  @Test func aRealmThatIsHeldKeepsItsWriteOverTurns() throws {
    let loop = LoopThread(name: "open write")
    defer { loop.join() }
    let held = Box<Realm?>(nil)
    loop.performAndWait { [file] in
      held.value = try! file.open()
      held.value!.beginWrite()
    }
    loop.performAndWait { held.value!.add(Animal("Tom")) }
    loop.performAndWait {
      try! held.value!.commitWrite()
      held.value = nil
    }
    #expect(try file.open().objects(Animal.self).count == 1)
  }

  @Test func aThreadsEndCancelsWhatItLeavesOpen() throws {
    let second = TemporaryRealm()
    onThread { file in
      try file.open().beginWrite()
      try file.open().add(Animal("dropped"))
      try second.open().beginWrite()
    }
    try file.open().write { try file.open().add(Animal("Spike")) }
    try second.open().write {}
    #expect(try file.open().objects(Animal.self).map(\.name) == ["Spike"])
  }
}

/// A thread without a loop.
final class ThreadWithoutLoop: @unchecked Sendable {
  // Sendable: the handle is written before the thread is waited for, by the one that made it.
  private let body: @Sendable () -> Void
  private var handle = pthread_t()

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  /// Returns when the thread has ended, with everything that it kept.
  func runToTheEnd() {
    let context = unsafe Unmanaged.passRetained(self).toOpaque()
    unsafe pthread_create(
      &handle, nil,
      { context in
        unsafe Unmanaged<ThreadWithoutLoop>.fromOpaque(context!).takeRetainedValue().body()
        return nil
      }, unsafe context)
    pthread_join(handle, nil)
  }
}
