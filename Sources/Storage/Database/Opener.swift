import Coordination
import Platform

/// The first opening of a file in this process: joins the session, recovering the file when no
/// other process has it open.
struct Opener {
  let options: DatabaseOptions
  let system: any System
  let file: any SystemFile
  let isWritable: Bool

  var path: String { file.path }

  /// Opens the file under its path without symbolic links, because the lock-file lies beside the
  /// file itself.
  static func ofFile(
    at path: String, options: DatabaseOptions, system: any System
  ) throws(StorageError) -> Opener {
    do throws(SystemError) {
      while true {
        let (file, isWritable) = try openFile(
          try system.canonicalPath(of: path) ?? path, options.openMode, options, system)
        // Made just now, perhaps through a symbolic link or a relative path.
        let real = try system.canonicalPath(of: path)
        if real == nil || real == file.path {
          return Opener(options: options, system: system, file: file, isWritable: isWritable)
        }
        file.close()
      }
    } catch {
      throw StorageError(error, doing: "open the database file")
    }
  }

  private static func openFile(
    _ path: String, _ mode: OpenMode, _ options: DatabaseOptions, _ system: any System
  ) throws(SystemError) -> (any SystemFile, isWritable: Bool) {
    do {
      return (try system.openFile(path: path, mode: mode), true)
    } catch {
      // Read-only opening works in a read-only directory and on an immutable file. A file that was
      // not there a moment ago is opened as any other once it is.
      let refusals = [
        ErrorNumber.accessDenied, ErrorNumber.notPermitted, ErrorNumber.readOnlyFileSystem,
      ]
      if options.readOnly, refusals.contains(error.code),
        let file = try? system.openFile(path: path, mode: .readOnly)
      {
        return (file, false)
      }
      throw error
    }
  }

  /// nil if the path came to name another file meanwhile.
  func open() throws(StorageError) -> Database? {
    guard let lockFile = try join() else { return nil }
    do throws(StorageError) {
      guard case .valid(let cipher) = try FileHeader.check(file, key: options.encryptionKey)
      else {
        throw StorageError(.notADatabase, path: path, "the file has lost its header while open")
      }
      let newest: PublishedVersion
      do { newest = try lockFile.newest() } catch { throw StorageError(error) }
      let mapping = try mapping(covering: newest.logicalSize, cipher)
      return Database(
        path: path, options: options, system: system, file: file, lockFile: lockFile,
        mapping: mapping, newest: newest.version)
    } catch {
      lockFile.close()
      throw error
    }
  }

  private func join() throws(StorageError) -> LockFile? {
    do throws(StorageError) {
      return try join(isWritable ? (options.exclusive ? .exclusive : .shared) : .privateReader)
    } catch {
      guard options.readOnly, error.code == .permissionDenied else { throw error }
      return try join(.privateReader)
    }
  }

  private func join(_ mode: LockFile.Mode) throws(StorageError) -> LockFile? {
    do {
      return try LockFile.open(
        path: path + ".lock", dataFile: file, system: system, mode: mode
      ) { (hasFailedFlush) throws(StorageError) in
        try recover(
          mayWrite: mode != .privateReader && !options.readOnly, hasFailedFlush: &hasFailedFlush)
      }
    } catch {
      switch error {
      case .lockFile(let error):
        if error.code == .pathChanged { return nil }
        throw StorageError(error)
      case .recovery(let error): throw error
      }
    }
  }

  /// Runs while this process is alone with the file.
  ///
  /// - Parameter hasFailedFlush: whether a flush has failed that nothing has made good since.
  private func recover(
    mayWrite: Bool, hasFailedFlush: inout Bool
  ) throws(StorageError) -> LockFile.Recovered {
    do throws(StorageError) {
      return try recoverNewest(mayWrite: mayWrite, hasFailedFlush: &hasFailedFlush)
    } catch {
      guard error.code == .corrupt, FileHeader.wasNeverMade(file) else { throw error }
      guard mayWrite else { throw unmade }
    }
    try make()
    hasFailedFlush = false
    return try recoverNewest(mayWrite: mayWrite, hasFailedFlush: &hasFailedFlush)
  }

  private func recoverNewest(
    mayWrite: Bool, hasFailedFlush: inout Bool
  ) throws(StorageError) -> LockFile.Recovered {
    let cipher = try prepare(mayWrite: mayWrite)
    let mapping = try mapping(covering: 0, cipher)
    let slots = SlotStore(file: file, boot: system.bootIdentifier(), cipher: cipher)
    let recovery = Recovery(slots: slots, mapping: mapping)
    let found = try recovery.findNewest()
    if mayWrite {
      let settlement = RecoverySettlement(
        recovery: recovery, rewritesInPlace: hasFailedFlush || options.durability != .strict,
        hasFailedFlush: hasFailedFlush
      ) { [file] () throws(SystemError) in try file.synchronize() }
      let newest: CommitSlot
      do throws(StorageError) { newest = try settlement.run(found) } catch {
        if error.cause?.call == .fdatasync { hasFailedFlush = true }
        throw error
      }
      hasFailedFlush = false
      return LockFile.Recovered(newest: PublishedVersion(newest), durable: newest.version)
    }
    // Nothing is changed, and nothing is said to be on disk that a writer, who may join later,
    // would have to rely on: the last durable slot may not be, with what it proves. A failed flush
    // stays one.
    let durable = found.durableVersion
    let isFlushed = found.isSettled && !hasFailedFlush || durable == .zero
    return LockFile.Recovered(
      newest: PublishedVersion(found.newest), durable: durable,
      flushed: isFlushed ? durable : durable.previous)
  }

  /// Makes the file if it is new.
  ///
  /// - Returns: what it is read and written with, if it is encrypted.
  private func prepare(mayWrite: Bool) throws(StorageError) -> FileCipher? {
    if options.durability == .inMemory, mayWrite {
      try empty()
    } else if case .valid(let cipher) = try FileHeader.check(file, key: options.encryptionKey) {
      return cipher
    } else {
      guard mayWrite else { throw unmade }
      try make()
    }
    guard case .valid(let cipher) = try FileHeader.check(file, key: options.encryptionKey) else {
      throw StorageError(.notADatabase, path: path, "the new file has no header")
    }
    return cipher
  }

  private var unmade: StorageError {
    StorageError(.notADatabase, path: path, "the file is empty; open it for writing first")
  }

  private func make() throws(StorageError) {
    try initialise()
    do { try system.synchronizeDirectory(containing: path) } catch {
      throw StorageError(error, doing: "flush the directory of the database")
    }
  }

  private func initialise() throws(StorageError) {
    try FileCreation.initialise(
      file, key: options.encryptionKey, boot: system.bootIdentifier())
  }

  /// An in-memory database starts anew with its first process.
  private func empty() throws(StorageError) {
    do { try file.truncate(to: 0) } catch {
      throw StorageError(error, doing: "empty the file of an in-memory database")
    }
    try initialise()
  }

  private func mapping(
    covering size: UInt64, _ cipher: FileCipher?
  ) throws(StorageError) -> Mapping {
    do {
      let fileSize = try file.size()
      return try Mapping.make(
        file, covering: max(size, fileSize), reservation: options.mappingReservation, cipher: cipher
      )
    } catch { throw StorageError(error, doing: "map the database file") }
  }
}

extension DatabaseOptions {
  fileprivate var openMode: OpenMode { readOnly || mustExist ? .readWrite : .create }
}
