import ArgumentParser
import Foundation

/// One program for all roles: without a subcommand it is the coordinator, which starts itself as
/// importer, viewers and editor.
@main
struct HoldfastDemo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "holdfast-demo",
    abstract: "Several processes import, edit and watch a package index in one file.",
    discussion: "`tools/demo` prepares what this needs and starts it.",
    subcommands: [Coordinate.self, Import.self, Edit.self, Watch.self],
    defaultSubcommand: Coordinate.self)
}

/// Writes to standard output at once, also into a pipe.
func say(_ text: String, terminator: String = "\n") {
  FileHandle.standardOutput.write(Data((text + terminator).utf8))
}

struct Coordinate: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Run the demonstration.")

  @Option(help: "The database file; made anew.") var file: String
  @Option(help: "The package index, as apt-cache dumpavail prints it.") var index: String
  @Option(help: "Packages that the index has.") var expectedPackages: Int
  @Option(help: "Links that the index has.") var expectedLinks: Int
  @Flag(help: "Less time for each part.") var quick = false

  func run() throws {
    for suffix in ["", ".lock"] { try? FileManager.default.removeItem(atPath: file + suffix) }
    let coordinator = Coordinator(
      plan: Plan(
        file: file, index: index, expectedPackages: expectedPackages,
        expectedLinks: expectedLinks, batchSize: quick ? 1000 : 250,
        editPauseMilliseconds: 5, quiet: .seconds(quick ? 4 : 15),
        editsUnderPin: quick ? 200 : 2000, importerKills: quick ? 1 : 3))
    do {
      try coordinator.run()
      say("\n" + (try coordinator.result()) + "\n")
    } catch {
      coordinator.stopAfterFailure()
      coordinator.problems.append("\(error)")
    }
    for problem in coordinator.problems { say("demo: \(problem)") }
    if !coordinator.problems.isEmpty { throw ExitCode(1) }
    say("demo: ok")
  }
}

struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "importer", abstract: "Write the index into the file.")
  @Option var file: String
  @Option var index: String
  @Option var batch: Int

  func run() throws { try Importer(file: file, index: index, batchSize: batch).run() }
}

struct Edit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "editor", abstract: "Keep editing the file.")
  @Option var file: String
  @Option(help: "Milliseconds between edits.") var pause: Int

  func run() throws { try Editor(file: file, pause: .milliseconds(pause)).run() }
}

struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "viewer", abstract: "Show the file as it changes.")
  @Option var file: String
  @Option var subject: String

  func validate() throws {
    if Viewer.Subject(rawValue: subject) == nil {
      throw ValidationError("The subjects are archive and edits.")
    }
  }

  func run() throws {
    Viewer.run(file: file, subject: Viewer.Subject(rawValue: subject) ?? .archive)
  }
}
