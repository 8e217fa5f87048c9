import Platform

/// What storage throws. Every error names the file; one about damage names the place in it.
public struct StorageError: Error, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable, Hashable {
    /// The file is damaged; `message` says where and what was expected there.
    case corrupt
    /// Not a file of ours, or of a format that this version cannot read.
    case notADatabase
    case unsupportedFormat
    /// The file is encrypted with another key, or with none, or a key is missing.
    case wrongKey
    /// There is no library to encrypt with.
    case encryptionUnavailable
    /// The lock-file is of another layout, or its file system cannot coordinate processes.
    case incompatibleLockFile
    case unsupportedFileSystem
    /// Another process has the file open exclusively.
    case inUse
    case outOfDiskSpace
    case permissionDenied
    case fileNotFound
    case fileExists
    case inputOutput
    /// A flush has failed, and what it should have covered cannot be written again, or a
    /// transaction was under way meanwhile. Nothing was changed: begin again, or check the disk and
    /// reopen the file.
    case poisoned
    case readOnly
    case tooManyVersions
    case readerTooOld
    case schemaMismatch
    /// Objects of a class have the same primary key after a migration.
    case duplicatePrimaryKey
    case invalidInput
    /// Something would take more than its caller allows.
    case beyondLimit
    case closed
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

  public var description: String {
    var text = "\(code.rawValue): \(message) [\(path)]"
    if let cause { text += " (\(cause.description))" }
    return text
  }
}

extension StorageError {
  /// Whether something was too full for now, the disk, the list of pins, or what the kernel has for
  /// mappings and locks. Nothing is damaged: the same may succeed later.
  public var isResourceExhausted: Bool {
    switch code {
    case .outOfDiskSpace, .tooManyVersions: true
    default: cause?.code == ErrorNumber.outOfMemory || cause?.code == ErrorNumber.noLocks
    }
  }

  /// Wraps a failed system call, sorting the errno values that have a remedy of their own.
  public init(_ error: SystemError, doing what: String) {
    let code: Code
    var remedy = ""
    switch error.code {
    case ErrorNumber.noSpace, ErrorNumber.quotaExceeded:
      code = .outOfDiskSpace
      remedy = "; free some disk space and try again, nothing was lost"
    case ErrorNumber.notPermitted, ErrorNumber.accessDenied:
      code = .permissionDenied
      remedy = "; check the permissions of the file and its directory"
    case ErrorNumber.noSuchFile: code = .fileNotFound
    case ErrorNumber.fileExists: code = .fileExists
    case ErrorNumber.tooManyOpenFilesInSystem, ErrorNumber.tooManyOpenFiles:
      code = .inputOutput
      remedy =
        "; too many files are open, and each database takes two descriptors: close some, or raise"
        + " the limit (`ulimit -n`)"
    case ErrorNumber.readOnlyFileSystem:
      code = .permissionDenied
      remedy = "; the file system is read-only, open the file read-only"
    default:
      code = .inputOutput
      remedy = Self.remedy(forWrongPlace: error.code)
    }
    self.init(code, path: error.path, "could not \(what)\(remedy)", cause: error)
  }

  /// What can be done where something else than a file is at a path.
  private static func remedy(forWrongPlace code: Int32) -> String {
    switch code {
    case ErrorNumber.isDirectory, ErrorNumber.noSuchDevice, ErrorNumber.noDevice,
      ErrorNumber.illegalSeek:
      "; something else than a file is there: move it away, or give another path"
    case ErrorNumber.tooManySymbolicLinks:
      "; a symbolic link is there that is not followed: put a file in its place, or delete it"
    case ErrorNumber.nameTooLong:
      "; the name is too long, with the `.lock` of its lock-file: give a shorter one"
    default: ""
    }
  }

  /// In the words by which users of Realm know it.
  static func wrongKey(_ path: String, _ reason: String) -> StorageError {
    StorageError(
      .wrongKey, path: path, "Realm file decryption failed (Decryption failed): \(reason)")
  }

  static func corrupt(_ path: String, at offset: UInt64, _ expectation: String) -> StorageError {
    StorageError(
      .corrupt, path: path,
      "damaged at byte \(offset): \(expectation); restore a backup or run `holdfast verify`")
  }
}
