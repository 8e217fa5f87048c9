import ArgumentParser
import Foundation
import SyncServer

/// Apps.
struct AppCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app", abstract: "Make apps and set them up.",
    subcommands: [List.self, Create.self, Set.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the apps.")
    @OptionGroup var data: DataOptions

    func run() async throws {
      let administration = try data.administration()
      for name in administration.apps() {
        let settings = try administration.settings(name)
        let mode = settings.isDevelopment.map { $0 ? "development" : "fixed schema" }
        let providers = settings.providers?.map(\.rawValue).joined(separator: ", ")
        print("\(name.text)\t\(mode ?? "as the server")\t\(providers ?? "all providers")")
      }
    }
  }

  /// What can be set up.
  struct SettingOptions: ParsableArguments {
    @Flag(
      inversion: .prefixedNo, help: "Whether clients may extend the schema; else it is fixed.")
    var development: Bool?

    @Option(
      help: "A way to log in: anon-user, local-userpass, api-key or custom-token; may be repeated.")
    var provider: [Provider] = []

    @Option(help: "The file with the secret that tokens of your own issuer are signed with.")
    var tokenSecret: String?

    @Option(help: "The file of the issuer's public keys (JWKS), for tokens of your own issuer.")
    var tokenKeys: String?

    @Option(help: "What such tokens must have as `iss`.")
    var tokenIssuer: String?

    @Option(help: "What such tokens must have in `aud`.")
    var tokenAudience: String?

    func apply(to settings: inout AppSettings) throws {
      settings.isDevelopment = development ?? settings.isDevelopment
      if !provider.isEmpty { settings.providers = provider }
      guard tokenSecret != nil || tokenKeys != nil || tokenIssuer != nil || tokenAudience != nil
      else { return }
      var tokens = settings.tokens ?? AppSettings.TokenIssuer()
      if let tokenSecret {
        tokens.secret = try AdministratorFile.text(tokenSecret)
          .trimmingCharacters(in: .newlines)
      }
      if let tokenKeys { _ = try AdministratorFile.text(tokenKeys) }
      tokens.jwks = tokenKeys ?? tokens.jwks
      tokens.issuer = tokenIssuer ?? tokens.issuer
      tokens.audience = tokenAudience ?? tokens.audience
      settings.tokens = tokens
    }
  }

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Make an app.")
    @Argument(help: "Its name.") var name: String
    @OptionGroup var settings: SettingOptions
    @OptionGroup var data: DataOptions

    func run() async throws {
      var new = AppSettings()
      try settings.apply(to: &new)
      try data.administration().createApp(name, new)
    }
  }

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Set an app up.")
    @Argument(help: "Its name.") var name: String
    @OptionGroup var settings: SettingOptions
    @OptionGroup var data: DataOptions

    func run() async throws {
      let administration = try data.administration()
      let app = try administration.app(name)
      var known = try administration.settings(app)
      try settings.apply(to: &known)
      try administration.set(known, of: app)
    }
  }
}

extension Provider: ExpressibleByArgument {}
