import ArgumentParser
import SyncServer

/// Which user a subcommand is about.
struct AccountOptions: ParsableArguments {
  @Argument(help: "The app.") var app: String
  @Argument(help: "The user's id.") var user: String
  @OptionGroup var data: DataOptions

  /// The accounts, and the app's name in them.
  func accounts() throws -> (accounts: AccountStore, app: String) {
    let administration = try data.administration()
    return (try administration.accounts(), try administration.app(app).text)
  }

  /// What is said if the app has no such user.
  var isUnknown: ValidationError { ValidationError("There is no such user.") }
}
