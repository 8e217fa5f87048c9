import Glibc
import Platform
import TestSupport
import Testing

@testable import Coordination

/// The data file's path and the inode that is open.
@Suite struct PathTests {
  let database = Database()
  private var system: PosixSystem { .shared }

  /// Opens in the background; the event brings the code of the error, if any.
  private func openInBackground() throws -> Event<LockFileError.Code?> {
    let database = database
    let result = Event<LockFileError.Code?>()
    let isOpen = Event<Void>()
    try BackgroundThread.start(name: "newcomer") {
      let file = try! database.dataFile()
      isOpen.signal(())
      result.signal(
        code {
          do {
            try LockFile.open(path: database.lockPath, dataFile: file) { (_) throws(Never) in
              .init(newest: published(1), durable: 1)
            }.close()
          } catch LockFileOpenError<Never>.lockFile(let error) { throw error }
        })
    }
    isOpen.wait()
    return result
  }

  @Test func `a newcomer that waited while the file was replaced is not let in alone`() throws {
    let holder = try database.dataFile()
    _ = try holder.lock(byte: LockFileLayout.openingByte, kind: .exclusive, wait: true)
    let newcomer = try openInBackground()
    try system.openFile(path: database.directory.file("copy"), mode: .create).close()
    try system.renameFile(from: database.directory.file("copy"), to: database.path)
    holder.close()
    #expect(newcomer.wait() == .pathChanged)
    #expect(try database.open().wasAlone)
  }

  @Test func `a newcomer that waited while the file was deleted is not let in alone`() throws {
    let holder = try database.dataFile()
    _ = try holder.lock(byte: LockFileLayout.openingByte, kind: .exclusive, wait: true)
    let newcomer = try openInBackground()
    try system.removeFile(path: database.path)
    holder.close()
    #expect(newcomer.wait() == .pathChanged)
    #expect(!system.fileExists(path: database.path))
  }

  @Test func `a member whose file was moved meanwhile does not join those who have it open`() throws
  {
    let member = try database.open()
    let file = try database.dataFile()
    try system.renameFile(from: database.path, to: database.directory.file("elsewhere"))
    let error = #expect(throws: LockFileOpenError<Never>.self) {
      try LockFile.open(path: database.lockPath, dataFile: file) { (_) throws(Never) in
        .init(newest: published(1), durable: 1)
      }
    }
    guard case .lockFile(let error)? = error else { return }
    #expect(error.code == .pathChanged)
    withExtendedLifetime(member) {}
  }

  @Test func `alone or reading without permission, the path has to name the file as well`() throws {
    for (mode, dataMode) in [
      (LockFile.Mode.exclusive, OpenMode.create), (.privateReader, .readOnly),
    ] {
      try database.dataFile().close()
      let file = try database.dataFile(dataMode)
      try system.removeFile(path: database.path)
      #expect(
        code {
          do {
            _ = try LockFile.open(path: database.lockPath, dataFile: file, mode: mode) {
              (_) throws(Never) in .init(newest: published(1), durable: 1)
            }
          } catch LockFileOpenError<Never>.lockFile(let error) { throw error }
        } == .pathChanged)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `who writes to a file that was moved away learns of it, until it is back`() throws {
    let lockFile = try database.open().lockFile
    let moved = database.directory.file("moved")
    try system.renameFile(from: database.path, to: moved)
    var error: LockFileError?
    while error == nil {
      do throws(LockFileError) {
        try lockFile.lockWriter()
        lockFile.unlockWriter()
      } catch let thrown {
        error = thrown
      }
    }
    #expect(error?.code == .dataFileReplaced)
    #expect(code { _ = try lockFile.tryLockWriter() } == .dataFileReplaced)
    try system.renameFile(from: moved, to: database.path)
    #expect(try lockFile.tryLockWriter())
    lockFile.unlockWriter()
  }

  @Test func `hard links get advice about hard links`() throws {
    let first = try database.open()
    let other = database.directory.file("other.realm")
    #expect(unsafe link(database.path, other) == 0)
    let file = try system.openFile(path: other, mode: .readWrite)
    let error = #expect(throws: LockFileOpenError<Never>.self) {
      try LockFile.open(path: other + ".lock", dataFile: file) { (_) throws(Never) in
        .init(newest: published(1), durable: 1)
      }
    }
    guard case .lockFile(let error)? = error else { return }
    #expect(error.code == .inUse)
    #expect(error.message.contains("2 names (hard links)"))
    #expect(!system.fileExists(path: other + ".lock"))
    withExtendedLifetime(first) {}
  }

  // MARK: Deleting

  private func remove() throws {
    let file = try database.dataFile(.readWrite)
    defer { file.close() }
    try LockFile.removeFiles(path: database.lockPath, dataFile: file)
  }

  @Test func `files that a process has open are not deleted`() throws {
    let child = try database.process()
    #expect(try child.ask("open") == "alone")
    #expect(code { try remove() } == .inUse)
    #expect(system.fileExists(path: database.path) && system.fileExists(path: database.lockPath))
    child.kill()
    try remove()
    #expect(!system.fileExists(path: database.path) && !system.fileExists(path: database.lockPath))
  }

  @Test func `files that are read alone or used alone are not deleted`() throws {
    let alone = try database.open(mode: .exclusive)
    #expect(code { try remove() } == .inUse)
    alone.lockFile.close()
    let reader = try database.open(mode: .privateReader, dataMode: .readOnly)
    #expect(code { try remove() } == .inUse)
    reader.lockFile.close()
    try remove()
  }
}
