import Coordination

/// Pins all versions of a database that some process has pinned.
struct EveryVersion {
  let database: Database

  private var lockFile: LockFile { database.lockFile }

  /// How long those are waited for who write.
  private static let patienceNanoseconds: UInt64 = 5_000_000_000

  /// - Returns: ascending, the newest last. Only the newest if somebody writes for longer than five
  ///   seconds: a transaction may last, and its process may be stopped in it.
  func pin() throws(StorageError) -> [Snapshot] {
    var versions: [Version: Snapshot] = [:]
    do throws(StorageError) {
      if let older = try pinOlderVersions() { versions = older }
      let newest = try database.pinNewest()
      versions.updateValue(newest, forKey: newest.version)?.release()
    } catch {
      for snapshot in versions.values { snapshot.release() }
      throw error
    }
    return versions.values.sorted { $0.version < $1.version }
  }

  private func pinOlderVersions() throws(StorageError) -> [Version: Snapshot]? {
    guard lockFile.canPinOlderVersions else { return nil }
    var result: [Version: Snapshot] = [:]
    do throws(LockFileError) {
      guard try lockFile.lockWriter(within: Self.patienceNanoseconds) else { return nil }
    } catch { throw StorageError(error) }
    defer { lockFile.unlockWriter() }
    for other in lockFile.pins() where other.isAlive && result[other.version] == nil {
      let pin: Pin?
      do throws(LockFileError) {
        pin = try lockFile.pinSame(as: other, label: PinLabel("verify"))
      } catch { throw StorageError(error) }
      guard let pin else { continue }
      // Its process may not have written yet where the version's root is.
      if let snapshot = try? Snapshot(database: database, pin: pin), snapshot.isWhole {
        result[other.version] = snapshot
      }
    }
    return result
  }
}
