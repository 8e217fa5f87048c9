import Foundation
import RealmSwift

// A: asynchronous writes.

extension Misuse {
  static let asyncWrites = asyncPlaces + asyncBlocks + asyncTasks

  private static let loopless =
    "Can't schedule async transaction. Is the Realm running inside a run loop? Open it on a loop "
    + "thread, the main thread, an actor, or with a queue."
  static let readOnly =
    "Can't perform transactions on read-only Realms; open it without `readOnly` to write."
  static let nothingToCommit =
    "Can't commit a non-existing write transaction; begin one with `beginWrite()` first."
  static let nested =
    "The Realm is already in a write transaction; commit or cancel that one first."

  private static let asyncPlaces = [
    Misuse("A1: writeAsync on a thread without a loop", loopless) {
      try $0.open().writeAsync {}
    },
    Misuse("A3: beginAsyncWrite on a thread without a loop", loopless) {
      try $0.open().beginAsyncWrite {}
    },
    Misuse("A4: commitAsyncWrite on a thread without a loop", loopless) { scene in
      try scene.inWrite { $0.commitAsyncWrite() }
    },
    Misuse("A1: writeAsync on another thread's realm", incorrectThread) { scene in
      try scene.smuggle({ $0 }) { $0.writeAsync {} }
    },
    Misuse("A4: cancelAsyncWrite on another thread's realm", incorrectThread) { scene in
      try scene.smuggle({ $0 }) { try $0.cancelAsyncWrite(1) }
    },
    Misuse("A5: asking another thread's realm for asynchronous writes", incorrectThread) { scene in
      try scene.smuggle({ $0 }) { _ = $0.isPerformingAsynchronousWriteOperations }
    },
    Misuse("A1: writeAsync on a read-only realm", readOnly) { scene in
      scene.onLoop(readOnly: true) { $0.writeAsync {} }
    },
  ]

  private static let asyncBlocks = [
    Misuse("A4: commitAsyncWrite without a transaction", nothingToCommit) { scene in
      scene.onLoop { $0.commitAsyncWrite() }
    },
    Misuse("A2: committing twice in a block", nothingToCommit) { scene in
      try await scene.staysOnLoop { realm in
        realm.writeAsync {
          realm.commitAsyncWrite()
          realm.commitAsyncWrite()
        }
      }
    },
    Misuse("A1: beginning a transaction in a block", nested) { scene in
      try await scene.staysOnLoop { realm in
        realm.writeAsync {
          realm.add(Letter(value: ["subject": MisuseWitness.uncommitted]))
          realm.beginWrite()
        }
      }
    },
    Misuse("A3: a block that uses a deleted object", deletedObject) { scene in
      try await scene.staysOnLoop { realm in
        realm.beginAsyncWrite {
          let reader = scene.reader(in: realm)
          realm.delete(reader)
          reader.name = "Eve"
        }
      }
    },
    Misuse("A1: a completion that changes an object", outsideWrite) { scene in
      try await scene.staysOnLoop { realm in
        realm.writeAsync {
        } onComplete: { _ in
          scene.reader(in: realm).name = "Eve"
        }
      }
    },
  ]

  private static let unisolated =
    "asyncWrite() can only be called on main thread or actor-isolated Realms: open it with "
    + "`try await Realm(actor:)`."

  private static let asyncTasks = [
    Misuse("A6: asyncWrite on a realm of the thread", unisolated) { scene in
      let archive = MisuseActor()
      try await archive.writeOnThreadRealm(scene)
    },
    Misuse("A6: asyncWrite on a frozen realm", unisolated) { scene in
      try await MisuseActor().writeFrozen(scene)
    },
    Misuse("A6: asyncWrite in a transaction", nested) { scene in
      try await MisuseActor().writeInWrite(scene)
    },
    Misuse("A6: asyncWrite on another actor's realm", incorrectThread) { scene in
      let archive = MisuseActor()
      try await MisuseActor().write(try await archive.smuggled(scene))
      withExtendedLifetime(archive) {}
    },
    Misuse(
      "V6: asyncRefresh on a realm of the thread",
      unisolated.replacing("asyncWrite", with: "asyncRefresh")
    ) { scene in
      try await MisuseActor().refreshThreadRealm(scene)
    },
  ]
}

/// An actor that does what is wrong.
actor MisuseActor {
  func writeOnThreadRealm(_ scene: MisuseScene) async throws {
    try await scene.open().asyncWrite {}
  }

  func refreshThreadRealm(_ scene: MisuseScene) async throws {
    await (try scene.open()).asyncRefresh()
  }

  func open(_ scene: MisuseScene) async throws -> Realm {
    try await Realm(configuration: scene.configuration, actor: self)
  }

  func writeFrozen(_ scene: MisuseScene) async throws {
    try await open(scene).freeze().asyncWrite {}
  }

  func writeInWrite(_ scene: MisuseScene) async throws {
    let realm = try await open(scene)
    realm.beginWrite()
    realm.add(Letter(value: ["subject": MisuseWitness.uncommitted]))
    try await realm.asyncWrite {}
  }

  /// The actor's realm as if it could be sent.
  func smuggled(_ scene: MisuseScene) async throws -> Box<Realm> { Box(try await open(scene)) }

  func write(_ realm: Box<Realm>) async throws { try await realm.value.asyncWrite {} }
}
