import Foundation
import ObjectStore
import Storage

/// The file that a realm begins with if it has none: a copy of the configuration's `seedFilePath`.
enum SeedFile {
  /// Does nothing if there is a file, or no seed.
  ///
  /// The copy of a synced file is no client of the server any more, whether it was made by
  /// `Realm.writeCopy` or by other means: it is the configuration's user's, or a local file.
  static func copy(for configuration: Realm.Configuration, to path: String) throws(RLMError) {
    guard let seed = configuration.seedFilePath, !FileManager.default.fileExists(atPath: path)
    else { return }
    try check(seed, path)
    let draft = Draft(of: path)
    defer { draft.remove() }
    do {
      // Of a symbolic link what it leads to: a copy of the link would be the seed itself.
      try FileManager.default.copyItem(
        atPath: seed.resolvingSymlinksInPath().path, toPath: draft.path)
      // What is installed with a program may be only for reading.
      try FileManager.default.setAttributes(
        [.posixPermissions: mode(of: draft.path) | 0o600], ofItemAtPath: draft.path)
      if try separate(draft.path, of: seed, configuration) {
        try draft.putAnew()
      } else {
        try draft.put()
      }
    } catch {
      // Another process or thread was as fast.
      if FileManager.default.fileExists(atPath: path) { return }
      if let known = error as? RLMError { throw known }
      throw RLMError(
        .fileOperationFailed,
        "could not copy the seed file '\(seed.path)': \(error.localizedDescription)", path: path)
    }
  }

  /// What a copy would wait for without end, or would fail at with words about its own names.
  private static func check(_ seed: URL, _ path: String) throws(RLMError) {
    let files = FileManager.default
    let type = { (path: String) in
      (try? files.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    }
    switch type(seed.resolvingSymlinksInPath().path) {
    case .typeRegular?, nil: break
    default:
      throw RLMError(
        .fileOperationFailed, "the seed file '\(seed.path)' is not a regular file", path: path)
    }
    if type(path) == .typeSymbolicLink {
      throw RLMError(
        .fileOperationFailed,
        "the seed file '\(seed.path)' cannot be copied to a symbolic link that leads nowhere: "
          + "remove the link or make it lead to a file",
        path: path)
    }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    if files.fileExists(atPath: folder), !files.isWritableFile(atPath: folder) {
      throw RLMError(
        .filePermissionDenied,
        "the seed file '\(seed.path)' cannot be copied to the folder '\(folder)', "
          + "which is not writable",
        path: path)
    }
  }

  private static func mode(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
  }

  /// - Returns: whether that was to be done: it is the copy of a synced file.
  private static func separate(
    _ copy: String, of seed: URL, _ configuration: Realm.Configuration
  ) throws(RLMError) -> Bool {
    do throws(StorageError) {
      let key = configuration.engineKey
      guard try RealmCopy.isSynced(fileAt: copy, key: key) else { return false }
      try RealmCopy.separate(copyAt: copy, key: key, forSync: configuration.syncUser != nil)
      return true
    } catch {
      // It is the seed that is damaged, or has another key.
      throw RLMError(
        StorageError(error.code, path: seed.path, error.message, cause: error.cause))
    }
  }
}
