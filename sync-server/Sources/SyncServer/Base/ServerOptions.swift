/// How a server runs.
public struct ServerOptions: Sendable {
  /// Where all of its files are.
  public var data: String
  /// The address that it listens at.
  public var host = "127.0.0.1"
  /// The port; 0 for any that is free.
  public var port = 9090
  /// The file of the certificate chain, in PEM; with `key` turns TLS on.
  public var certificate: String?
  /// The file of the certificate's private key, in PEM.
  public var key: String?
  /// Whether apps are made on first use, and clients may extend their schema.
  public var isDevelopment = true
  /// How long an access token is good, in seconds.
  public var accessTokenSeconds: Double = 1_800
  /// How long a refresh token is good, in seconds.
  public var refreshTokenSeconds: Double = 60 * 24 * 3_600
  /// What clients may take.
  public var limits = ServerLimits()
  /// A file that the port is written to when the server listens.
  public var portFile: String?
  /// An open descriptor that the port is written to when the server listens.
  public var portDescriptor: Int32?
  /// The socket of a service manager that is told when the server listens, and when it ends.
  public var notifySocket: String?

  /// A server of the files in a folder.
  public init(data: String) { self.data = data }

  /// Where the accounts are.
  public var accountsPath: String { data + "/accounts.realm" }
  /// Where the apps are, one folder each.
  public var appsPath: String { data + "/apps" }

  /// The folder of an app.
  public func appPath(_ name: String) -> String { appsPath + "/" + name }
}

/// The name of an app, which is also that of a folder.
public struct AppName: Hashable, Sendable {
  /// The name.
  public let text: String

  /// Letters, digits, `-` and `_`, 64 at most; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let isGood = text.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isGood, !text.isEmpty, text.utf8.count <= 64 else { return nil }
    self.text = String(text)
  }
}
