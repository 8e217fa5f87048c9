import ArgumentParser
import Foundation
import ToolReports

/// The command line. Each subcommand makes a report; how it is written and the exit code are one
/// matter for all of them, in `ToolCommand`.
@main
struct Holdfast: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "holdfast",
    abstract: "Looks into database files, checks and compacts them, also while they are in use.",
    discussion: exitCodes,
    version: "0.1.0",
    subcommands: [Inspect.self, Pins.self, Verify.self, Compact.self])

  private static var exitCodes: String {
    let lines = ExitStatus.allCases.map { "  \($0.rawValue)  \($0.explanation)" }
    return """
      Every subcommand takes --json: the report then is one JSON value on standard output, a \
      failure included.

      Exit codes:
      \(lines.joined(separator: "\n"))
      """
  }

  static func main() {
    let status = runCommand()
    Foundation.exit(status.rawValue)
  }

  private static func runCommand() -> ExitStatus {
    do {
      var command = try parseAsRoot()
      try command.run()
      return .fine
    } catch let error as ExitStatusError {
      return error.status
    } catch {
      // Help and the version count as errors, too.
      let isWanted = exitCode(for: error).isSuccess
      let output: FileHandle = isWanted ? .standardOutput : .standardError
      output.write(Data((fullMessage(for: error) + "\n").utf8))
      return isWanted ? .fine : .usage
    }
  }
}

/// Ends the program with a status; what there is to say has been said.
struct ExitStatusError: Error {
  var status: ExitStatus
}

struct FileArguments: ParsableArguments {
  @Argument(help: "The database file.", completion: .file(extensions: ["realm"]))
  var file: String

  @Flag(help: "Write the report as JSON.")
  var json = false

  @Option(
    help: "The key of an encrypted file: a file of 64 bytes, or of 128 hexadecimal digits.",
    completion: .file())
  var keyFile: String?

  /// - Throws: `StorageError` if the key cannot be read.
  func databaseFile() throws -> DatabaseFile {
    DatabaseFile(file, key: try keyFile.map { try KeyFile(path: $0).key() })
  }
}
