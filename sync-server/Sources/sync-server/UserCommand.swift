import ArgumentParser
import SyncServer

/// Users.
struct UserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "List users, and change them.",
    subcommands: [List.self, Create.self, Password.self, Disable.self, Enable.self, Remove.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the users of an app.")
    @Argument(help: "The app.") var app: String
    @OptionGroup var data: DataOptions

    func run() async throws {
      let administration = try data.administration()
      for user in try administration.accounts().users(of: try administration.app(app).text) {
        print(
          "\(user.id)\t\(user.provider)\t\(user.subject)\t\(user.isDisabled ? "disabled" : "")")
      }
    }
  }

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a user with a password, which is read from the standard input.")
    @Argument(help: "The app.") var app: String
    @Argument(help: "The e-mail address.") var email: String
    @OptionGroup var data: DataOptions

    func run() async throws {
      let administration = try data.administration()
      print(
        try await administration.addUser(
          try administration.app(app), email: email, password: try readPassword()))
    }
  }

  struct Password: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give a user another password, which is read from the standard input.")
    @Argument(help: "The app.") var app: String
    @Argument(help: "The e-mail address.") var email: String
    @OptionGroup var data: DataOptions

    func run() async throws {
      let administration = try data.administration()
      try await administration.setPassword(
        try administration.app(app), email: email, password: try readPassword())
    }
  }

  struct Disable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Log a user out for good.")
    @OptionGroup var account: AccountOptions

    func run() async throws {
      let (accounts, app) = try account.accounts()
      guard try await accounts.setDisabled(app, account.user, true) else {
        throw account.isUnknown
      }
    }
  }

  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Let a user log in again.")
    @OptionGroup var account: AccountOptions

    func run() async throws {
      let (accounts, app) = try account.accounts()
      guard try await accounts.setDisabled(app, account.user, false) else {
        throw account.isUnknown
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a user's account; objects stay.")
    @OptionGroup var account: AccountOptions

    func run() async throws {
      let (accounts, app) = try account.accounts()
      guard try await accounts.removeUser(app, account.user) else { throw account.isUnknown }
    }
  }
}

private func readPassword() throws -> String {
  guard let line = readLine(), (6...128).contains(line.utf8.count) else {
    throw ValidationError("A password has between 6 and 128 characters.")
  }
  return line
}
