import Platform

/// How a process gets into a session, and when it is alone.
///
/// The inode of the data file is what a session is about, so the bytes that decide are locked in
/// the data file; a lock-file that is deleted or replaced cannot make a second session:
///
/// 1. One process at a time opens: it holds the opening byte from here to the end.
/// 2. Whoever gets the data file's session byte exclusively is alone. It takes the lock-file's
///    session byte too (if that fails, a session on another data file lives in this lock-file),
///    initialises the lock-file in place, and turns both bytes into shared ones.
/// 3. Otherwise a session lives. Its members hold the session byte of *their* lock-file. If the
///    lock-file at the path has no such holder, the members have another one, which nobody can
///    reach any more: the newcomer stays out, with an error that says so.
///
/// A reader without write permission cannot take part; it may only read alone (`privateReader`),
/// and keeps sessions from beginning as long as it does.
struct SessionDoor {
  let path: String
  let dataFile: any SystemFile
  let system: any System

  enum Entry {
    /// Nobody else has the file open; both session bytes are held exclusively.
    case alone(any SystemFile, previousGeneration: UInt64)
    /// Both session bytes are held shared, and the header has been found good.
    case member(any SystemFile)
  }

  // MARK: One at a time

  func enter() throws(LockFileError) {
    _ = try locking { () throws(SystemError) in
      try dataFile.lock(byte: LockFileLayout.openingByte, kind: .exclusive, wait: true)
    }
  }

  func leave() { try? dataFile.unlock(byte: LockFileLayout.openingByte) }

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

  // MARK: In

  /// For the holder of the opening byte.
  func pass() throws(LockFileError) -> Entry {
    // Somebody who is closing the file or being killed may have lost one byte and not yet the other.
    for attempt in 0... {
      let file = try doing("open the lock-file") { () throws(SystemError) in
        try system.openFile(path: path, mode: .create)
      }
      do throws(LockFileError) {
        if let entry = try tryPass(file) { return entry }
        if attempt == 100 { throw try refusal(file) }
      } catch {
        dropSession(file)
        throw error
      }
      dropSession(file)
      system.pause(nanoseconds: 1_000_000)
    }
    fatalError("unreachable")
  }

  private func tryPass(_ file: any SystemFile) throws(LockFileError) -> Entry? {
    if try lock(dataFile, LockFileLayout.sessionByte, .exclusive) {
      guard try lock(file, LockFileLayout.lockFileSessionByte, .exclusive) else { return nil }
      try requireNoPrivateReader()
      // A lock-file deleted a moment ago is of no use.
      guard try lives(file) else { return nil }
      return .alone(file, previousGeneration: previousGeneration(file))
    }
    guard try isHeldByOthers(file), try lock(dataFile, LockFileLayout.sessionByte, .shared) else {
      return nil
    }
    guard try lock(file, LockFileLayout.lockFileSessionByte, .shared) else { return nil }
    try requireReadable(file)
    return .member(file)
  }

  private func lives(_ file: any SystemFile) throws(LockFileError) -> Bool {
    try doing("look at the lock-file") { () throws(SystemError) in try file.linkCount() > 0 }
  }

  private func isHeldByOthers(_ file: any SystemFile) throws(LockFileError) -> Bool {
    try locking { () throws(SystemError) in
      try file.isLockedByOther(byte: LockFileLayout.lockFileSessionByte, kind: .exclusive)
    }
  }

  private func requireNoPrivateReader() throws(LockFileError) {
    let isRead = try locking { () throws(SystemError) in
      try dataFile.isLockedByOther(byte: LockFileLayout.privateReaderByte, kind: .exclusive)
    }
    guard isRead else { return }
    throw LockFileError(
      .inUse, path: dataFile.path,
      "a process reads the file that may not write beside it, and so cannot be coordinated with "
        + "writers; close it first, or give it permission to write")
  }

  /// Why nobody gets in although the opening byte is held: every holder of a session byte is in a
  /// session of its own then.
  private func refusal(_ file: any SystemFile) throws(LockFileError) -> LockFileError {
    let isAlone = try locking { () throws(SystemError) in
      try dataFile.isLockedByOther(byte: LockFileLayout.sessionByte, kind: .shared)
    }
    if isAlone { return alone() }
    let isOpen = try locking { () throws(SystemError) in
      try dataFile.isLockedByOther(byte: LockFileLayout.sessionByte, kind: .exclusive)
    }
    if !isOpen, try isHeldByOthers(file) {
      return LockFileError(
        .dataFileReplaced, path: dataFile.path,
        "processes have this lock-file open for another file of that name, which has been moved "
          + "or deleted since; close them first")
    }
    return LockFileError(
      .lockFileReplaced, path: path,
      "the lock-file was deleted or replaced while processes had the file open; they go on "
        + "working, but nobody can join them: close the file in all of them, then open it again")
  }

  private func alone() -> LockFileError {
    LockFileError(
      .inUse, path: dataFile.path, "another process has opened the file for itself alone; close it")
  }

  // MARK: The header

