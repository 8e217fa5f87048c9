import Foundation
import Platform
import Testing

@testable import RealmSwift

/// What is logged, and to whom.
@Suite(.serialized) struct LoggerTests {
  private final class Log: Sendable {
    let messages = LockedValue<[String]>([])
    var texts: [String] { messages.withLock { $0 } }
  }

  private let log = Log()

  private func logger(_ level: LogLevel) -> Logger {
    Logger(level: level) { [log] level, message in
      log.messages.withLock { $0.append("\(level) \(message)") }
    }
  }

  @Test func aLevelLetsThroughWhatIsAsImportant() {
    let logger = logger(.info)
    logger.log(.info) { "a" }
    logger.log(.detail) {
      Issue.record("made in vain")
      return "b"
    }
    logger.level = .all
    logger.log(.trace) { "c" }
    logger.level = .off
    logger.log(.fatal) { "d" }
    #expect(log.texts == ["info a", "trace c"])
  }

  @Test func theEnvironmentNamesTheLevelToBeginWith() {
    #expect(Logger.standard([:]).level == .warn)
    #expect(Logger.standard(["HOLDFAST_LOG": "trace"]).level == .trace)
    #expect(Logger.standard(["HOLDFAST_LOG": "off"]).level == .off)
    #expect(Logger.standard(["HOLDFAST_LOG": "loud"]).level == .warn)
  }

  @Test func openingIsLoggedAndFailingToo() throws {
    let before = Logger.shared
    defer { Logger.shared = before }
    Logger.shared = logger(.detail)
    let file = TemporaryRealm()
    _ = try file.open()
    let broken = TemporaryRealm()
    try Data("no database at all".utf8).write(to: broken.configuration.fileURL!)
    #expect(throws: Realm.Error.self) { _ = try broken.open() }
    let logged = log.texts
    #expect(logged.contains { $0.hasPrefix("detail Opened '\(file.path)' at version ") })
    #expect(logged.contains { $0.hasPrefix("error Could not open '\(broken.path)': ") })
  }
}
