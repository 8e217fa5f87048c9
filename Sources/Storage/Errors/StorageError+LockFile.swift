import Coordination

extension StorageError {
  /// What the lock-file gave, in this layer's codes.
  init(_ error: LockFileError) {
    if error.code == .system, let cause = error.cause {
      self.init(cause, doing: String(error.message.trimmingPrefix("could not ")))
      return
    }
    let code: Code
    switch error.code {
    case .unsupportedFileSystem: code = .unsupportedFileSystem
    case .readOnly: code = .readOnly
    case .closed: code = .closed
    case .inUse: code = .inUse
    case .tooManyPins, .tooManyProcesses: code = .tooManyVersions
    default: code = .incompatibleLockFile
    }
    self.init(code, path: error.path, error.message, cause: error.cause)
  }
}
