/// What the tool says when it could not do its work.
public struct FailureReport: Codable, Sendable, Equatable, TextReport {
  /// The engine's code: `fileNotFound`, `permissionDenied`, ...
  public var code: String
  public var message: String
  public var path: String

  public init(code: String, message: String, path: String) {
    self.code = code
    self.message = message
    self.path = path
  }

  public var text: String { "holdfast: \(message)" }
}

/// Exit codes of `holdfast`; its help lists them.
public enum ExitStatus: Int32, Sendable, CaseIterable {
  case fine = 0
  case damageFound = 1
  case usage = 2
  case cannotOpen = 3
  case failed = 4

  public var explanation: String {
    switch self {
    case .fine: "done, nothing wrong"
    case .damageFound: "the file is damaged; the report says where"
    case .usage: "wrong arguments"
    case .cannotOpen: "the file could not be opened: missing, no permission, or not a database"
    case .failed: "the file opened, and the work failed: disk full, input/output error"
    }
  }
}
