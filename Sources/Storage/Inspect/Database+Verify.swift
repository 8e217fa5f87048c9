import Coordination

/// How far a verification has come.
public struct VerifyProgress: Sendable {
  /// The version that is being walked, and how many are to be.
  public var version: UInt64
  public var versionNumber: Int
  public var versionCount: Int
  /// Bytes of the version's nodes that have been read, and about how many there are.
  public var bytesDone: UInt64
  public var bytesTotal: UInt64
}

extension Database {
  /// Checks the newest version and every pinned one, on a file in use: all checksums, that no byte
  /// is used twice, and that each byte is exactly one of live, reusable, or waiting for a version.
  /// The layers above add what their nodes mean.
  public func verify() throws(StorageError) -> VerifyReport {
    let versions = try pinEveryVersion()
    defer { for snapshot in versions { snapshot.release() } }
    return try verify(versions)
  }

  /// The same for versions that the caller has pinned, by `pinEveryVersion`.
  ///
  /// Memory: a few megabytes, and a 256th of the file's size where older versions are pinned.
  ///
  /// - Parameters:
  ///   - versions: ascending, the newest last.
  ///   - progress: called now and then.
  public func verify(
    _ versions: [Snapshot], progress: (VerifyProgress) -> Void = { _ in }
  ) throws(StorageError) -> VerifyReport {
    var verification = Verification(versions: versions)
    try verification.run(progress)
    return verification.report
  }

  /// Pins the newest version and every other one that some process has pinned now, so that they can
  /// be read however soon those unpin them. Takes the writer role for a moment, during which
  /// no scan of the pins can miss one that is on its way from one process to another.
  ///
  /// - Returns: ascending, the newest last; release each. Without access to the lock-file, the
  ///   newest only.
  public func pinEveryVersion() throws(StorageError) -> [Snapshot] {
    var versions: [UInt64: Snapshot] = [:]
    do throws(StorageError) {
      if let older = try pinOlderVersions() { versions = older }
      let newest = try pinNewest()
      versions.updateValue(newest, forKey: newest.version)?.release()
    } catch {
      for snapshot in versions.values { snapshot.release() }
      throw error
    }
    return versions.values.sorted { $0.version < $1.version }
  }

  private func pinOlderVersions() throws(StorageError) -> [UInt64: Snapshot]? {
    guard lockFile.canPinOlderVersions else { return nil }
    var result: [UInt64: Snapshot] = [:]
    do throws(LockFileError) { try lockFile.lockWriter() } catch { throw StorageError(error) }
    defer { lockFile.unlockWriter() }
    for other in lockFile.pins() where other.isAlive && result[other.version] == nil {
      let pin: Pin?
      do throws(LockFileError) {
        pin = try lockFile.pinSame(as: other, label: PinLabel("verify"))
      } catch { throw StorageError(error) }
      guard let pin else { continue }
      // Its process may not have written yet where the version's root is.
      if let snapshot = try? Snapshot(database: self, pin: pin), snapshot.isWhole {
        result[other.version] = snapshot
      }
    }
    return result
  }
}
