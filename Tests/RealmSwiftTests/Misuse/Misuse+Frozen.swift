import Foundation
import RealmSwift

// F3: what is frozen stays as it is.

extension Misuse {
  static let frozen = frozenTransactions + frozenChanges + frozenObserving + notFreezable

  private static let frozenTransaction =
    "Can't perform transactions on a frozen Realm; use the live one, which `thaw()` gives."
  private static let modified =
    "Attempting to modify a frozen object - call thaw on the Object instance first."
  private static let unchanging =
    "Frozen Realms do not change and do not have change notifications; observe the live one, "
    + "which `thaw()` gives."

  private static let frozenTransactions = [
    Misuse("F3: write on a frozen realm", frozenTransaction) {
      try $0.open().freeze().write {}
    },
    Misuse("F3: beginWrite on a frozen realm", frozenTransaction) {
      try $0.open().freeze().beginWrite()
    },
    Misuse("F3: writeAsync on a frozen realm", frozenTransaction) { scene in
      scene.onLoop { $0.freeze().writeAsync {} }
    },
    Misuse("F3: beginAsyncWrite on a frozen realm", frozenTransaction) { scene in
      scene.onLoop { $0.freeze().beginAsyncWrite {} }
    },
    Misuse("F3: adding to a frozen realm", modified) {
      try $0.open().freeze().add(Letter())
    },
    Misuse("F3: deleting from a frozen realm", modified) { scene in
      let realm = try scene.open().freeze()
      realm.delete(scene.reader(in: realm))
    },
    Misuse(
      "F: setting autorefresh of a frozen realm",
      "Auto-refresh cannot be set for frozen Realms; set it for the live one."
    ) {
      try $0.open().freeze().autorefresh = true
    },
    Misuse(
      "F: invalidating a frozen realm",
      "Cannot invalidate a frozen Realm; dropping it lets go of its version."
    ) {
      try $0.open().freeze().invalidate()
    },
  ]

  private static let frozenChanges = [
    Misuse("F3: changing a frozen object", modified) { scene in
      scene.reader(in: try scene.open()).freeze().name = "Eve"
    },
    Misuse("F3: changing a frozen object in a transaction of the live realm", modified) { scene in
      try scene.inWrite { scene.reader(in: $0.freeze()).name = "Eve" }
    },
    Misuse("F3: changing a frozen list", modified) { scene in
      scene.reader(in: try scene.open()).books.freeze().removeAll()
    },
    Misuse("F3: changing what a frozen object links to", modified) { scene in
      scene.reader(in: try scene.open()).freeze().books[0].title = "Changed"
    },
    Misuse(
      "F3: appending a frozen object to a live list",
      "Frozen objects cannot be added to a live Realm; thaw them first."
    ) { scene in
      try scene.inWrite { realm in
        scene.reader(in: realm).books.append(realm.freeze().objects(Volume.self).first!)
      }
    },
    Misuse(
      "F3: linking a live object to a frozen one",
      "Frozen objects cannot be added to a live Realm; thaw them first."
    ) { scene in
      try scene.inWrite { realm in
        let keeper = realm.objects(Keeper.self).first!
        keeper.favourite = realm.freeze().objects(Animal.self).first!
      }
    },
    Misuse(
      "F3: deleting a frozen object from the live realm",
      "Can only delete an object from the Realm it belongs to; resolve or look it up there."
    ) { scene in
      try scene.inWrite { $0.delete(scene.reader(in: $0.freeze())) }
    },
  ]

  private static let frozenObserving = [
    Misuse("F3: observing a frozen realm", unchanging) { scene in
      scene.onLoop { _ = $0.freeze().observe { _, _ in } }
    },
    Misuse("F3: observing a frozen object", unchanging) { scene in
      scene.onLoop { realm in
        let reader = scene.reader(in: realm).freeze()
        _ = reader.observe { (_: ObjectChange<Reader>) in }
      }
    },
    Misuse("F3: observing a frozen list", unchanging) { scene in
      scene.onLoop { _ = scene.reader(in: $0).books.freeze().observe { _ in } }
    },
    Misuse("F3: observing frozen results", unchanging) { scene in
      scene.onLoop { _ = $0.objects(Reader.self).freeze().observe { _ in } }
    },
    Misuse("F3: observing frozen results on a queue", unchanging) { scene in
      let queue = DispatchQueue(label: "observer")
      _ = try scene.open().objects(Reader.self).freeze().observe(on: queue) { _ in }
    },
    Misuse("F3: observing a frozen object on a queue", unchanging) { scene in
      let queue = DispatchQueue(label: "observer")
      let reader = scene.reader(in: try scene.open()).freeze()
      _ = reader.observe(on: queue) { (_: ObjectChange<Reader>) in }
    },
    Misuse("F3: observing frozen linking objects", unchanging) { scene in
      scene.onLoop { realm in
        _ = realm.objects(Animal.self).first!.keepers.freeze().observe { _ in }
      }
    },
  ]

  private static let notFreezable = [
    Misuse(
      "F1: freezing an unmanaged object",
      "Unmanaged objects cannot be frozen; add it to a Realm first."
    ) { _ in
      _ = Reader(name: "Eve").freeze()
    },
    Misuse(
      "F1: freezing an unmanaged list",
      "Unmanaged collections cannot be frozen; add their object to a Realm first."
    ) { _ in
      _ = List<Int>().freeze()
    },
    Misuse(
      "F1: freezing an object in the transaction that makes it",
      "Cannot freeze an object in the same write transaction as it was created in; commit first."
    ) { scene in
      try scene.inWrite { _ = $0.create(Volume.self).freeze() }
    },
    Misuse(
      "F2: thawing an unmanaged object",
      "Unmanaged objects cannot be thawed; they are not frozen."
    ) { _ in
      _ = Reader(name: "Eve").thaw()
    },
  ]
}
