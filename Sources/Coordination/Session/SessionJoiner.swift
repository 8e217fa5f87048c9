import Platform

/// How a process gets into a session, and when it is alone.
///
/// The inode of the data file is what a session is about, so the bytes that decide are locked in
/// the data file; a lock-file that is deleted or replaced cannot make a second session:
///
/// 1. One process at a time opens: it holds the opening byte from here to the end.
/// 2. The process that gets the data file's session byte exclusively is alone. It takes the
///    lock-file's session byte too (if that fails, a session on another data file lives in this
///    lock-file), initialises the lock-file in place, and turns both bytes into shared ones.
/// 3. Otherwise a session lives. Its members hold the session byte of *their* lock-file. If the
///    lock-file at the path has no such holder, the members have another one, which cannot be
///    reached any more: the newcomer gets an error.
/// 4. Either way the path must still name the inode that was opened. While a newcomer waited, the
///    file may have been replaced or deleted; then `pathChanged` is thrown and the caller starts
///    again with the file that is there now.
///
/// A process that renames or deletes a data file holds its session byte exclusively meanwhile, so
/// that 4 finds every such change; programs that are not part of this protocol are found later
/// (`PathWatch`).
///
/// A reader without write permission cannot take part; it may only read alone (`privateReader`),
/// and keeps sessions from beginning as long as it does.
struct SessionJoiner {
  /// Of the lock-file.
  let path: String
  let dataFile: any SystemFile
  let system: any System

  enum Entry {
    /// No other process has the file open; both session bytes are held exclusively.
    case alone(any SystemFile, after: PreviousSession)
    /// Both session bytes are held shared, and the header has been found good.
    case member(any SystemFile)
  }

  // MARK: One at a time

  func beginOpening() throws(LockFileError) {
    _ = try locking { () throws(SystemError) in
      try dataFile.lock(byte: LockFileLayout.openingByte, kind: .exclusive, wait: true)
    }
  }

  func endOpening() { try? dataFile.unlock(byte: LockFileLayout.openingByte) }

  func requireCoherentFileSystem() throws(LockFileError) {
    let kind = try doing("find out the kind of file system") { () throws(SystemError) in
      try dataFile.fileSystemKind()
    }
    guard case .notCoherent(let name) = kind else { return }
    throw LockFileError(
      .unsupportedFileSystem, path: dataFile.path,
      "processes cannot be coordinated on \(name); move the file to a local file system, or open "
        + "it for a single process")
  }

  // MARK: Joining

  /// For the holder of the opening byte.
  func join() throws(LockFileError) -> Entry {
    guard let entry = try retrying({ () throws(LockFileError) in try tryJoin() }) else {
      throw try refusal()
    }
    return entry
  }

  /// Tries for a tenth of a second: a process that is closing the file or being killed may have
  /// lost one byte and not yet the other.
  func retrying<Result>(
    _ attempt: () throws(LockFileError) -> Result?
  ) throws(LockFileError) -> Result? {
    for _ in 0..<100 {
      if let result = try attempt() { return result }
      system.pause(nanoseconds: 1_000_000)
    }
    return try attempt()
  }

  private func tryJoin() throws(LockFileError) -> Entry? {
    if try lock(dataFile, LockFileLayout.sessionByte, .exclusive) {
      return try leavingOnFailure { () throws(LockFileError) in try tryBeginAlone() }
    }
    guard let file = try openExistingLockFile() else { return nil }
    return try leavingOnFailure(file) { () throws(LockFileError) in try tryBecomeMember(file) }
  }

  /// Gives the session bytes back where `body` throws or comes to nothing.
  private func leavingOnFailure(
    _ file: (any SystemFile)? = nil, _ body: () throws(LockFileError) -> Entry?
  ) throws(LockFileError) -> Entry? {
    do throws(LockFileError) {
      if let entry = try body() { return entry }
    } catch {
      leave(file)
      throw error
    }
    leave(file)
    return nil
  }

  private func tryBeginAlone() throws(LockFileError) -> Entry? {
    try requirePath()
    let file = try openOwnLockFile()
    do throws(LockFileError) {
      guard try lock(file, LockFileLayout.lockFileSessionByte, .exclusive),
        try isAtItsPath(file)
      else {
        file.close()
        return nil
      }
      try requireNoPrivateReader()
      try adoptPermissions(file)
      let previous = previousSession(file)
      guard !file.isKeptInPlace, let new = try replacement(for: file, after: previous) else {
        return .alone(file, after: previous)
      }
      file.close()
      return .alone(new, after: previous)
    } catch {
      file.close()
      throw error
    }
  }

  private func tryBecomeMember(_ file: any SystemFile) throws(LockFileError) -> Entry? {
    guard try isHeldByOthers(file), try lock(dataFile, LockFileLayout.sessionByte, .shared),
      try lock(file, LockFileLayout.lockFileSessionByte, .shared)
    else { return nil }
    try requirePath()
    try requireReadable(file)
    return .member(file)
  }

  /// Whether the data file's path still names the inode that was opened.
  func requirePath() throws(LockFileError) {
    let now = try doing("look at the path of the data file") { () throws(SystemError) in
      try system.identity(ofFileAt: dataFile.path)
    }
    guard now != dataFile.identity else { return }
    throw LockFileError(
      .pathChanged, path: dataFile.path,
      "the file was moved, replaced or deleted while it was being opened; open it again")
  }

  func requireNoPrivateReader() throws(LockFileError) {
    let isRead = try locking { () throws(SystemError) in
      try dataFile.isLockedByOther(byte: LockFileLayout.privateReaderByte, kind: .exclusive)
    }
    guard isRead else { return }
    throw LockFileError(
      .inUse, path: dataFile.path,
      "a process reads the file that may not write beside it, and so cannot be coordinated with "
        + "writers; close it first, or give it permission to write")
  }

  /// Lets others in: to the lock-file first, because newcomers look at the data file first.
  func becomeMember(_ file: any SystemFile) throws(LockFileError) {
    _ = try lock(file, LockFileLayout.lockFileSessionByte, .shared)
    _ = try lock(dataFile, LockFileLayout.sessionByte, .shared)
  }

  /// The data file's byte first: a member without it is on its way out, and is not waited for.
  func leave(_ file: (any SystemFile)?) {
    try? dataFile.unlock(byte: LockFileLayout.sessionByte)
    file?.close()
  }

  // MARK: Locks

  func isHeldByOthers(_ file: any SystemFile) throws(LockFileError) -> Bool {
    try locking { () throws(SystemError) in
      try file.isLockedByOther(byte: LockFileLayout.lockFileSessionByte, kind: .exclusive)
    }
  }

  func lock(
    _ file: any SystemFile, _ byte: UInt64, _ kind: LockKind
  ) throws(LockFileError) -> Bool {
    try locking { () throws(SystemError) in try file.lock(byte: byte, kind: kind, wait: false) }
  }

  func locking<Result>(
    _ body: () throws(SystemError) -> Result
  ) throws(LockFileError) -> Result {
    try doing("take a lock", body)
  }
}
