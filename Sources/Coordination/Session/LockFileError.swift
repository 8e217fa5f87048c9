import Platform

/// What goes wrong with a lock-file for outside reasons. The message explains what to do.
public struct LockFileError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable {
    /// Processes of another version of the library have the file open.
    case incompatibleLayout
    /// A network or VM-shared file system, where processes cannot be coordinated.
    case unsupportedFileSystem
    /// Others have the data file open, but not through the lock-file that is there now.
    case lockFileReplaced
    /// Others have this lock-file open with another data file of that name, or the data file that
    /// is open has lost its name.
    case dataFileReplaced
    /// The path came to name another file, or none, while the file was being opened.
    case pathChanged
    /// Another process has the file open exclusively, or it was to be opened so and others have it.
    case inUse
    /// What the shared memory holds makes no sense.
    case damaged
    case tooManyProcesses
    case tooManyPins
    /// The handle cannot write.
    case readOnly
    case closed
    /// A system call failed: `cause`.
    case system
  }

  public var code: Code
  public var path: String
  public var message: String
  public var cause: SystemError?

  public init(_ code: Code, path: String, _ message: String, cause: SystemError? = nil) {
    self.code = code
    self.path = path
    self.message = message
    self.cause = cause
  }

  init(_ error: SystemError, doing what: String) {
    self.init(.system, path: error.path, "could not \(what)", cause: error)
  }

  public var description: String {
    let text = "\(code.rawValue): \(message) [\(path)]"
    return cause.map { "\(text) (\($0.description))" } ?? text
  }
}

/// What opening a lock-file throws: an error of its own, or the caller's from recovery.
public enum LockFileOpenError<Recovery: Error>: Error {
  case lockFile(LockFileError)
  case recovery(Recovery)
}

/// Calls `body`; if a system call fails, adds to the error what it was wanted for.
@inline(__always)
func doing<Result>(
  _ what: @autoclosure () -> String, _ body: () throws(SystemError) -> Result
) throws(LockFileError) -> Result {
  do {
    return try body()
  } catch {
    throw LockFileError(error, doing: what())
  }
}
