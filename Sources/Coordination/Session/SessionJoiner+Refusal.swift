import Platform

extension SessionJoiner {
  /// Why the process cannot join although it holds the opening byte: every holder of a session byte
  /// is in a session of its own then.
  func refusal() throws(LockFileError) -> LockFileError {
    let (isAlone, isOpen, names) = try doing("look at the data file") { () throws(SystemError) in
      (
        try dataFile.isLockedByOther(byte: LockFileLayout.sessionByte, kind: .shared),
        try dataFile.isLockedByOther(byte: LockFileLayout.sessionByte, kind: .exclusive),
        try dataFile.linkCount()
      )
    }
    if isAlone {
      return LockFileError(
        .inUse, path: dataFile.path,
        "another process has opened the file for itself alone; close it")
    }
    if !isOpen, try isLockFileInUse() { return otherFile() }
    if names > 1 {
      return LockFileError(
        .inUse, path: dataFile.path,
        "processes have the file open, perhaps under another of its \(names) names (hard links); "
          + "use the same name everywhere, since the lock-file lies beside it, or a symbolic link")
    }
    return LockFileError(
      .lockFileReplaced, path: path,
      "the lock-file was deleted or replaced while processes had the file open; they go on "
        + "working, but no other process can join them: close the file in all of them, then"
        + " open it again")
  }

  /// Whether a session lives in the lock-file at the path.
  func isLockFileInUse() throws(LockFileError) -> Bool {
    guard let file = try openExistingLockFile() else { return false }
    defer { file.close() }
    return try isHeldByOthers(file)
  }

  func otherFile() -> LockFileError {
    LockFileError(
      .dataFileReplaced, path: dataFile.path,
      "processes have this lock-file open for another file of that name, which has been moved "
        + "or deleted since; close them first")
  }
}
