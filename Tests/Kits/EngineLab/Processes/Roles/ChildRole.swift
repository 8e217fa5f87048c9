import Glibc
import Platform
import Storage
import TestSupport

/// What a child process does, by its arguments.
public enum ChildRole {
  public static func run(_ arguments: [String]) throws {
    let words = Words(arguments)
    switch words.text(0) {
    case "contend":
      var contender = Contender(
        path: words.text(1), progress: try Progress(path: words.text(2)),
        findings: FindingsFile(path: words.text(3)), position: words.number(4),
        mix: words.mix(5), ledger: Ledger(), swells: words.text(7) == "swells",
        seed: UInt64(words.number(6)))
      contender.run()
    case "write-objects":
      var writer = ObjectWriter(words)
      writer.run()
    case "obey":
      ScriptedClient(path: words.text(1), mix: words.mix(2)).run()
    case "die":
      try CrashingWriter(words).run()
    case "open-damaged":
      DamageWitness(words).run()
    case "come-and-go":
      var visitor = try Visitor(words)
      visitor.run()
    case "watch":
      var watcher = Watcher(path: words.text(1), seed: UInt64(words.number(2)))
      try watcher.run()
    case "transfer":
      var transferrer = Transferrer(
        path: words.text(1), writer: words.number(2), mix: words.mix(3),
        seed: UInt64(words.number(4)))
      try transferrer.run()
    default:
      say("no such role: \(arguments)")
      exit(2)
    }
  }
}

extension ChildProcess {
  /// A child that has a `ChildRole`.
  public convenience init(prefix: [String] = [], _ arguments: [String]) throws(Failure) {
    try self.init(prefix: prefix, program: "TestProgram", arguments)
  }
}

/// The arguments of a role.
public struct Words {
  let words: [String]

  public init(_ words: [String]) { self.words = words }

  init(_ line: String) { words = line.split(separator: " ").map(String.init) }

  public func text(_ index: Int) -> String { index < words.count ? words[index] : "" }

  public func number(_ index: Int) -> Int { Int(text(index)) ?? 0 }

  func mix(_ index: Int) -> DurabilityMix { DurabilityMix(rawValue: text(index)) ?? .full }
}

/// One line to the parent, in one system call, whichever thread it comes from.
public func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = unsafe bytes.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
}

/// Calls `body` with each line that the parent sends, until there are no more.
public func forEachCommand(_ body: (Words) throws -> String) {
  while let line = readLine() {
    let words = Words(line.split(separator: " ").map(String.init))
    do {
      say(try body(words))
    } catch let error as StorageError {
      say("error \(error.code.rawValue) \(error.description)")
    } catch {
      say("error \(error)")
    }
  }
}
