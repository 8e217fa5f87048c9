import ArgumentParser

@main
struct SyncServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync-server",
    abstract: "The server of Holdfast's sync.",
    subcommands: [Serve.self])
}
