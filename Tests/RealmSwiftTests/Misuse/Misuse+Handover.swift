import Foundation
import RealmSwift

// C3 and C4: references that cross threads.

extension Misuse {
  static let handover = references + wrappers

  private static let invalidated =
    "Cannot construct reference to invalidated object; look it up again first."

  private static let references = [
    Misuse(
      "C3: resolving a reference twice",
      "Can only resolve a thread safe reference once; make another one to resolve it again."
    ) { scene in
      let realm = try scene.open()
      let reference = ThreadSafeReference(to: scene.reader(in: realm))
      _ = realm.resolve(reference)
      _ = realm.resolve(reference)
    },
    Misuse(
      "C3: resolving in a frozen realm",
      "Cannot resolve thread safe reference in frozen Realm; resolve it in a live one."
    ) { scene in
      let realm = try scene.open()
      _ = realm.freeze().resolve(ThreadSafeReference(to: scene.reader(in: realm)))
    },
    Misuse("C3: resolving in another thread's realm", incorrectThread) { scene in
      let realm = try scene.open()
      let reference = ThreadSafeReference(to: scene.reader(in: realm))
      try scene.smuggle({ $0 }) { _ = $0.resolve(reference) }
    },
    Misuse(
      "C3: a reference to an unmanaged object",
      "Cannot construct reference to unmanaged object, which can be passed across threads directly"
    ) { _ in
      _ = ThreadSafeReference(to: Reader(name: "Eve"))
    },
    Misuse(
      "C3: a reference to an unmanaged list",
      "Cannot construct reference to unmanaged object; add it to a Realm first."
    ) { _ in
      _ = ThreadSafeReference(to: List<Int>())
    },
    Misuse("C3: a reference to a deleted object", invalidated) { scene in
      let realm = try scene.open()
      let reader = scene.reader(in: realm)
      realm.beginWrite()
      realm.delete(reader)
      _ = ThreadSafeReference(to: reader)
    },
    Misuse("C3: a reference to an invalidated realm's results", invalidated) { scene in
      let realm = try scene.open()
      let readers = realm.objects(Reader.self)
      realm.invalidate()
      _ = ThreadSafeReference(to: readers)
    },
  ]

  private static let wrappers = [
    Misuse(
      "C4: wrapping an unmanaged object",
      "Only managed objects may be wrapped as thread safe. Unmanaged objects may be passed across "
        + "threads by themselves."
    ) { _ in
      @ThreadSafe var reader = Reader(name: "Eve")
      _ = reader
    },
    Misuse("C4: wrapping a deleted object", invalidated) { scene in
      let realm = try scene.open()
      let object = scene.reader(in: realm)
      realm.beginWrite()
      realm.delete(object)
      @ThreadSafe var reader = object
      _ = reader
    },
    Misuse("C4: wrapping another thread's object", incorrectThread) { scene in
      try scene.smuggle({ scene.reader(in: $0) }) { object in
        @ThreadSafe var reader = object
        _ = reader
      }
    },
  ]
}
