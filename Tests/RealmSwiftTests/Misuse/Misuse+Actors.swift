import Foundation
import RealmSwift

// K: realms of actors.

extension Misuse {
  static let actors = [
    Misuse("K2: using an actor's realm outside of it", incorrectThread) { scene in
      let archive = MisuseActor()
      let realm = try await archive.smuggled(scene)
      _ = realm.value.objects(Reader.self)
      withExtendedLifetime(archive) {}
    },
    Misuse("K2: using an actor's realm in another actor", incorrectThread) { scene in
      let archive = MisuseActor()
      let realm = try await archive.smuggled(scene)
      await MisuseActor().read(realm)
      withExtendedLifetime(archive) {}
    },
    Misuse("K2: writing to an actor's realm on the main actor", incorrectThread) { scene in
      let archive = MisuseActor()
      let realm = try await archive.smuggled(scene)
      try await MainActor.run { try realm.value.write {} }
      withExtendedLifetime(archive) {}
    },
    Misuse("K1: using the main actor's realm in another actor", incorrectThread) { scene in
      let realm = try await MainActor.run { Box(try scene.open()) }
      await MisuseActor().read(realm)
    },
    Misuse("K2: using an actor's realm on a queue that the actor started", incorrectThread) {
      try await MisuseActor().readOnQueue($0)
    },
    Misuse("K3: reading an actor's object in another actor", incorrectThread) { scene in
      let archive = MisuseActor()
      let reader = try await archive.smuggledReader(scene)
      await MisuseActor().read(reader)
      withExtendedLifetime(archive) {}
    },
    Misuse("K3: changing an actor's object on the main actor", incorrectThread) { scene in
      let archive = MisuseActor()
      let reader = try await archive.smuggledReader(scene)
      await MainActor.run { reader.value.name = "Eve" }
      withExtendedLifetime(archive) {}
    },
    Misuse("K2: leaving the thread's realm for another thread", incorrectThread) { scene in
      let first = LoopThread(name: "first")
      let second = LoopThread(name: "second")
      let realm = try await first.on { try Box(scene.open()) }
      await second.on { _ = realm.value.objects(Reader.self) }
    },
    Misuse("K4: observing an unmanaged object on an actor", unmanagedObserved) { _ in
      await MisuseActor().observeUnmanaged()
    },
    Misuse("K4: observing an actor's results from outside of it", incorrectThread) { scene in
      let archive = MisuseActor()
      let readers = try await archive.smuggledReaders(scene)
      await MisuseActor().observe(readers)
      withExtendedLifetime(archive) {}
    },
    Misuse("K4: observing on an actor from within a transaction", observedInWrite) { scene in
      try await MisuseActor().observeInWrite(scene)
    },
    Misuse("N7: looping over changes of another actor's results", incorrectThread) { scene in
      let archive = MisuseActor()
      let readers = try await archive.smuggledReaders(scene)
      await MisuseActor().loop(over: readers)
      withExtendedLifetime(archive) {}
    },
    Misuse(
      "K4: observing frozen results on an actor",
      "Frozen Realms do not change and do not have change notifications; observe the live one, "
        + "which `thaw()` gives."
    ) { scene in
      try await MisuseActor().observeFrozen(scene)
    },
  ]
}

extension LoopThread {
  /// Runs the body on the thread; the caller's task waits.
  func on<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async rethrows -> Value {
    await withCheckedContinuation { continuation in
      perform { continuation.resume(returning: try! body()) }
    }
  }
}

extension MisuseActor {
  func read(_ realm: Box<Realm>) { _ = realm.value.objects(Reader.self) }

  func read(_ reader: Box<Reader>) { _ = reader.value.name }

  func readOnQueue(_ scene: MisuseScene) async throws {
    let realm = Box(try await open(scene))
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "beside").async {
        _ = realm.value.objects(Reader.self)
        continuation.resume()
      }
    }
  }

  func smuggledReader(_ scene: MisuseScene) async throws -> Box<Reader> {
    Box(scene.reader(in: try await open(scene)))
  }

  func smuggledReaders(_ scene: MisuseScene) async throws -> Box<Results<Reader>> {
    Box(try await open(scene).objects(Reader.self))
  }

  func observe(_ readers: Box<Results<Reader>>) async {
    _ = await readers.value.observe(on: self) { _, _ in }
  }

  func loop(over readers: Box<Results<Reader>>) async {
    for await _ in readers.value.changes { return }
  }

  func observeUnmanaged() async {
    _ = await Reader(name: "Eve").observe(on: self) { _, _ in }
  }

  func observeInWrite(_ scene: MisuseScene) async throws {
    let realm = try await open(scene)
    let readers = realm.objects(Reader.self)
    realm.beginWrite()
    realm.add(Letter(value: ["subject": MisuseWitness.uncommitted]))
    _ = await readers.observe(on: self) { _, _ in }
  }

  func observeFrozen(_ scene: MisuseScene) async throws {
    let readers = try await open(scene).objects(Reader.self).freeze()
    _ = await readers.observe(on: self) { _, _ in }
  }
}
