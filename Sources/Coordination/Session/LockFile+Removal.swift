import Platform

extension LockFile {
  /// Deletes a data file and its lock-file, which no process may have open, this one included.
  ///
  /// The opening and session bytes are held meanwhile. A process that has opened the file and waits
  /// for one of them finds afterwards that the path does not name its file any more.
  ///
  /// - `path`: of the lock-file.
  /// - `dataFile`: open for writing, under the path that is to be deleted.
  /// - Throws: `.inUse`; `.pathChanged` where the path names another file by now.
  public static func removeFiles(
    path: String, dataFile: any SystemFile, system: any System = PosixSystem.shared
  ) throws(LockFileError) {
    let joiner = SessionJoiner(path: path, dataFile: dataFile, system: system)
    try joiner.removeFiles()
  }
}

extension SessionJoiner {
  fileprivate func removeFiles() throws(LockFileError) {
    try beginOpening()
    defer { endOpening() }
    guard try retrying({ () throws(LockFileError) in try takeForRemoval() ? () : nil }) != nil
    else { throw inUse() }
    defer { leave(nil) }
    try requireNoPrivateReader()
    try requirePath()
    let file = try openExistingLockFile()
    defer { file?.close() }
    if let file {
      let isFree = try retrying { () throws(LockFileError) in
        try lock(file, LockFileLayout.lockFileSessionByte, .exclusive) ? true : nil
      }
      if isFree == nil { throw otherFile() }
    }
    // The data file first: without it the lock-file means nothing.
    try doing("delete the files") { () throws(SystemError) in
      try system.removeFile(path: dataFile.path)
      try system.removeFile(path: path)
      try system.synchronizeDirectory(containing: dataFile.path)
    }
  }

  private func takeForRemoval() throws(LockFileError) -> Bool {
    try lock(dataFile, LockFileLayout.sessionByte, .exclusive)
  }

  private func inUse() -> LockFileError {
    LockFileError(
      .inUse, path: dataFile.path,
      "the file cannot be deleted while a process has it open; close it everywhere first")
  }
}
