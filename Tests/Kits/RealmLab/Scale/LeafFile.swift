import Platform
import EngineLab
import Storage
import TestSupport

/// A file with a `LeafTree`, and how it is opened; a child process is told it as words.
public struct LeafFile: Sendable {
  public let path: String
  public let tree: LeafTree
  public var durability: Durability
  public var compacts: Bool

  public init(
    path: String, tree: LeafTree, durability: Durability = .full, compacts: Bool = true
  ) {
    self.path = path
    self.tree = tree
    self.durability = durability
    self.compacts = compacts
  }

  init(_ words: Words) {
    path = words.text(1)
    tree = LeafTree(
      leafCount: words.number(2), leafBytes: words.number(3)...words.number(4),
      fanout: words.number(5))
    durability = Durability(rawValue: UInt8(words.number(6)))!
    compacts = words.number(7) == 1
  }

  private var words: [String] {
    [
      path, String(tree.leafCount), String(tree.leafBytes.lowerBound),
      String(tree.leafBytes.upperBound), String(tree.fanout), String(durability.rawValue),
      compacts ? "1" : "0",
    ]
  }

  public func open(_ system: any System = PosixSystem.shared) throws(StorageError) -> Database {
    var options = DatabaseOptions()
    options.durability = durability
    options.compactsInBackground = compacts
    unsafe options.mergeHistory = { older, newer in
      unsafe Array(older.prefix(8)) + Array(newer.suffix(8))
    }
    return try Database.open(path: path, options: options, system: system)
  }

  /// A new process that has nothing open yet, and does what `LeafClient` can.
  public func client() throws -> ChildProcess { try child("leaves") }

  /// A new process with a role of `LabRole`, which is ready.
  func child(_ role: String, _ more: String...) throws -> ChildProcess {
    let child = try ChildProcess(labRole: [role] + words + more)
    let answer = try child.readLine()
    guard answer == "ready" else { throw UnexpectedAnswer(command: role, answer: answer) }
    return child
  }

  /// Makes the file in a process of its own, whose memory goes with it, in commits of `batch`
  /// leaves.
  public func make(batch: Int) throws {
    let maker = try client()
    try maker.ask("open", seconds: 600)
    _ = try maker.expect("fill \(batch)", "filled", seconds: 3600)
    try maker.leave()
  }
}

extension ChildProcess {
  /// The numbers of an answer that begins with `word`.
  func expect(_ command: String, _ word: String, seconds: Int = 600) throws -> [UInt64] {
    let answer = try ask(command, seconds: seconds)
    let words = answer.split(separator: " ")
    guard words.first.map(String.init) == word else {
      throw UnexpectedAnswer(command: command, answer: answer)
    }
    return words.dropFirst().compactMap { UInt64($0) }
  }

  /// Lets the child close what it has open, and waits for its end.
  func leave() throws {
    _ = try expect("close", "closed")
    send("end")
    waitForEnd()
  }
}

struct UnexpectedAnswer: Error, CustomStringConvertible {
  var command: String
  var answer: String
  var description: String { "'\(command)' was answered with '\(answer)'" }
}
