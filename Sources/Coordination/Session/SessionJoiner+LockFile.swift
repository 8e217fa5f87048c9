import Platform

/// The lock-file at the path: opening it, making it, and whose it is.
///
/// It has the data file's owner, group and mode, so that every process that may write to the
/// data file may join. Only a process that is alone with the data file makes or changes one.
extension SessionJoiner {
  /// nil if there is none.
  func openExistingLockFile() throws(LockFileError) -> (any SystemFile)? {
    do {
      return try system.openFile(path: path, mode: .readWriteNoFollow)
    } catch {
      if error.code == noSuchFile { return nil }
      throw lockFileError(error)
    }
  }

  /// For a process that is alone: opens the lock-file, or makes one. One that cannot be opened was
  /// left by another user, and is not in use with this data file: it is replaced.
  func openOwnLockFile() throws(LockFileError) -> any SystemFile {
    while true {
      do throws(SystemError) {
        return try system.openFile(path: path, mode: .readWriteNoFollow)
      } catch {
        switch error.code {
        case noSuchFile: break
        case permissionDenied, notPermitted:
          do { try system.removeFile(path: path) } catch { throw lockFileError(error) }
        default: throw lockFileError(error)
        }
      }
      do throws(SystemError) {
        let file = try system.openFile(path: path, mode: .createNew)
        // Its pages are written through a mapping, where a full disk has no error but a signal.
        file.keepInPlace()
        return file
      } catch {
        if error.code != fileExists { throw lockFileError(error) }
      }
    }
  }

  /// For a process that is alone, with the session byte of `file`, which somebody has copied here:
  /// a lock-file that the file system writes in place, as far as it does that.
  ///
  /// - Returns: nil if this process may not delete the one that is there.
  func replacement(
    for file: any SystemFile, after previous: PreviousSession
  ) throws(LockFileError) -> (any SystemFile)? {
    do throws(SystemError) { try system.removeFile(path: path) } catch { return nil }
    let new = try openOwnLockFile()
    do throws(LockFileError) {
      _ = try lock(new, LockFileLayout.lockFileSessionByte, .exclusive)
      try adoptPermissions(new)
    } catch {
      new.close()
      throw error
    }
    if previous.hasFailedFlush { noteFailedFlush(new, after: previous) }
    return new
  }

  /// Whether the lock-file's path still names it: it may have been deleted since it was opened.
  func isAtItsPath(_ file: any SystemFile) throws(LockFileError) -> Bool {
    try doing("look at the lock-file") { () throws(SystemError) in
      try system.identity(ofFileAt: path) == file.identity
    }
  }

  /// Gives the lock-file what the data file has. A process that may not do so leaves none behind
  /// that would keep the data file's owner out.
  func adoptPermissions(_ file: any SystemFile) throws(LockFileError) {
    let (wanted, hasOtherNames) = try doing("look at the files") { () throws(SystemError) in
      var wanted = try dataFile.permissions()
      wanted.mode &= 0o666
      return (wanted, try file.linkCount() > 1)
    }
    if hasOtherNames {
      // What would be changed and cleared might be anything.
      throw LockFileError(
        .damaged, path: path, "the lock-file has a second name (a hard link); remove the lock-file")
    }
    try doing("give the lock-file the permissions of the data file") { () throws(SystemError) in
      if try file.permissions() == wanted { return }
      try file.setPermissions(wanted)
      if try file.permissions().admitsOwner(of: wanted) { return }
      try system.removeFile(path: path)
      throw SystemError(call: .setPermissions, path: path, code: notPermitted)
    }
  }

  private func lockFileError(_ error: SystemError) -> LockFileError {
    LockFileError(error, doing: "open the lock-file")
  }
}

extension FilePermissions {
  /// Whether the owner in `other` can write, as far as he may write there. A file's group is taken
  /// to be one of its owner's.
  fileprivate func admitsOwner(of other: FilePermissions) -> Bool {
    owner == other.owner || other.mode & 0o200 == 0 || mode & 0o006 == 0o006
      || (group == other.group && mode & 0o060 == 0o060)
  }
}

// errno values.
private let notPermitted: Int32 = 1
private let noSuchFile: Int32 = 2
private let permissionDenied: Int32 = 13
private let fileExists: Int32 = 17
