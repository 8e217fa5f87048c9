import Foundation
import EngineLab
import RealmSwift
import TestSupport

/// What the runs about objects store.
public final class ScalePerson: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted(indexed: true) var age: Int
  @Persisted var score: Double
  @Persisted var date: Date
  @Persisted var flag: Bool

  convenience init(_ id: Int) {
    self.init()
    self.id = id
    name = "Person \(UInt64(id) &* 0x9E37_79B9_7F4A_7C15 >> 32)"
    age = id % 100
    score = Double(id) / 7
    date = Date(timeIntervalSinceReferenceDate: Double(600_000_000 + id))
    flag = id % 2 == 0
  }
}

/// A file of persons, as a program with default settings has it; a child process is told it as
/// words.
public struct PersonFile: Sendable {
  public let path: String
  public var durability: Realm.Configuration.Durability

  public init(path: String, durability: Realm.Configuration.Durability = .full) {
    self.path = path
    self.durability = durability
  }

  init(_ words: Words) {
    path = words.text(1)
    durability = Realm.Configuration.Durability.allCases[words.number(2)]
  }

  private var words: [String] {
    [path, String(Realm.Configuration.Durability.allCases.firstIndex(of: durability)!)]
  }

  /// Flushed, and not waited for.
  static let levels: [Realm.Configuration.Durability] = [.full, .relaxed]

  public var configuration: Realm.Configuration {
    var configuration = Realm.Configuration(
      fileURL: URL(filePath: path), objectTypes: [ScalePerson.self])
    configuration.durability = durability
    return configuration
  }

  /// A new process that has nothing open yet, and does what `PersonClient` can.
  public func client() throws -> ChildProcess {
    let child = try ChildProcess(labRole: ["persons"] + words)
    _ = try child.readLine()
    return child
  }

  /// Makes the file in a process of its own, in one transaction.
  public func make(_ objects: Int) throws {
    let maker = try client()
    try maker.ask("open")
    _ = try maker.expect("fill \(objects)", "filled", seconds: 3600)
    try maker.leave()
  }
}
