import Platform
import TestSupport
import Testing

@testable import Coordination

/// A lock-file that was there before, as a backup or a copy leaves one.
@Suite struct InPlaceTests {
  /// A machine whose file system copies on write, but for files that are made empty.
  private final class CopyingSystem: ForwardingSystem {
    let real: any System = PosixSystem.shared
    /// What was there before.
    private let copied: FileIdentity

    init(copied: FileIdentity) { self.copied = copied }

    func openFile(path: String, mode: OpenMode) throws(SystemError) -> any SystemFile {
      CopiedFile(real: try real.openFile(path: path, mode: mode), copied: copied)
    }
  }

  private final class CopiedFile: ForwardingFile {
    let real: any SystemFile
    private let copied: FileIdentity
    var isKeptInPlace: Bool { real.identity != copied }

    init(real: any SystemFile, copied: FileIdentity) {
      self.real = real
      self.copied = copied
    }
  }

  @Test func `a lock-file that is not written in place is made anew, and keeps what it tells`()
    throws
  {
    let database = Database()
    let old = try PosixSystem.shared.openFile(path: database.lockPath, mode: .createNew)
    let data = try database.dataFile()
    SessionJoiner(path: database.lockPath, dataFile: data, system: PosixSystem.shared)
      .noteFailedFlush(old, after: PreviousSession(generation: 7))
    let system = CopyingSystem(copied: old.identity)
    let opened = try database.open(system: system, repairs: false)
    defer { opened.lockFile.close() }
    #expect(opened.wasAlone)
    #expect(opened.lockFile.flushFailure % 2 == 1, "a failed flush has been forgotten")
    let now = try PosixSystem.shared.identity(ofFileAt: database.lockPath)
    #expect(now != nil && now != old.identity)
    // A second process joins in the new one, and changes nothing.
    let second = try database.open(system: system)
    defer { second.lockFile.close() }
    #expect(!second.wasAlone)
    #expect(try PosixSystem.shared.identity(ofFileAt: database.lockPath) == now)
  }
}
