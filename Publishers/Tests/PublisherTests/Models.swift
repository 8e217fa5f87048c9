import Combine
import Foundation
import RealmSwift

final class Song: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var title: String
  @Persisted var plays: Int
  @Persisted var genre: String
}

final class Album: Object {
  @Persisted var name: String
  @Persisted var songs: List<Song>
  @Persisted var moods: MutableSet<String>
  @Persisted var credits: Map<String, Int>
  @Persisted var cover: Cover?
}

final class Cover: EmbeddedObject {
  @Persisted var colour: String
}

final class SongTitle: Projection<Song> {
  @Projected(\Song.title) var title
}

/// A file in a directory of its own, which goes with this object.
final class TemporaryFile: Sendable {
  private let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("holdfast-\(UUID().uuidString)", isDirectory: true)
  let configuration: Realm.Configuration

  init() {
    try! FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    configuration = Realm.Configuration(
      fileURL: directory.appendingPathComponent("test.realm"),
      objectTypes: [Song.self, Album.self, Cover.self])
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  func open(_ queue: DispatchQueue? = nil) throws -> Realm {
    try Realm(configuration: configuration, queue: queue)
  }
}

/// A queue with a realm, and what was published to it, in order.
final class Stage: @unchecked Sendable {
  // Sendable: everything but the stream is used on the queue only.
  let file = TemporaryFile()
  let queue = DispatchQueue(label: "stage")
  private let events: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation
  var cancellables: Set<AnyCancellable> = []
  private var held: Realm?

  init() { (events, continuation) = AsyncStream.makeStream() }

  deinit { queue.sync { cancellables = [] } }

  /// Runs the body on the queue.
  func run(_ body: (Realm) throws -> Void) {
    queue.sync {
      held = try! file.open(queue)
      try! body(held!)
    }
  }

  /// Commits on another queue.
  func write(_ body: @Sendable @escaping (Realm) -> Void) {
    let queue = DispatchQueue(label: "writer")
    queue.sync {
      let realm = try! file.open(queue)
      try! realm.write { body(realm) }
    }
  }

  func tell(_ event: String) { continuation.yield(event) }

  /// The next thing that was published.
  func next() async -> String? {
    var iterator = events.makeAsyncIterator()
    return await iterator.next()
  }
}

extension RealmCollectionChange {
  var text: String {
    switch self {
    case .initial: "initial"
    case .update(_, let deletions, let insertions, let modifications):
      "\(deletions) \(insertions) \(modifications)"
    case .error(let error): "error \(error)"
    }
  }
}
