/// An error of a session, as the file keeps it for the sessions of all processes.
public struct SessionError: Hashable, Sendable {
  /// The first one of a file is 1.
  public let number: Int64
  /// What kind of error it is.
  public let code: Int64
  /// What happened, for people.
  public let message: String
  /// The objects that the error is about, a line each: why, and `SyncFile.name`.
  public let objects: String

  /// The text of one ends where that of the next begins; within it, fields do.
  private static let end = "\u{1E}"
  private static let separator = "\u{1F}"

  init(number: Int64, code: Int64, message: String, objects: String) {
    self.number = number
    self.code = code
    self.message = message
    self.objects = objects
  }

  fileprivate init?(_ text: some StringProtocol) {
    let fields = text.components(of: Self.separator)
    guard fields.count == 4, let number = Int64(fields[0]), let code = Int64(fields[1]) else {
      return nil
    }
    self.init(
      number: number, code: code, message: String(fields[2]), objects: String(fields[3]))
  }

  fileprivate var text: String {
    let fields = ["\(number)", "\(code)", message, objects]
    return fields.map { $0.filter { "\($0)" != Self.end && "\($0)" != Self.separator } }
      .joined(separator: Self.separator)
  }

  fileprivate static func all(_ log: String) -> [SessionError] {
    log.components(of: end).compactMap { SessionError($0) }
  }

  fileprivate static func log(_ errors: [SessionError]) -> String {
    errors.map(\.text).joined(separator: end)
  }
}

extension StringProtocol {
  fileprivate func components(of separator: String) -> [SubSequence] {
    split(separator: Character(separator), omittingEmptySubsequences: false)
  }
}

extension SessionStatus {
  /// Errors that come faster than sessions look are not lost, up to as many.
  private static let errorsKept = 32
  /// The objects of an older error go if they would take more.
  private static let errorBytesMax = 64 << 10

  /// Adds an error.
  ///
  /// - Parameter objects: as `SessionError.objects`.
  public mutating func note(error code: Int64, _ message: String, objects: String = "") {
    errors += 1
    var kept = SessionError.all(errorLog)
    kept.append(SessionError(number: errors, code: code, message: message, objects: objects))
    kept.removeFirst(max(0, kept.count - Self.errorsKept))
    errorLog = SessionError.log(kept)
    while errorLog.utf8.count > Self.errorBytesMax, kept.count > 1 {
      kept.removeFirst()
      errorLog = SessionError.log(kept)
    }
  }

  /// The errors after the first so many, oldest first.
  public func errors(after count: Int64) -> [SessionError] {
    if errors <= count { return [] }
    return SessionError.all(errorLog).filter { $0.number > count }
  }
}
