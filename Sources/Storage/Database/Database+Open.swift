import Coordination
import Platform

extension Database {
  /// Opens a file, and makes it where it is not there.
  ///
  /// The first process to open a file recovers its newest whole version; the others join it.
  /// Opening a file that this process has open gives the same instance, whose options stay as they
  /// are; where it has the file open read-only and is to write now, a second instance beside it.
  ///
  /// - Throws: `.fileNotFound`, `.permissionDenied`, `.notADatabase`, `.unsupportedFormat`,
  ///   `.unsupportedFileSystem`, `.incompatibleLockFile`, `.corrupt`, `.outOfDiskSpace`,
  ///   `.wrongKey`, `.encryptionUnavailable`.
  public static func open(
    path: String, options: DatabaseOptions = DatabaseOptions(),
    system: any System = PosixSystem.shared
  ) throws(StorageError) -> Database {
    // Again where the file was replaced while this process waited for others to let it in.
    for _ in 0..<1000 {
      let opener = try Opener.ofFile(at: path, options: options, system: system)
      let key = DatabaseKey(system: ObjectIdentifier(system), file: opener.file.identity)
      do throws(StorageError) {
        if let database = try OpenFile.of(key).database(opener) { return database }
      } catch {
        opener.file.close()
        throw error
      }
      opener.file.close()
    }
    throw StorageError(
      .inUse, path: path, "the file is replaced again and again; stop the program that does so")
  }

  /// Deletes a database: the data file and the lock-file beside it. No process may have it open,
  /// this one included, and none can open it meanwhile.
  ///
  /// - Returns: whether there was a data file.
  /// - Throws: `.inUse`, `.permissionDenied`, `.inputOutput`.
  @discardableResult
  public static func delete(
    path: String, system: any System = PosixSystem.shared
  ) throws(StorageError) -> Bool {
    while true {
      guard let file = try openForDeletion(path, system) else { return false }
      defer { file.close() }
      do throws(LockFileError) {
        try LockFile.removeFiles(path: file.path + ".lock", dataFile: file, system: system)
        return true
      } catch {
        // Another process has replaced or deleted it meanwhile.
        if error.code != .pathChanged { throw StorageError(error) }
      }
    }
  }

  private static func openForDeletion(
    _ path: String, _ system: any System
  ) throws(StorageError) -> (any SystemFile)? {
    do throws(SystemError) {
      guard let real = try system.canonicalPath(of: path) else { return nil }
      return try system.openFile(path: real, mode: .readWrite)
    } catch {
      let failure = StorageError(error, doing: "open the database file in order to delete it")
      if failure.code == .fileNotFound { return nil }
      throw failure
    }
  }
}
