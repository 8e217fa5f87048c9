import Dispatch
import Foundation
import RealmSwift

// N7, and what else cannot be observed.

extension Misuse {
  static let notifications =
    observedWriting + observedPlaces + observedThings
    + observedAsAnother

  static let observedInWrite =
    "Cannot register notification blocks from within write transactions; observe before or after "
    + "it."
  static let unmanagedObserved =
    "Only objects which are managed by a Realm support change notifications; add it to one first."
  private static let loopless =
    "Can only add notification blocks from within runloops: open the realm on a loop thread, the "
    + "main thread, or with a queue."
  private static let readOnlyObserved =
    "Read-only Realms do not change and do not have change notifications; open it without "
    + "`readOnly` to observe it."
  private static let unknownToken =
    "Cannot skip notifications for a token of another Realm, or one that was invalidated; pass "
    + "tokens of this Realm's observers."

  private static func inWrite(
    _ name: String, _ observe: @escaping @Sendable (Realm) -> Void
  ) -> Misuse {
    Misuse("N7: within a transaction, observing " + name, observedInWrite) { scene in
      scene.onLoop { _ in try scene.inWrite(observe) }
    }
  }

  static let observedAsAnother = [
    Misuse(
      "N4: observing an object with changes of another class",
      "Cannot observe an object of class 'Reader' with changes of 'Volume'; name its own class in "
        + "the block."
    ) { scene in
      scene.onLoop { _ in
        let reader = scene.reader(in: try scene.open())
        _ = reader.observe { (_: ObjectChange<Volume>) in }
      }
    }
  ]

  private static let observedWriting = [
    inWrite("a realm") { _ = $0.observe { _, _ in } },
    inWrite("an object") { realm in
      _ = realm.objects(Reader.self).first!.observe { (_: ObjectChange<Reader>) in }
    },
    inWrite("a list") { _ = $0.objects(Reader.self).first!.books.observe { _ in } },
    inWrite("results") { _ = $0.objects(Reader.self).observe { _ in } },
    inWrite("linking objects") { realm in
      _ = realm.objects(Animal.self).first!.keepers.observe { _ in }
    },
    inWrite("results on a queue") { realm in
      _ = realm.objects(Reader.self).observe(on: DispatchQueue(label: "observer")) { _ in }
    },
    inWrite("results as a sequence") { realm in
      _ = realm.objects(Reader.self).changes.makeAsyncIterator()
    },
  ]

  private static let observedPlaces = [
    Misuse("N7: observing a read-only realm", readOnlyObserved) { scene in
      scene.onLoop(readOnly: true) { _ = $0.observe { _, _ in } }
    },
    Misuse("N7: observing results of a read-only realm", readOnlyObserved) { scene in
      scene.onLoop(readOnly: true) { _ = $0.objects(Reader.self).observe { _ in } }
    },
    Misuse("N7: observing an object of a read-only realm on a queue", readOnlyObserved) { scene in
      let queue = DispatchQueue(label: "observer")
      let reader = scene.reader(in: try scene.openReadOnly())
      _ = reader.observe(on: queue) { (_: ObjectChange<Reader>) in }
    },
    Misuse("N1: observing on a thread without a loop", loopless) {
      _ = try $0.open().observe { _, _ in }
    },
    Misuse("N1: observing results on a thread without a loop", loopless) {
      _ = try $0.open().objects(Reader.self).observe { _ in }
    },
    Misuse("N7: observing another thread's realm", incorrectThread) { scene in
      try scene.smuggle({ $0 }) { _ = $0.observe { _, _ in } }
    },
    Misuse("N7: observing another thread's results", incorrectThread) { scene in
      try scene.smuggle({ $0.objects(Reader.self) }) { _ = $0.observe { _ in } }
    },
    Misuse("N7: observing another thread's results on a queue", incorrectThread) { scene in
      try scene.smuggle({ $0.objects(Reader.self) }) { readers in
        _ = readers.observe(on: DispatchQueue(label: "observer")) { _ in }
      }
    },
  ]

  private static let observedThings = [
    Misuse("N1: observing an unmanaged object", unmanagedObserved) { _ in
      _ = Reader(name: "Eve").observe { (_: ObjectChange<Reader>) in }
    },
    Misuse("N1: observing an unmanaged list", unmanagedObserved) { _ in
      _ = List<Int>().observe { _ in }
    },
    Misuse("N1: observing an unmanaged object's linking objects", unmanagedObserved) { _ in
      _ = Animal("a").keepers.observe { _ in }
    },
    Misuse("N1: observing results of them", unmanagedObserved) { _ in
      _ = Animal("a").keepers.filter("id == 1").observe { _ in }
    },
    Misuse(
      "F1: freezing results of them",
      "Results that belong to no Realm hold nothing to work on."
    ) { _ in
      _ = Animal("a").keepers.filter("id == 1").freeze()
    },
    Misuse(
      "C3: a reference to results of them",
      "Cannot construct reference to unmanaged object; add it to a Realm first."
    ) { _ in
      _ = ThreadSafeReference(to: Animal("a").keepers.filter("id == 1"))
    },
    Misuse("N1: observing an invalidated object", deletedObject) { scene in
      scene.onLoop { realm in
        let reader = scene.reader(in: realm)
        realm.invalidate()
        _ = reader.observe { (_: ObjectChange<Reader>) in }
      }
    },
    Misuse("N1: observing a deleted object's list", invalidList) { scene in
      scene.onLoop { realm in
        let books = scene.reader(in: realm).books
        realm.invalidate()
        _ = books.observe { _ in }
      }
    },
    Misuse("N1: observing an invalidated realm's results", invalidResults) { scene in
      scene.onLoop { realm in
        let readers = realm.objects(Reader.self)
        realm.invalidate()
        _ = readers.observe { _ in }
      }
    },
    Misuse(
      "N5: observing a property that is not there",
      "Cannot follow key path 'wings': property 'Reader.wings' not found; there are 'name', "
        + "'books'."
    ) { scene in
      scene.onLoop { realm in
        let reader = scene.reader(in: realm)
        _ = reader.observe(keyPaths: ["wings"]) { (_: ObjectChange<Reader>) in }
      }
    },
    Misuse(
      "N5: observing beyond a property that is no link",
      "Cannot follow key path 'books.title.first': 'first' is beyond a property that is no link."
    ) { scene in
      scene.onLoop { realm in
        _ = realm.objects(Reader.self).observe(keyPaths: ["books.title.first"]) { _ in }
      }
    },
    Misuse("T5: silencing a token of another realm", unknownToken) { scene in
      scene.onLoop { realm in
        let other = TemporaryRealm(MisuseScene.types)
        let token = try other.open().observe { _, _ in }
        try realm.write(withoutNotifying: [token]) {
          realm.add(Letter(value: ["subject": MisuseWitness.uncommitted]))
        }
      }
    },
    Misuse("T5: silencing a token that was invalidated", unknownToken) { scene in
      scene.onLoop { realm in
        let token = realm.observe { _, _ in }
        token.invalidate()
        try realm.write(withoutNotifying: [token]) {
          realm.add(Letter(value: ["subject": MisuseWitness.uncommitted]))
        }
      }
    },
  ]
}
