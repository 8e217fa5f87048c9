import ArgumentParser
import SyncServer

/// API keys.
struct KeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Make API keys, and take them back.",
    subcommands: [List.self, Create.self, Remove.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List a user's keys.")
    @OptionGroup var account: AccountOptions

    func run() async throws {
      let (accounts, app) = try account.accounts()
      for key in try accounts.keys(app, user: account.user) {
        print("\(key.id)\t\(key.name)\t\(key.isDisabled ? "disabled" : "")")
      }
    }
  }

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a key and print it; it is not to be had again.")
    @Argument(help: "The app.") var app: String
    @Argument(help: "How to call it.") var name: String
    @Option(help: "The user whom it logs in; a new one if nobody is named.") var user: String?
    @OptionGroup var data: DataOptions

    func run() async throws {
      let administration = try data.administration()
      let app = try administration.app(app)
      let owner: String
      if let user {
        guard try administration.accounts().user(app.text, user) != nil else {
          throw ValidationError("There is no such user.")
        }
        owner = user
      } else {
        owner = try await administration.addKeyUser(app)
      }
      print(try await administration.accounts().addKey(app.text, user: owner, name: name).secret)
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Remove a user's key.")
    @OptionGroup var account: AccountOptions
    @Argument(help: "The key's id.") var key: String

    func run() async throws {
      let (accounts, app) = try account.accounts()
      guard try await accounts.removeKey(app, user: account.user, id: key) else {
        throw ValidationError("The user has no such key.")
      }
    }
  }
}
