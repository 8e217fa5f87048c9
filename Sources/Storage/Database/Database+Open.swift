import Coordination
import Platform
import Synchronization

/// The files that this process has opened, so that one file has one lock-file description, one
/// mapping and one queue of writers however often it is opened, and under whatever names.
private let openFiles = Guarded<[DatabaseKey: OpenFile]>([:])

/// A file's database, if it is open. The first opening is under its lock: it may have to wait for
/// other processes, and openings of other files do not wait for it.
private final class OpenFile: Sendable {
  let database = Guarded<Whereabouts<Database>?>(nil)

  static func of(_ key: DatabaseKey) -> OpenFile {
    openFiles.withLock { files in
      if let known = files[key] { return known }
      let new = OpenFile()
      files[key] = new
      return new
    }
  }
}

private struct DatabaseKey: Hashable {
  var system: ObjectIdentifier
  var file: FileIdentity
  var readOnly: Bool
  /// A child made by fork() has to open for itself what its parent had open.
  let process = ForkGuard.generation
}

extension Database {
  /// Opens a file, and makes it where it is not there.
  ///
  /// The first process to open a file recovers its newest whole version; the others join it. Opening
  /// a file that this process has open gives the same instance, whose options stay as they are.
  ///
  /// - Throws: `.fileNotFound`, `.permissionDenied`, `.notADatabase`, `.unsupportedFormat`,
  ///   `.unsupportedFileSystem`, `.incompatibleLockFile`, `.corrupt`, `.outOfDiskSpace`.
  public static func open(
    path: String, options: DatabaseOptions = DatabaseOptions(),
    system: any System = PosixSystem.shared
  ) throws(StorageError) -> Database {
    let (file, isWritable) = try openFile(path, options, system)
    let key = DatabaseKey(
      system: ObjectIdentifier(system), file: file.identity, readOnly: !isWritable)
    let result: Result<Database, StorageError> = OpenFile.of(key).database.withLock { known in
      if let database = known?.object {
        file.close()
        return .success(database)
      }
      do throws(StorageError) {
        let database = try openFirst(path, options, system, file, isWritable: isWritable)
        known = database.whereabouts
        return .success(database)
      } catch {
        file.close()
        return .failure(error)
      }
    }
    return try result.get()
  }

  private static func openFile(
    _ path: String, _ options: DatabaseOptions, _ system: any System
  ) throws(StorageError) -> (any SystemFile, isWritable: Bool) {
    let mode: OpenMode = options.readOnly || options.mustExist ? .readWrite : .create
    do {
      return (try system.openFile(path: path, mode: mode), true)
    } catch {
      // Read-only opening works in a read-only directory and on an immutable file.
      if options.readOnly, let file = try? system.openFile(path: path, mode: .readOnly) {
        return (file, false)
      }
      throw StorageError(error, doing: "open the database file")
    }
  }

  /// The first opening in this process.
  private static func openFirst(
    _ path: String, _ options: DatabaseOptions, _ system: any System, _ file: any SystemFile,
    isWritable: Bool
  ) throws(StorageError) -> Database {
    let opener = Opener(path: path, options: options, system: system, file: file)
    let lockFile: LockFile
    do throws(StorageError) {
      lockFile = try opener.join(
        isWritable ? (options.exclusive ? .exclusive : .shared) : .privateReader)
    } catch {
      guard options.readOnly, error.code == .permissionDenied else { throw error }
      lockFile = try opener.join(.privateReader)
    }
    do throws(StorageError) {
      guard case .valid = try FileCreation.checkHeader(file) else {
        throw StorageError(.notADatabase, path: path, "the file has lost its header while open")
      }
      let newest: PublishedVersion
      do { newest = try lockFile.newest() } catch { throw StorageError(error) }
      let mapping = try opener.mapping(covering: newest.logicalSize)
      return Database(
        path: path, options: options, system: system, file: file, lockFile: lockFile,
        mapping: mapping, newest: newest.version)
    } catch {
      lockFile.close()
      throw error
    }
  }
}

/// Joins the session of a file, recovering it when nobody else has it open.
private struct Opener {
  let path: String
  let options: DatabaseOptions
  let system: any System
  let file: any SystemFile

  func join(_ mode: LockFile.Mode) throws(StorageError) -> LockFile {
    do {
      return try LockFile.open(
        path: path + ".lock", dataFile: file, system: system, mode: mode
      ) { () throws(StorageError) in
        try recover(mayWrite: mode != .privateReader && !options.readOnly)
      }
    } catch {
      switch error {
      case .lockFile(let error): throw StorageError(error)
      case .recovery(let error): throw error
      }
    }
  }

  /// Runs while this process is alone with the file.
  private func recover(mayWrite: Bool) throws(StorageError) -> LockFile.Recovered {
    if options.durability == .inMemory, mayWrite {
      try empty()
    } else if case .absent = try FileCreation.checkHeader(file) {
      guard mayWrite else {
        throw StorageError(
          .notADatabase, path: path, "the file is empty; open it for writing first")
      }
      try FileCreation.initialise(file, boot: system.bootIdentifier())
      do { try system.synchronizeDirectory(containing: path) } catch {
        throw StorageError(error, doing: "flush the directory of the database")
      }
    }
    let mapping = try mapping(covering: 0)
    let slots = SlotStore(file: file, boot: system.bootIdentifier())
    let recovery = Recovery(slots: slots, mapping: mapping)
    let found = try recovery.findNewest()
    if mayWrite {
      let newest = try RecoverySettlement(recovery: recovery).run(found)
      return LockFile.Recovered(newest: PublishedVersion(newest), durable: newest.version)
    }
    // Nothing is changed, and nothing is said to be durable that a writer, who may join later, would
    // have to rely on.
    return LockFile.Recovered(
      newest: PublishedVersion(found.newest), durable: found.durableVersion,
      flushed: found.isSettled ? found.durableVersion : 0)
  }

  /// An in-memory database starts anew with its first process.
  private func empty() throws(StorageError) {
    do { try file.truncate(to: 0) } catch {
      throw StorageError(error, doing: "empty the file of an in-memory database")
    }
    try FileCreation.initialise(file, boot: system.bootIdentifier())
  }

  func mapping(covering size: UInt64) throws(StorageError) -> Mapping {
    do {
      let fileSize = try file.size()
      let length = max(options.mappingReservation, (max(size, fileSize) * 4 + 4095) & ~4095)
      return try Mapping(file: file, length: length)
    } catch { throw StorageError(error, doing: "map the database file") }
  }
}

extension StorageError {
  /// What the lock-file gave, in this layer's codes.
  init(_ error: LockFileError) {
    if error.code == .system, let cause = error.cause {
      self.init(cause, doing: String(error.message.trimmingPrefix("could not ")))
      return
    }
    let code: Code
    switch error.code {
    case .unsupportedFileSystem: code = .unsupportedFileSystem
    case .readOnly: code = .readOnly
    case .closed: code = .closed
    case .inUse: code = .inUse
    case .tooManyPins, .tooManyProcesses: code = .tooManyVersions
    default: code = .incompatibleLockFile
    }
    self.init(code, path: error.path, error.message, cause: error.cause)
  }
}
