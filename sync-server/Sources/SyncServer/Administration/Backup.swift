import Foundation
import Glibc
import ObjectStore
import Storage

/// A copy of all that a server has, made while it runs.
public struct Backup: Sendable {
  private let administration: Administration

  /// A backup of a server's data.
  public init(_ administration: Administration) { self.administration = administration }

  /// Copies everything into a new folder, which can be served like the original.
  ///
  /// The copy is made under another name beside it, put on the disk, and renamed: under its own name
  /// there is a whole backup or none. What an interrupted one has left goes with the next.
  public func make(at target: String) throws {
    let manager = FileManager.default
    guard !manager.fileExists(atPath: target) else {
      throw Administration.Failure("there is something at \(target) already")
    }
    let partial = target + ".partial"
    let lock = try take(partial)
    defer { close(lock) }
    try copyAll(to: ServerOptions(data: partial))
    try manager.removeItem(atPath: Self.lockPath(partial))
    try Self.finish(partial)
    guard unsafe rename(partial, target) == 0 else {
      throw FileProblem(target, "cannot be given its name", POSIXError.current)
    }
    try Self.synchronize((target as NSString).deletingLastPathComponent)
  }

  /// Apps come before accounts, so that no user of theirs is missing. The copies are marked: a server
  /// that opens one begins a new history, so that clients compare all that they have with it.
  private func copyAll(to copy: ServerOptions) throws {
    let manager = FileManager.default
    let options = administration.options
    try manager.makePrivateFolder(copy.appsPath)
    for name in administration.apps() {
      let (from, to) = (options.appPath(name.text), copy.appPath(name.text))
      try manager.makePrivateFolder(to)
      try copyFile("app.json", from, to)
      let data = KnownFile(from + "/data.realm")
      try data.check()
      guard manager.fileExists(atPath: data.path) else { continue }
      try copyDatabase(data.path, to + "/data.realm")
      try AppStorage.markAsBackup(path: to + "/data.realm")
      try KnownFile(to + "/data.realm").noteMade()
    }
    try copyDatabase(options.accountsPath, copy.accountsPath)
    try KnownFile(copy.accountsPath).noteMade()
    for name in ["signing.key", "admin.token"] { try copyFile(name, options.data, copy.data) }
  }

  // MARK: The folder

  private static func lockPath(_ partial: String) -> String { partial + "/backup.lock" }

  /// Makes the folder, instead of what an interrupted backup has left; says how it is held.
  private func take(_ partial: String) throws -> Int32 {
    let manager = FileManager.default
    if manager.fileExists(atPath: partial) {
      let held = unsafe open(Self.lockPath(partial), O_RDWR | O_CLOEXEC)
      defer { if held >= 0 { close(held) } }
      if held >= 0, flock(held, LOCK_EX | LOCK_NB) != 0 {
        throw Administration.Failure("another backup to \(partial) is under way")
      }
      try Self.clear(partial)
    }
    try manager.makePrivateFolder(partial)
    try BackupMark().write(partial)
    let lock = unsafe open(Self.lockPath(partial), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      throw FileProblem(partial, "cannot be written", POSIXError.current)
    }
    return lock
  }

  /// Removes what an interrupted backup has left, but for its mark: so that it can be told for what
  /// it is if this is interrupted, too.
  private static func clear(_ partial: String) throws {
    let manager = FileManager.default
    let mark = (BackupMark.path(partial) as NSString).lastPathComponent
    let names = try manager.contentsOfDirectory(atPath: partial)
    // Interrupted before it had a mark, it has nothing, or a part of the mark.
    guard names.contains(mark) || Set(names).isSubset(of: [mark + ".partial"]) else {
      throw Administration.Failure("there is something at \(partial) that is no backup")
    }
    for name in names where name != mark { try manager.removeItem(atPath: partial + "/" + name) }
  }

  /// Puts everything on the disk, and then says that it is whole.
  private static func finish(_ partial: String) throws {
    var mark = BackupMark(isWhole: true)
    guard let names = FileManager.default.enumerator(atPath: partial) else { return }
    for case let name as String in names {
      let path = partial + "/" + name
      try synchronize(path)
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      guard attributes[.type] as? FileAttributeType == .typeRegular, name != "backup.json" else {
        continue
      }
      mark.files[name] = attributes[.size] as? Int ?? 0
    }
    try mark.write(partial)
    try synchronize(partial)
  }

  /// Puts a file or a folder on the disk.
  private static func synchronize(_ path: String) throws {
    let descriptor = unsafe open(path.isEmpty ? "." : path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileProblem(path, "cannot be read", POSIXError.current) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else {
      throw FileProblem(path, "cannot be put on the disk", POSIXError.current)
    }
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

extension POSIXError {
  /// What the system call before has failed with.
  static var current: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
