import Dispatch
import Foundation
import RealmSwift

// C1 and C2: what is live belongs to one thread, serial queue or loop.

extension Misuse {
  static let incorrectThread =
    "Realm accessed from incorrect thread. Open a realm where it is used, or pass a "
    + "ThreadSafeReference or a frozen copy there."

  private static func elsewhere<Value>(
    _ name: String, _ make: @escaping @Sendable (Realm) throws -> Value,
    _ use: @escaping @Sendable (Value) throws -> Void
  ) -> Misuse {
    Misuse("C1: on another thread, " + name, incorrectThread) { try $0.smuggle(make, use) }
  }

  static let confinement = threads + places + queues

  private static let threads = [
    elsewhere("querying a realm", { $0 }) { _ = $0.objects(Reader.self) },
    elsewhere("asking whether a realm is empty", { $0 }) { _ = $0.isEmpty },
    elsewhere("looking an object up", { $0 }) { realm in
      _ = realm.object(ofType: Keeper.self, forPrimaryKey: 1)
    },
    elsewhere("refreshing a realm", { $0 }) { $0.refresh() },
    elsewhere("setting autorefresh", { $0 }) { $0.autorefresh = false },
    elsewhere("invalidating a realm", { $0 }) { $0.invalidate() },
    elsewhere("freezing a realm", { $0 }) { _ = $0.freeze() },
    elsewhere("beginning a transaction", { $0 }) { $0.beginWrite() },
    elsewhere("reading an object", { $0.objects(Reader.self).first! }) { _ = $0.name },
    elsewhere("changing an object", { $0.objects(Reader.self).first! }) { $0.name = "Eve" },
    elsewhere("asking an object whether it is valid", { $0.objects(Reader.self).first! }) {
      _ = $0.isInvalidated
    },
    elsewhere("freezing an object", { $0.objects(Reader.self).first! }) { _ = $0.freeze() },
    elsewhere("counting a list", { $0.objects(Reader.self).first!.books }) { _ = $0.count },
    elsewhere("changing a list", { $0.objects(Reader.self).first!.books }) { $0.removeAll() },
    elsewhere("counting results", { $0.objects(Volume.self) }) { _ = $0.count },
    elsewhere("filtering results", { $0.objects(Volume.self) }) { results in
      _ = results.where { $0.pages > 3 }
    },
    elsewhere("following links back", { $0.objects(Animal.self).first!.keepers }) {
      _ = $0.count
    },
    elsewhere("making a reference", { $0.objects(Reader.self).first! }) { reader in
      _ = ThreadSafeReference(to: reader)
    },
  ]

  private static let places = [
    Misuse("C1: committing on another thread what was begun here", incorrectThread) { scene in
      let change = { (realm: Realm) in
        realm.beginWrite()
        realm.add(Letter(value: ["subject": MisuseWitness.uncommitted]))
        return realm
      }
      try scene.smuggle(change) { try $0.commitWrite() }
    },
    Misuse("C1: adding to another thread's transaction", incorrectThread) { scene in
      let begin = { (realm: Realm) in
        realm.beginWrite()
        return realm
      }
      try scene.smuggle(begin) { $0.add(Letter(value: ["subject": MisuseWitness.uncommitted])) }
    },
    Misuse("C1: using a loop thread's realm beside it", incorrectThread) { scene in
      let realm = Box<Realm?>(nil)
      scene.onLoop { realm.value = $0 }
      _ = realm.value!.objects(Reader.self)
    },
    Misuse("C1: using an object of a loop thread beside it", incorrectThread) { scene in
      let reader = Box<Reader?>(nil)
      scene.onLoop { reader.value = $0.objects(Reader.self).first! }
      _ = reader.value!.name
    },
  ]

  private static func unsuitable(_ label: String) -> String {
    "Invalid queue '\(label)' (DispatchQueue): Realms can only be confined to serial queues "
      + "or the main queue."
  }

  private static let queues = [
    Misuse("C2: using a queue's realm beside the queue", incorrectThread) { scene in
      let queue = DispatchQueue(label: "readers")
      let realm = try queue.sync { try Realm(configuration: scene.configuration, queue: queue) }
      _ = realm.objects(Reader.self)
    },
    Misuse("C2: using a queue's realm on another queue", incorrectThread) { scene in
      let queue = DispatchQueue(label: "readers")
      let realm = Box(
        try queue.sync { try Realm(configuration: scene.configuration, queue: queue) })
      DispatchQueue(label: "others").sync { _ = realm.value.objects(Reader.self) }
    },
    Misuse("C2: opening a realm on a concurrent queue", unsuitable("crowd")) { scene in
      let queue = DispatchQueue(label: "crowd", attributes: .concurrent)
      _ = try Realm(configuration: scene.configuration, queue: queue)
    },
    Misuse("C2: opening a realm on a global queue", unsuitable("com.apple.root.default-qos")) {
      _ = try Realm(configuration: $0.configuration, queue: .global())
    },
    Misuse("C2: observing on a concurrent queue", unsuitable("crowd")) { scene in
      let queue = DispatchQueue(label: "crowd", attributes: .concurrent)
      let realm = try scene.open()
      _ = realm.objects(Reader.self).observe(on: queue) { _ in }
    },
  ]
}
