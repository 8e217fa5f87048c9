import Foundation
import RealmSwift

// Classes that the tests of threads, asynchronous writes and actors share.

final class Reader: Object {
  @Persisted var name: String
  @Persisted var books: List<Volume>

  convenience init(name: String) {
    self.init()
    self.name = name
  }
}

final class Volume: Object {
  @Persisted var title: String
  @Persisted var pages: Int
}

final class Letter: Object {
  @Persisted var subject: String
  @Persisted var isAnswered: Bool
}

final class Errand: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var name: String
  @Persisted var owner: String
  @Persisted var status: String
}

extension TemporaryRealm {
  static func forThreads(
    _ durability: Realm.Configuration.Durability = .relaxed
  ) -> TemporaryRealm {
    TemporaryRealm([Reader.self, Volume.self, Letter.self, Errand.self], durability)
  }

  /// Commits on another thread and returns when that is done.
  func writeElsewhere(_ body: @escaping @Sendable (Realm) -> Void) {
    let writer = LoopThread(name: "writer")
    writer.performAndWait {
      let realm = try! self.open()
      try! realm.write { body(realm) }
    }
    writer.join()
  }
}

/// Holds the writer, on a thread of its own.
final class WriterHolder: Sendable {
  private let thread = LoopThread(name: "holder")
  private let realm = Box<Realm?>(nil)

  init(_ file: TemporaryRealm) {
    thread.performAndWait { [realm] in
      realm.value = try! file.open()
      realm.value!.beginWrite()
    }
  }

  /// Gives the writer back, with a commit that adds a reader if there is a name for it.
  func end(adding name: String? = nil) {
    endSoon(adding: name)
    wait()
  }

  /// As `end`, for who is about to wait for the writer; `wait()` has to follow.
  func endSoon(adding name: String? = nil) {
    thread.perform { [realm] in
      if let name {
        realm.value!.add(Reader(name: name))
        try! realm.value!.commitWrite()
      } else {
        realm.value!.cancelWrite()
      }
      realm.value = nil
    }
  }

  /// Waits until the writer was given back.
  func wait() { thread.join() }
}

/// Things that one thread, queue or actor shares with its own later self.
final class Box<Value>: @unchecked Sendable {
  // Sendable: one thread, queue or actor has it at all times.
  var value: Value
  init(_ value: Value) { self.value = value }
}
