import Foundation
import RealmSwift

// M: objects that are gone, foreign, or not what was asked for.

extension Misuse {
  static let deletedObject =
    "Object has been deleted or invalidated. Ask `isInvalidated` first, or look it up again."
  static let invalidList =
    "Access to invalidated List object: its object has been deleted, or its Realm invalidated. "
    + "Ask `isInvalidated` first."
  static let invalidResults =
    "Access to invalidated Results objects: its Realm has been invalidated. Query it again."
  private static let foreign =
    "Object is already managed by another Realm. Use create instead to copy it into this Realm."
  private static let keyChanged =
    "Primary key can't be changed after an object is inserted; create another object instead."

  static let objects = gone + strange + keys + places

  private static let gone = [
    Misuse("M: reading a deleted object", deletedObject) { scene in
      let realm = try scene.open()
      let reader = scene.reader(in: realm)
      realm.beginWrite()
      realm.delete(reader)
      _ = reader.name
    },
    Misuse("M: changing a deleted object", deletedObject) { scene in
      try scene.inWrite { realm in
        let reader = scene.reader(in: realm)
        realm.delete(reader)
        reader.name = "Eve"
      }
    },
    Misuse("M: counting a deleted object's list", invalidList) { scene in
      try scene.inWrite { realm in
        let reader = scene.reader(in: realm)
        let books = reader.books
        realm.delete(reader)
        _ = books.count
      }
    },
    Misuse("M: appending a deleted object", deletedObject) { scene in
      try scene.inWrite { realm in
        let volume = realm.create(Volume.self)
        realm.delete(volume)
        scene.reader(in: realm).books.append(volume)
      }
    },
    Misuse(
      "M: adding a deleted object",
      "Adding a deleted or invalidated object to a Realm is not permitted; create another one."
    ) { scene in
      try scene.inWrite { realm in
        let reader = scene.reader(in: realm)
        realm.delete(reader)
        realm.add(reader)
      }
    },
    Misuse("M: reading an object of a cancelled transaction", deletedObject) { scene in
      let realm = try scene.open()
      realm.beginWrite()
      let letter = realm.create(Letter.self, value: ["subject": MisuseWitness.uncommitted])
      realm.cancelWrite()
      _ = letter.subject
    },
    Misuse("V8: reading an invalidated object", deletedObject) { scene in
      let realm = try scene.open()
      let reader = scene.reader(in: realm)
      realm.invalidate()
      _ = reader.name
    },
    Misuse("V8: counting invalidated results", invalidResults) { scene in
      let realm = try scene.open()
      let readers = realm.objects(Reader.self)
      realm.invalidate()
      _ = readers.count
    },
  ]

  private static let strange = [
    Misuse("M: adding another realm's object", foreign) { scene in
      let other = try TemporaryRealm(MisuseScene.types).open()
      let letter = try other.write { other.create(Letter.self) }
      try scene.inWrite { $0.add(letter) }
    },
    Misuse("M: appending another realm's object", foreign) { scene in
      let other = try TemporaryRealm(MisuseScene.types).open()
      let volume = try other.write { other.create(Volume.self) }
      try scene.inWrite { scene.reader(in: $0).books.append(volume) }
    },
    Misuse(
      "M: deleting an unmanaged object",
      "Can only delete an object from the Realm it belongs to; resolve or look it up there."
    ) { scene in
      try scene.inWrite { $0.delete(Letter()) }
    },
    Misuse(
      "M: a class that the realm was not opened with",
      "Object type 'CodableNote' is not managed by the Realm. If using a custom `objectTypes` "
        + "array in your configuration, add `CodableNote` to the list of `objectTypes`."
    ) {
      _ = try $0.open().objects(CodableNote.self)
    },
    Misuse(
      "M: a value of another type",
      "Invalid value 'Letter { subject = ; isAnswered = false; }' of type 'Letter' for 'int' "
        + "property 'Volume.pages'."
    ) { scene in
      try scene.inWrite { $0.create(Volume.self, value: ["pages": Letter()]) }
    },
    Misuse(
      "M: a property that is not there",
      "Invalid property name 'wings' for class 'Reader'; there are 'name', 'books'.",
      kind: "Invalid property name"
    ) { scene in
      _ = scene.reader(in: try scene.open())["wings"]
    },
  ]

  private static let keys = [
    Misuse("M: changing a primary key", keyChanged) { scene in
      try scene.inWrite { $0.objects(Keeper.self).first!.id = 7 }
    },
    Misuse("M: changing a primary key by name", keyChanged) { scene in
      try scene.inWrite { $0.objects(Keeper.self).first!["id"] = 7 }
    },
    Misuse(
      "M: adding a primary key twice",
      "Attempting to create an object of type 'Keeper' with an existing primary key value '1'. "
        + "Pass `update: .modified` to change that object."
    ) { scene in
      try scene.inWrite { $0.add(Keeper(value: ["id": 1])) }
    },
    Misuse(
      "M: updating a class without a primary key",
      "'Letter' does not have a primary key and can not be updated; declare one, or leave "
        + "`update` out."
    ) { scene in
      try scene.inWrite { $0.add(Letter(), update: .all) }
    },
    Misuse(
      "M: looking up in a class without a primary key",
      "Letter does not have a primary key; declare one to look objects up by it."
    ) {
      _ = try $0.open().object(ofType: Letter.self, forPrimaryKey: "x")
    },
  ]

  private static let places = [
    Misuse("M: an index beyond a list", "Index 2 is out of bounds (must be less than 2).") {
      scene in
      _ = scene.reader(in: try scene.open()).books[2]
    },
    Misuse("M: an index beyond results", "Index 9 is out of bounds (must be less than 2).") {
      _ = try $0.open().objects(Volume.self)[9]
    },
    Misuse("M: a negative index", "Cannot pass a negative value for 'index'.") { scene in
      _ = scene.reader(in: try scene.open()).books[-1]
    },
    Misuse("M: removing beyond a list", "Index 2 is out of bounds (must be less than 2).") {
      scene in
      try scene.inWrite { scene.reader(in: $0).books.remove(at: 2) }
    },
  ]
}
