import Foundation
import Glibc

/// The folder with all files of a server, held by one server at a time.
struct DataFolder {
  let signingKey: [UInt8]
  let adminToken: [UInt8]
  /// Secrets that others than the server's user may read.
  let openSecrets: [String]
  private let lock: Int32

  /// Why a folder cannot be used.
  struct Unusable: Error, CustomStringConvertible {
    var description: String
  }

  /// Takes a folder, and makes what is missing in it.
  init(_ options: ServerOptions) throws {
    // All that the server writes is its user's alone.
    umask(0o077)
    let manager = FileManager.default
    try manager.makePrivateFolder(options.appsPath)
    let path = options.data + "/server.lock"
    lock = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      throw Unusable(description: "another server uses \(options.data), or it cannot be written")
    }
    try BackupMark.check(options.data)
    try KnownFile(options.accountsPath).check()
    signingKey = try PrivateFile.secret(at: options.data + "/signing.key")
    adminToken = try PrivateFile.secret(at: options.data + "/admin.token")
    try BackupMark.remove(options.data)
    let secrets = [options.data + "/signing.key", options.data + "/admin.token", options.key]
    openSecrets = secrets.compactMap { $0 }.filter(PrivateFile.isOpenToOthers)
  }

  /// Lets another server take the folder.
  func release() { close(lock) }
}
