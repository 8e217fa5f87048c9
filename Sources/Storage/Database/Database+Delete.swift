import Coordination
import Platform

extension Database {
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