  private func header(_ file: any SystemFile) throws(SystemError) -> [UInt8] {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 8)
    defer { bytes.deallocate() }
    let count = try file.read(into: bytes, at: 0)
    return Array(bytes[..<count])
  }

  private func requireReadable(_ file: any SystemFile) throws(LockFileError) {
    let bytes = try doing("read the lock-file") { () throws(SystemError) in try header(file) }
    let found: SessionHeader
    do {
      found = try SessionHeader(bytes)
    } catch {
      throw error.explained(path: path)
    }
    let size = try doing("look at the lock-file") { () throws(SystemError) in try file.size() }
    let needed = LockFileLayout.pins + LockFileLayout.pinsInitially * LockFileLayout.pinSize
    guard size >= UInt64(needed) else { throw SessionHeader.Damage.checksum.explained(path: path) }
    guard found.file == dataFile.identity else {
      throw LockFileError(
        .dataFileReplaced, path: dataFile.path,
        "the lock-file belongs to another file; close the file in all processes, then open it again"
      )
    }
  }

  private func previousGeneration(_ file: any SystemFile) -> UInt64 {
    guard let bytes = try? header(file), let found = try? SessionHeader(bytes) else { return 0 }
    return found.generation
  }

  // MARK: Alone

  /// Room for the header and the first pins; what lies between is only for show and may stay a
  /// hole.
  func makeRoom(_ file: any SystemFile) throws(LockFileError) {
    try doing("make room for the lock-file") { () throws(SystemError) in
      try file.allocate(offset: 0, length: UInt64(LockFileLayout.participants))
      try file.allocate(
        offset: UInt64(LockFileLayout.pins),
        length: UInt64(LockFileLayout.pinsInitially * LockFileLayout.pinSize))
    }
  }

  /// Lets others in: to the lock-file first, because nobody looks there before the data file.
  func becomeMember(_ file: any SystemFile) throws(LockFileError) {
    _ = try lock(file, LockFileLayout.lockFileSessionByte, .shared)
    _ = try lock(dataFile, LockFileLayout.sessionByte, .shared)
  }

  /// The data file's byte first: a member without it is on its way out, and nobody waits for it.
  func dropSession(_ file: any SystemFile) {
    try? dataFile.unlock(byte: LockFileLayout.sessionByte)
    file.close()
  }

  // MARK: Without a lock-file

  /// Keeps everybody else out. Where byte locks do not work, the caller's word is all there is.
  func passAlone() throws(LockFileError) {
    let isAlone = try lockIfSupported { () throws(SystemError) in
      try dataFile.lock(byte: LockFileLayout.sessionByte, kind: .exclusive, wait: false)
    }
    switch isAlone {
    case nil: return
    case false?:
      throw LockFileError(
        .inUse, path: dataFile.path,
        "the file cannot be opened for one process alone while others have it open; close them")
    case true?: try requireNoPrivateReader()
    }
  }

  /// For a handle that can only read: takes the private byte and then looks for a session; a
  /// session takes its byte and then looks for private readers. One of the two sees the other.
  func passAsPrivateReader() throws(LockFileError) {
    let hasWriters = try lockIfSupported { () throws(SystemError) in
      _ = try dataFile.lock(byte: LockFileLayout.privateReaderByte, kind: .shared, wait: true)
      return try dataFile.isLockedByOther(byte: LockFileLayout.sessionByte, kind: .exclusive)
    }
    guard hasWriters == true else { return }
    try? dataFile.unlock(byte: LockFileLayout.privateReaderByte)
    throw LockFileError(
      .inUse, path: dataFile.path,
      "processes may write to the file, and a reader without permission to write beside it cannot "
        + "be coordinated with them; give it permission, or close them")
  }

  /// nil where the file system knows no such locks: EINVAL, ENOLCK, ENOSYS, EOPNOTSUPP.
  private func lockIfSupported(
    _ body: () throws(SystemError) -> Bool
  ) throws(LockFileError) -> Bool? {
    do {
      return try body()
    } catch {
      if [22, 37, 38, 95].contains(error.code) { return nil }
      throw LockFileError(error, doing: "lock the data file")
    }
  }

  // MARK: Locks

  private func lock(
    _ file: any SystemFile, _ byte: UInt64, _ kind: LockKind
  ) throws(LockFileError) -> Bool {
    try locking { () throws(SystemError) in try file.lock(byte: byte, kind: kind, wait: false) }
  }

  private func locking<Result>(
    _ body: () throws(SystemError) -> Result
  ) throws(LockFileError) -> Result {
    try doing("take a lock", body)
  }
}

extension SessionHeader.Damage {
  func explained(path: String) -> LockFileError {
    switch self {
    case .layout(let version, let minimum):
      LockFileError(
        .incompatibleLayout, path: path,
        "processes have the file open through lock-file layout \(version) (which needs at least "
          + "\(minimum)), and this program knows layout \(LockFileLayout.layoutVersion); use the "
          + "same version of the library in all of them, or close them")
    case .notALockFile, .checksum:
      LockFileError(
        .damaged, path: path,
        "the lock-file of a running session is damaged; close the file in every process and open "
          + "it again, the data file is not affected")
    }
  }
}
