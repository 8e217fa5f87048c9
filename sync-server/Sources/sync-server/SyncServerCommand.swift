import ArgumentParser
import SyncServer

/// The server and what belongs to it.
@main
struct SyncServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync-server",
    abstract: "The server of Holdfast's sync.",
    subcommands: [
      Serve.self, AppCommand.self, UserCommand.self, KeyCommand.self, BackupCommand.self,
      VerifyCommand.self,
    ])
}

/// Where the data is.
struct DataOptions: ParsableArguments {
  @Option(help: "The folder of all data.")
  var data: String

  func administration() throws -> Administration { try Administration(data: data) }
}
