import Foundation
import RealmSwift

/// One way of using the library wrongly, and the reason with which it stops the program.
struct Misuse: Sendable {
  /// The behaviour that forbids it, and what is done; unique.
  let name: String
  /// The whole reason: what is wrong and what to do instead.
  let reason: String
  /// Does it; run in a process of its own.
  let commit: @Sendable (MisuseScene) async throws -> Void
  /// What Apple's SDK calls the exception.
  let kind: String

  init(
    _ name: String, _ reason: String, kind: String = "RLMException",
    _ commit: @escaping @Sendable (MisuseScene) async throws -> Void
  ) {
    self.name = name
    self.reason = reason
    self.commit = commit
    self.kind = kind
  }

  static let all =
    confinement + handover + frozen + asyncWrites + actors + notifications
    + transactions + objects + embedded

  static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}

/// What a misuse finds: the file that `MisuseWitness` has filled and holds open.
struct MisuseScene: Sendable {
  static let types =
    TemporaryRealm.types + [Reader.self, Volume.self, Letter.self, Errand.self]
    + EmbeddedModels.types

  let configuration: Realm.Configuration

  init(path: String) {
    configuration = TemporaryRealm.configuration(path: path, Self.types)
  }

  /// The file, confined to the calling thread.
  func open() throws -> Realm { try Realm(configuration: configuration) }

  func openReadOnly() throws -> Realm {
    var readOnly = configuration
    readOnly.readOnly = true
    return try Realm(configuration: readOnly)
  }

  func reader(in realm: Realm) -> Reader { realm.objects(Reader.self).first! }

  /// Runs the body with the file opened on a thread with a loop, and returns when it is over.
  func onLoop(readOnly: Bool = false, _ body: @escaping @Sendable (Realm) throws -> Void) {
    let thread = LoopThread(name: "misuse")
    thread.performAndWait { try! body(readOnly ? try! openReadOnly() : try! open()) }
    thread.join()
  }

  /// Runs the body on a loop and lets the loop run, until the misuse ends the process.
  func staysOnLoop(_ body: @escaping @Sendable (Realm) throws -> Void) async throws {
    let thread = LoopThread(name: "misuse")
    thread.perform { try! body(try! open()) }
    try await Task.sleep(for: .seconds(60))
  }

  /// Opens the file here, and passes what the first block makes of it to another thread as if it
  /// could be sent there.
  func smuggle<Value>(
    _ make: (Realm) throws -> Value, _ use: @escaping @Sendable (Value) throws -> Void
  ) throws {
    let cargo = Box(try make(try open()))
    let thread = LoopThread(name: "elsewhere")
    thread.performAndWait { try! use(cargo.value) }
    thread.join()
  }

  /// Begins a transaction that has changed something, in which the body goes wrong.
  func inWrite(_ body: (Realm) throws -> Void) throws {
    let realm = try open()
    try realm.write {
      realm.add(Letter(value: ["subject": MisuseWitness.uncommitted]))
      try body(realm)
    }
  }
}
