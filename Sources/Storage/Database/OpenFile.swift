import Platform
import Synchronization

/// The files that this process has opened, so that one file has one lock-file description, one
/// mapping and one queue of writers however often it is opened, and under whatever names.
private let openFiles = LockedValue<[DatabaseKey: OpenFile]>([:])

struct DatabaseKey: Hashable {
  var system: ObjectIdentifier
  var file: FileIdentity
  /// A child made by fork() has to open for itself what its parent had open.
  let process = ForkGuard.generation
}

/// A file's database, if it is open: one for writing and, if the file was opened read-only before
/// that, one more for those readers. The first opening is under its lock: it may have to wait for
/// other processes, and openings of other files do not wait for it.
final class OpenFile: Sendable {
  private struct Instances {
    var writing: WeakHandle<Database>?
    var readOnly: WeakHandle<Database>?

    func suiting(_ options: DatabaseOptions) -> Database? {
      writing?.object ?? (options.readOnly ? readOnly?.object : nil)
    }
  }

  private let instances = LockedValue(Instances())

  static func of(_ key: DatabaseKey) -> OpenFile {
    openFiles.withLock { files in
      if let known = files[key] { return known }
      let new = OpenFile()
      files[key] = new
      return new
    }
  }

  /// The database that is open, which leaves no use for the opener's file; or a new one. nil if the
  /// path came to name another file.
  func database(_ opener: Opener) throws(StorageError) -> Database? {
    let result: Result<Database?, StorageError> = instances.withLock { instances in
      if let database = instances.suiting(opener.options) {
        do throws(StorageError) { try database.requireKey(opener.options.encryptionKey) } catch {
          return .failure(error)
        }
        opener.file.close()
        return .success(database)
      }
      do throws(StorageError) {
        let database = try opener.open()
        if opener.options.readOnly {
          instances.readOnly = database?.weakHandle
        } else {
          instances.writing = database?.weakHandle
        }
        return .success(database)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
