import Foundation
import ObjectStore
import Storage

/// A copy of all that a server has, made while it runs.
public struct Backup: Sendable {
  private let administration: Administration

  /// A backup of a server's data.
  public init(_ administration: Administration) { self.administration = administration }

  /// Copies everything into a new folder, which can be served like the original.
  ///
  /// Apps come before accounts, so that no user of theirs is missing. The copies are marked: a server
  /// that opens one begins a new history, so that clients compare all that they have with it.
  public func make(at target: String) throws {
    let manager = FileManager.default
    let options = administration.options
    guard !manager.fileExists(atPath: target) else {
      throw Administration.Failure("there is something at \(target) already")
    }
    let copy = ServerOptions(data: target)
    try manager.createDirectory(
      atPath: copy.appsPath, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    for name in administration.apps() {
      let (from, to) = (options.appPath(name.text), copy.appPath(name.text))
      try manager.createDirectory(atPath: to, withIntermediateDirectories: true)
      try copyFile("app.json", from, to)
      guard manager.fileExists(atPath: from + "/data.realm") else { continue }
      try copyDatabase(from + "/data.realm", to + "/data.realm")
      try AppStorage.markAsBackup(path: to + "/data.realm")
    }
    try copyDatabase(options.accountsPath, copy.accountsPath)
    for name in ["signing.key", "admin.token"] { try copyFile(name, options.data, copy.data) }
  }

  private func copyDatabase(_ from: String, _ to: String) throws {
    var options = DatabaseOptions()
    options.mustExist = true
    options.label = "sync-server backup"
    let database = try Database.open(path: from, options: options)
    _ = try database.writeCompactCopy(to: to)
  }

  private func copyFile(_ name: String, _ from: String, _ to: String) throws {
    guard let data = FileManager.default.contents(atPath: from + "/" + name) else { return }
    try PrivateFile.write(Array(data), to: to + "/" + name)
  }
}
