import Foundation
import Storage

/// The file that a subcommand is about. Opens it like any other process that takes part, and never
/// makes one.
struct DatabaseFile {
  let path: String
  let key: EncryptionKey?

  init(_ path: String, key: EncryptionKey? = nil) {
    self.path = path
    self.key = key
  }

  func open(writing: Bool = false, alone: Bool = false) throws(StorageError) -> Database {
    var options = DatabaseOptions()
    options.encryptionKey = key
    options.readOnly = !writing
    options.mustExist = true
    options.exclusive = alone
    options.compactsInBackground = false
    options.label = "holdfast"
    return try Database.open(path: path, options: options)
  }

  /// Length of the file, and what it takes on disk.
  func sizes() -> (length: UInt64, allocated: UInt64) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return (0, 0) }
    return (UInt64(status.st_size), UInt64(status.st_blocks) * 512)
  }
}
