import Platform

/// Using a file without a lock-file: by one process alone, or by readers that may not write.
extension SessionJoiner {
  private enum Hold { case taken, unsupported }

  /// Keeps all others out. Where byte locks do not work, only the caller can ensure that.
  func takeAlone() throws(LockFileError) {
    let hold = try retrying { () throws(LockFileError) in try tryTakeAlone() }
    switch hold {
    case .unsupported: break
    case nil:
      throw LockFileError(
        .inUse, path: dataFile.path,
        "the file cannot be opened for one process alone while others have it open; close them")
    case .taken: try leavingOnFailure { () throws(LockFileError) in try requireNoPrivateReader() }
    }
    try leavingOnFailure { () throws(LockFileError) in try requirePath() }
  }

  private func tryTakeAlone() throws(LockFileError) -> Hold? {
    let isTaken = try lockIfSupported { () throws(SystemError) in
      try dataFile.lock(byte: LockFileLayout.sessionByte, kind: .exclusive, wait: false)
    }
    guard let isTaken else { return .unsupported }
    return isTaken ? .taken : nil
  }

  private func leavingOnFailure(_ body: () throws(LockFileError) -> Void) throws(LockFileError) {
    do {
      try body()
    } catch {
      leave(nil)
      throw error
    }
  }

  /// For a handle that can only read: takes the private byte and then looks for a session; a
  /// session takes its byte and then looks for private readers. One of the two sees the other.
  func takeAsPrivateReader() throws(LockFileError) {
    let hasWriters = try lockIfSupported { () throws(SystemError) in
      _ = try dataFile.lock(byte: LockFileLayout.privateReaderByte, kind: .shared, wait: true)
      return try dataFile.isLockedByOther(byte: LockFileLayout.sessionByte, kind: .exclusive)
    }
    do throws(LockFileError) {
      if hasWriters == true { throw writersError() }
      try requirePath()
    } catch {
      try? dataFile.unlock(byte: LockFileLayout.privateReaderByte)
      throw error
    }
  }

  private func writersError() -> LockFileError {
    LockFileError(
      .inUse, path: dataFile.path,
      "processes may write to the file, and a reader without permission to write beside it cannot "
        + "be coordinated with them; give it permission, or close them")
  }

  /// nil where the file system knows no such locks: EINVAL, ENOLCK, ENOSYS, EOPNOTSUPP.
  func lockIfSupported(
    _ body: () throws(SystemError) -> Bool
  ) throws(LockFileError) -> Bool? {
    do {
      return try body()
    } catch {
      if [22, 37, 38, 95].contains(error.code) { return nil }
      throw LockFileError(error, doing: "lock the data file")
    }
  }
}
