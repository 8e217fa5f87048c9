import Platform

/// The machine that a file is opened on. Tests put another one in place for files of theirs.
package enum RealmSystem {
  private static let replaced = LockedValue<[String: any System]>([:])

  /// For a file that is not open yet; nil for the real machine.
  package static func use(_ system: (any System)?, forFileAt path: String) {
    replaced.withLock { $0[path] = system }
  }

  static func system(forFileAt path: String) -> any System {
    replaced.withLock { $0[path] } ?? PosixSystem.shared
  }
}
