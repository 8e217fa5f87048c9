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
    // Under another name first: whoever sees the file, or is left with it, has the whole.
    let copy = "\(path).seed-\(UUID().uuidString)"
    let separated = copy + ".separated"
    defer {
      for name in [copy, copy + ".lock", separated] {
        try? FileManager.default.removeItem(atPath: name)
      }
    }
    do {
      // Of a symbolic link what it leads to: a copy of the link would be the seed itself.
      try FileManager.default.copyItem(
        atPath: seed.resolvingSymlinksInPath().path, toPath: copy)
      // What is installed with a program may be only for reading.
      try FileManager.default.setAttributes(
        [.posixPermissions: mode(of: copy) | 0o600], ofItemAtPath: copy)
      guard try separate(copy, of: seed, configuration) else { return try put(copy, at: path) }
      // A file that no database is open on, not even for a last moment on another thread: its
      // lock-file would be that of the other name.
      try FileManager.default.copyItem(atPath: copy, toPath: separated)
      try put(separated, at: path)
    } catch {
      // Another process or thread was as fast.
      if FileManager.default.fileExists(atPath: path) { return }
      if let known = error as? RLMError { throw known }
      throw RLMError(
        .fileOperationFailed,
        "could not copy the seed file '\(seed.path)': \(error.localizedDescription)", path: path)
    }
  }

  private static func put(_ copy: String, at path: String) throws {
    let written = try FileHandle(forReadingFrom: URL(fileURLWithPath: copy))
    try written.synchronize()
    try written.close()
    do { try FileManager.default.linkItem(atPath: copy, toPath: path) } catch {
      // There are no such links on every kind of disk.
      try FileManager.default.moveItem(atPath: copy, toPath: path)
    }
  }

  private static func mode(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
  }

  private static func separate(
    _ copy: String, of seed: URL, _ configuration: Realm.Configuration
  ) throws(RLMError) -> Bool {
    do throws(StorageError) {
      return try RealmCopy.separate(
        copyAt: copy, key: configuration.engineKey, forSync: configuration.syncUser != nil)
    } catch {
      // It is the seed that is damaged, or has another key.
      throw RLMError(
        StorageError(error.code, path: seed.path, error.message, cause: error.cause))
    }
  }
}
