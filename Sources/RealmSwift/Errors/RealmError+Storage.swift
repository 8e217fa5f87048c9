import Storage

extension RLMError {
  /// The public form of what the engine threw. The message keeps the engine's remedy; the failed
  /// system call, where there was one, becomes the failure reason.
  convenience init(_ error: StorageError) {
    var message = error.message
    if let cause = error.cause { message += " (\(cause.description))" }
    message += " [\(error.path)]"
    self.init(
      Code(error.code),
      message,
      path: error.path,
      cause: error.cause?.description
    )
  }
}

extension RLMError.Code {
  init(_ code: StorageError.Code) {
    switch code {
    case .corrupt, .notADatabase, .wrongKey: self = .invalidDatabase
    case .unsupportedFormat: self = .unsupportedFileFormatVersion
    case .incompatibleLockFile: self = .incompatibleLockFile
    case .outOfDiskSpace: self = .outOfDiskSpace
    case .permissionDenied: self = .filePermissionDenied
    case .fileNotFound: self = .fileNotFound
    case .fileExists: self = .fileExists
    case .inUse: self = .alreadyOpen
    case .schemaMismatch: self = .schemaMismatch
    case .invalidInput: self = .invalidInput
    case .unsupportedFileSystem, .readOnly, .encryptionUnavailable: self = .fileAccess
    case .inputOutput, .poisoned: self = .fileOperationFailed
    case .readerTooOld: self = .readerTooOld
    case .tooManyVersions, .closed, .duplicatePrimaryKey, .beyondLimit: self = .fail
    }
  }
}

/// Runs engine work and throws its failures in their public form.
@inline(__always)
func rethrowingStorageErrors<Value>(
  _ body: () throws(StorageError) -> Value
) throws(RLMError) -> Value {
  do {
    return try body()
  } catch {
    throw RLMError(error)
  }
}
