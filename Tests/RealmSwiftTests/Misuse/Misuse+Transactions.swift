import Foundation
import RealmSwift

// T and M: changes belong into transactions.

extension Misuse {
  static let outsideWrite =
    "Attempting to modify object outside of a write transaction - call `write` or `beginWrite` on "
    + "its Realm first."
  private static let noTransaction =
    "Can only add, remove, or create objects in a Realm in a write transaction - call `write` or "
    + "`beginWrite` on it first."
  private static let listOutsideWrite =
    "Cannot modify managed RLMArray outside of a write transaction. Call `write` or `beginWrite` "
    + "on the List's Realm first."

  private static func outside(
    _ name: String, _ reason: String, _ change: @escaping @Sendable (Realm) -> Void
  ) -> Misuse {
    Misuse("T1: outside of a transaction, " + name, reason) { change(try $0.open()) }
  }

  static let transactions =
    outsideOnes + [
      Misuse("T6: beginning a transaction in a transaction", nested) { scene in
        try scene.inWrite { $0.beginWrite() }
      },
      Misuse("T6: writing in a block that writes", nested) { scene in
        try scene.inWrite { try $0.write {} }
      },
      Misuse("T6: committing what was not begun", nothingToCommit) {
        try $0.open().commitWrite()
      },
      Misuse(
        "T6: cancelling what was not begun",
        "Can't cancel a non-existing write transaction; begin one with `beginWrite()` first."
      ) {
        try $0.open().cancelWrite()
      },
      Misuse("T6: committing twice", nothingToCommit) { scene in
        let realm = try scene.open()
        realm.beginWrite()
        try realm.commitWrite()
        try realm.commitWrite()
      },
      Misuse("T6: writing to a read-only realm", readOnly) {
        try $0.openReadOnly().write {}
      },
      Misuse("T6: beginning a transaction of a read-only realm", readOnly) {
        try $0.openReadOnly().beginWrite()
      },
    ]

  private static let outsideOnes = [
    outside("changing an object", outsideWrite) { $0.objects(Reader.self).first!.name = "Eve" },
    outside("changing an object by name", outsideWrite) {
      $0.objects(Reader.self).first!["name"] = "Eve"
    },
    outside("changing a link", outsideWrite) { $0.objects(Keeper.self).first!.favourite = nil },
    outside("appending to a list", listOutsideWrite) {
      $0.objects(Reader.self).first!.books.append(Volume())
    },
    outside("removing from a list", listOutsideWrite) {
      $0.objects(Reader.self).first!.books.remove(at: 0)
    },
    outside("replacing a list", listOutsideWrite) { realm in
      realm.objects(Reader.self).first!.books = List()
    },
    outside("adding an object", noTransaction) { $0.add(Letter()) },
    outside("creating an object", noTransaction) { $0.create(Letter.self) },
    outside("deleting an object", noTransaction) { $0.delete($0.objects(Reader.self).first!) },
    outside("deleting results", noTransaction) { $0.delete($0.objects(Reader.self)) },
    outside("deleting all", noTransaction) { $0.deleteAll() },
  ]
}
