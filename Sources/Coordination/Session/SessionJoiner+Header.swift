import Platform

/// What a lock-file says of the session that ended before a process was alone with it.
struct PreviousSession {
  /// 0: nothing is known of one.
  var generation: UInt64 = 0
  /// Whether a flush had failed, and what it should have covered had not been written again: the
  /// page cache may hold what the disk does not, and no longer call it dirty.
  var hasFailedFlush = false
}

/// The header of a lock-file.
extension SessionJoiner {
  private func header(_ file: any SystemFile) throws(SystemError) -> [UInt8] {
    try file.read(at: 0, count: 64)
  }

  /// For a member: whether the session is one that this program understands, on this data file.
  func requireReadable(_ file: any SystemFile) throws(LockFileError) {
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

  /// What the lock-file still says of the session before. A hint: it may have been deleted.
  func previousSession(_ file: any SystemFile) -> PreviousSession {
    var previous = PreviousSession()
    guard let bytes = try? header(file) else { return previous }
    // Without a header it is new, or whoever began its session was killed. It may be of another
    // boot, and then what its word asks for may be done in vain; but containers that share a page
    // cache have boots of their own.
    if let found = try? SessionHeader(bytes) {
      previous.generation = found.generation
      guard found.file == dataFile.identity else { return previous }
    }
    guard let word = try? file.read(at: UInt64(LockFileLayout.flushFailure), count: 8),
      word.count == 8
    else { return previous }
    let failures: UInt64 = word.number(at: 0)
    previous.hasFailedFlush = failures % 2 == 1
    return previous
  }

  /// The same for a process that does without a lock-file of its own.
  func previousSession() -> PreviousSession {
    var file = (try? openExistingLockFile()) ?? nil
    // Whoever may not write beside the data file may still read what is there.
    if file == nil { file = try? system.openFile(path: path, mode: .readOnly) }
    guard let file else { return PreviousSession() }
    defer { file.close() }
    return previousSession(file)
  }

  /// A flush has failed in recovery, of which the kernel tells only once: the next process that is
  /// alone is told so by the lock-file. Without it, it takes for flushed what it can read.
  ///
  /// - Parameter failures: as `LockFile.flushFailure`.
  func noteFailedFlush(
    _ file: any SystemFile, after previous: PreviousSession, failures number: UInt64 = 1
  ) {
    let header = SessionHeader(
      boot: system.bootIdentifier(), file: dataFile.identity, generation: previous.generation)
    var failures = [UInt8](repeating: 0, count: 8)
    failures.store(number, at: 0)
    try? file.allocate(offset: 0, length: UInt64(LockFileLayout.participants))
    try? file.write(failures, at: UInt64(LockFileLayout.flushFailure))
    try? file.write(header.encoded(), at: 0)
  }

  /// The same for a process that has the data file exclusively and does without a lock-file: it
  /// leaves one for the next process. Not in one with which another file is in use.
  func noteFailedFlush(failures: UInt64) {
    guard let file = try? openOwnLockFile() else { return }
    defer { file.close() }
    guard (try? lock(file, LockFileLayout.lockFileSessionByte, .exclusive)) == true,
      (try? adoptPermissions(file)) != nil
    else { return }
    noteFailedFlush(file, after: previousSession(file), failures: failures)
  }

  /// For a process that is alone: room for the header and the first pins; what lies between is only
  /// for show and may stay a hole.
  func makeRoom(_ file: any SystemFile) throws(LockFileError) {
    try doing("make room for the lock-file") { () throws(SystemError) in
      try file.allocate(offset: 0, length: UInt64(LockFileLayout.participants))
      try file.allocate(
        offset: UInt64(LockFileLayout.pins),
        length: UInt64(LockFileLayout.pinsInitially * LockFileLayout.pinSize))
    }
  }
}

extension SessionHeader.Damage {
  fileprivate func explained(path: String) -> LockFileError {
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
