import Foundation
import Platform

/// How much is logged: everything up to a level.
public enum LogLevel: Int, Sendable, CaseIterable {
  /// Nothing.
  case off
  /// What ends the program.
  case fatal
  /// What was thrown because a file could not be opened or written.
  case error
  /// What works, but not as it was meant to.
  case warn
  /// What changes a file as a whole: compaction, replacing it.
  case info
  /// What happens to files: they are made, opened, get another schema.
  case detail
  /// How notifications are found.
  case debug
  /// What observers are called with.
  case trace
  /// Everything.
  case all
}

/// Gets what the library has to say about what it does.
///
///     Logger.shared = Logger(level: .info) { level, message in
///       print(level, message)
///     }
///
/// The one that is there at the start writes to standard error, at the level that the environment
/// variable `HOLDFAST_LOG` names, or `warn`.
public final class RLMLogger: Sendable {
  /// Called with each message that the level lets through, on any thread.
  public typealias LogFunction = @Sendable (_ level: LogLevel, _ message: String) -> Void

  private let threshold: LockedValue<LogLevel>
  private let logFunction: LogFunction

  /// - Parameters:
  ///   - level: Up to which messages are passed on.
  ///   - logFunction: Called with them, on any thread, perhaps on several at once.
  public init(level: LogLevel, logFunction: @escaping LogFunction) {
    threshold = LockedValue(level)
    self.logFunction = logFunction
  }

  /// Up to which level messages are passed on.
  public var level: LogLevel {
    get { threshold.withLock { $0 } }
    set { threshold.withLock { $0 = newValue } }
  }

  /// What the library logs to.
  public static var shared: RLMLogger {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  private static let current = LockedValue(standard(ProcessInfo.processInfo.environment))

  /// The logger that is there at the start.
  static func standard(_ environment: [String: String]) -> RLMLogger {
    let name = environment["HOLDFAST_LOG"] ?? ""
    let level = LogLevel.allCases.first { "\($0)" == name } ?? .warn
    return RLMLogger(level: level) { level, message in
      FileHandle.standardError.write(Data("realm: \(level): \(message)\n".utf8))
    }
  }

  /// Passes the message on if the level lets it through; it is only made then.
  func log(_ level: LogLevel, _ message: () -> String) {
    if level.rawValue <= self.level.rawValue { logFunction(level, message()) }
  }
}

/// The library's logger, by the name that Apple's SDK has for it.
public typealias Logger = RLMLogger
