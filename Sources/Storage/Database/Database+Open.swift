import LockFile
import Platform
import Synchronization

/// The databases that this process has open, so that one file has one lock-file description, one
/// mapping and one queue of writers however often it is opened, and under whatever names.
private let openDatabases = Mutex<[DatabaseKey: WeakDatabase]>([:])

private struct DatabaseKey: Hashable {
  var system: ObjectIdentifier
  var file: FileIdentity
  var readOnly: Bool
}

private struct WeakDatabase {
  weak var database: Database?
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
    let result: Result<Database, StorageError> = openDatabases.withLock { open in
      if let database = open[key]?.database {
        file.close()
        return .success(database)
      }
      do throws(StorageError) {
        let database = try openFirst(path, options, system, file, isWritable: isWritable)
        open[key] = WeakDatabase(database: database)
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
    if !options.exclusive { try checkFileSystem(file) }
    guard isWritable else { return try openUncoordinated(path, options, system, file) }
    let opener = Opener(path: path, options: options, system: system, file: file)
    let lockFile: LockFile
    do {
      lockFile = try opener.join()
    } catch {
      if options.readOnly, error.code == .permissionDenied {
        return try openUncoordinated(path, options, system, file)
      }
      throw error
    }
    do throws(StorageError) {
      guard case .valid = try FileCreation.checkHeader(file) else {
        throw StorageError(.notADatabase, path: path, "the file has lost its header while open")
      }
      let mapping = try opener.mapping(covering: lockFile.newest().logicalSize)
      return Database(
        path: path, options: options, system: system, file: file, lockFile: lockFile,
        mapping: mapping, uncoordinated: nil)
    } catch {
      lockFile.close()
      throw error
    }
  }

  private static func checkFileSystem(_ file: any SystemFile) throws(StorageError) {
    let kind: FileSystemKind
    do { kind = try file.fileSystemKind() } catch {
      throw StorageError(error, doing: "ask what file system holds the database")
    }
    if case .notCoherent(let name) = kind {
      throw StorageError(
        .unsupportedFileSystem, path: file.path,
        "the file lies on \(name), where processes cannot share memory and locks reliably; move it"
          + " to a local disk, or open it exclusively from a single process")
    }
  }

  /// For a file that cannot be written to: nobody can change it here, so nobody needs to be told
  /// what is being read.
  private static func openUncoordinated(
    _ path: String, _ options: DatabaseOptions, _ system: any System, _ file: any SystemFile
  ) throws(StorageError) -> Database {
    guard case .valid = try FileCreation.checkHeader(file) else {
      throw StorageError(.notADatabase, path: path, "the file is empty; open it for writing first")
    }
    let opener = Opener(path: path, options: options, system: system, file: file)
    let mapping = try opener.mapping(covering: 0)
    let recovery = Recovery(file: file, mapping: mapping, boot: system.bootIdentifier())
    let found = try recovery.findNewest()
    return Database(
      path: path, options: options, system: system, file: file, lockFile: nil, mapping: mapping,
      uncoordinated: PublishedVersion(found.newest))
  }
}

/// Joins the session of a file, recovering it when nobody else has it open.
private struct Opener {
  let path: String
  let options: DatabaseOptions
  let system: any System
  let file: any SystemFile

  func join() throws(StorageError) -> LockFile {
    do {
      return try LockFile.open(
        path: path + ".lock", dataFile: file, system: system, exclusive: options.exclusive,
        recover: { try recover() })
    } catch let error as StorageError {
      throw error
    } catch let error as LockFileError {
      throw StorageError(error)
    } catch {
      preconditionFailure("an error of an unknown kind: \(error)")
    }
  }

  /// Runs while this process is alone with the file.
  private func recover() throws(StorageError) -> (newest: PublishedVersion, durable: UInt64) {
    if options.durability == .inMemory {
      try empty()
    } else if case .absent = try FileCreation.checkHeader(file) {
      guard !options.readOnly else {
        throw StorageError(
          .notADatabase, path: path, "the file is empty; open it for writing first")
      }
      try FileCreation.initialise(file)
      do { try system.synchronizeDirectory(containing: path) } catch {
        throw StorageError(error, doing: "flush the directory of the database")
      }
    }
    let mapping = try mapping(covering: 0)
    let recovery = Recovery(file: file, mapping: mapping, boot: system.bootIdentifier())
    let found = try recovery.findNewest()
    guard options.readOnly else {
      try settle(found)
      return (PublishedVersion(found.newest), found.newest.version)
    }
    // Changes nothing, but a writer that joins later may rely on what is said to be durable.
    do { try file.synchronize() } catch {
      throw StorageError(error, doing: "flush the recovered version")
    }
    return (PublishedVersion(found.newest), found.durableVersion)
  }

  /// An in-memory database starts anew with its first process.
  private func empty() throws(StorageError) {
    do { try file.truncate(to: 0) } catch {
      throw StorageError(error, doing: "empty the file of an in-memory database")
    }
    try FileCreation.initialise(file)
  }

  /// Makes the recovered version durable and removes what lost against it: slots of an earlier boot
  /// or of a torn commit, and bytes beyond its end. Each step leaves the same version newest.
  private func settle(_ found: Recovery.Found) throws(StorageError) {
    do {
      if found.newest.version > found.durableVersion {
        try file.synchronize()
        var slot = found.newest
        slot.boot = nil
        slot.extents = []
        slot.flushedBefore = true
        let place = try Recovery.spareDurableSlot(keeping: found.durableVersion, file: file)
        try SlotWriter.write(slot, at: place, to: file)
      }
      try file.synchronize()
      for place in FileLayout.durableSlots + FileLayout.volatileSlots {
        if try isStale(place, against: found.newest.version) {
          try SlotWriter.erase(at: place, in: file)
        }
      }
      if try file.size() > found.newest.logicalSize {
        try file.truncate(to: found.newest.logicalSize)
      }
    } catch {
      throw StorageError(error, doing: "settle the recovered version")
    }
  }

  private func isStale(_ place: Int, against newest: UInt64) throws(SystemError) -> Bool {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 8)
    defer { bytes.deallocate() }
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    _ = try file.read(into: bytes, at: UInt64(place))
    let version = bytes.load(fromByteOffset: FileLayout.slotVersion, as: UInt64.self)
    return version > newest
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
    self.init(.incompatibleLockFile, path: error.path, error.message, cause: error.cause)
  }
}
