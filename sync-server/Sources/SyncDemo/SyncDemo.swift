import ArgumentParser
import Foundation

/// One program for all roles: without a subcommand it is the coordinator, which starts the server,
/// and itself as the processes of two devices.
@main
struct SyncDemo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync-demo",
    abstract: "Two devices of two processes each edit the same objects through a server.",
    discussion: "`tools/demo` prepares what this needs and starts it.",
    subcommands: [Coordinate.self, Edit.self],
    defaultSubcommand: Coordinate.self)
}

struct Coordinate: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Run the demonstration.")

  @Option(help: "The server's program.") var server: String
  @Option(help: "An empty folder for the files of the server and the devices.") var folder: String
  @Flag(help: "Fewer edits in each part.") var quick = false

  func run() throws {
    let coordinator = Coordinator(server: server, folder: folder, edits: quick ? 40 : 250)
    defer { coordinator.stopAll() }
    do { try coordinator.run() } catch { coordinator.problems.append("\(error)") }
    for problem in coordinator.problems { say("demo: \(problem)") }
    if !coordinator.problems.isEmpty { throw ExitCode(1) }
    say("demo: ok")
  }
}

struct Edit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "Open a device's file, and edit it when asked to.")
  @Option(help: "What the edits are signed with.") var name: String
  @Option(help: "The server's address.") var url: String
  @Option(help: "The device's file.") var file: String

  func run() throws { try DeviceProcess(name: name, url: url, file: file).run() }
}

/// Writes to standard output at once, also into a pipe.
func say(_ text: String) {
  FileHandle.standardOutput.write(Data((text + "\n").utf8))
}
