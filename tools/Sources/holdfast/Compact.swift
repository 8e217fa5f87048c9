import ArgumentParser
import ToolReports

struct Compact: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes a file as small as its contents.",
    discussion: """
      Without options it works in the file itself, in steps of some milliseconds, while other \
      processes go on reading and writing; what older pinned versions need stays.

      With --to a compact copy of the newest version is written instead and FILE is left alone. \
      With --replace that copy takes FILE's place; nobody else may have FILE open then. Either can \
      give the copy another key.
      """)

  @OptionGroup var arguments: FileArguments

  @Option(help: "Write a compact copy here; must not exist.", completion: .file())
  var to: String?

  @Flag(help: "Write a compact copy and put it in the place of FILE.")
  var replace = false

  @Option(
    help: "The key of the copy, for another one than that of FILE; as --key-file.",
    completion: .file())
  var newKeyFile: String?

  @Option(help: "Stop after this many steps.")
  var steps: Int?

  func validate() throws {
    if to != nil && replace { throw ValidationError("--to and --replace exclude each other.") }
    if steps != nil && (to != nil || replace) {
      throw ValidationError("--steps is for compaction in place; a copy is made in one go.")
    }
    if newKeyFile != nil && to == nil && !replace {
      throw ValidationError("--new-key-file is for a copy: use it with --to or --replace.")
    }
    if let steps, steps < 1 { throw ValidationError("--steps must be at least 1.") }
  }

  func report() throws -> CompactReport {
    let file = try arguments.databaseFile()
    let newKey = try newKeyFile.map { try KeyFile(path: $0).key() } ?? file.key
    if let to { return try file.writeCompactCopy(to: to, key: newKey) }
    if replace { return try file.replaceWithCompactCopy(key: newKey) }
    return try file.compactInPlace(stepsMax: steps)
  }
}
