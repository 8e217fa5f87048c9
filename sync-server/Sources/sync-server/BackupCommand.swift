import ArgumentParser
import SyncServer

/// Copies everything.
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy all data into a new folder, while the server runs or not.",
    discussion: "To restore it, stop the server and serve the copy.")

  @Argument(help: "The new folder.") var target: String
  @OptionGroup var data: DataOptions

  func run() async throws { try Backup(data.administration()).make(at: target) }
}
