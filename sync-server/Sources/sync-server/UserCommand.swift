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
    @Argument(help: "The app.") var app: String
    @Argument(help: "The user's id.") var user: String
    @OptionGroup var data: DataOptions

    func run() async throws {
      let administration = try data.administration()
      let name = try administration.app(app).text
      guard try await administration.accounts().setDisabled(name, user, true) else {
        throw ValidationError("There is no such user.")
      }
    }
  }

  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Let a user log in again.")
    @Argument(help: "The app.") var app: String
    @Argument(help: "The user's id.") var user: String
    @OptionGroup var data: DataOptions

    func run() async throws {
      let administration = try data.administration()
      let name = try administration.app(app).text
      guard try await administration.accounts().setDisabled(name, user, false) else {
        throw ValidationError("There is no such user.")
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a user's account; objects stay.")
    @Argument(help: "The app.") var app: String
    @Argument(help: "The user's id.") var user: String
    @OptionGroup var data: DataOptions

    func run() async throws {
      let administration = try data.administration()
      let name = try administration.app(app).text
      guard try await administration.accounts().removeUser(name, user) else {
        throw ValidationError("There is no such user.")
      }
    }
  }
}

private func readPassword() throws -> String {
  guard let line = readLine(), (6...128).contains(line.utf8.count) else {
    throw ValidationError("A password has between 6 and 128 characters.")
  }
  return line
}
