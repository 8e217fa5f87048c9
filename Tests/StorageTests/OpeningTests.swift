import Dispatch
import Foundation
import Glibc
import Platform
import Storage
import TestSupport
import Testing

@Suite struct OpeningTests {
  private let directory = TemporaryDirectory()
  private let watch = FlushWatch()

  @Test("opening a file does not wait for the opening of another", .timeLimit(.minutes(5)))
  func openingsOfSeveralFiles() throws {
    let slow = directory.file("slow.realm")
    let opened = DispatchSemaphore(value: 0)
    watch.holdFlushes()
    Thread.detachNewThread { [watch] in
      _ = try! Database.open(path: slow, system: watch)
      opened.signal()
    }
    watch.waitForFlush()
    let other = try Database.open(path: directory.file("other.realm"), system: watch.real)
    #expect(other.newestVersion > 0)
    #expect(opened.wait(timeout: .now()) == .timedOut)
    watch.letFlushesPass()
    opened.wait()
  }

  private func open(_ path: String, readOnly: Bool = false) throws -> Database {
    var options = DatabaseOptions()
    options.readOnly = readOnly
    return try Database.open(path: path, options: options)
  }

  private func commit(_ database: Database) throws {
    let transaction = try database.beginWrite()
    transaction.root = transaction.writer.make(kind: NodeKind(rawValue: 200)).reference
    try transaction.commit().release()
  }

  @Test("what was opened read-only first can be opened for writing beside it")
  func readOnlyFirst() throws {
    let path = directory.file("a.realm")
    try commit(open(path))
    let reader = try open(path, readOnly: true)
    let before = reader.newestVersion
    let writer = try open(path)
    try commit(writer)
    #expect(reader.newestVersion == before.next)
    #expect(throws: StorageError.self) { try reader.beginWrite() }
    #expect(try open(path) === writer)
    #expect(try open(path, readOnly: true) === writer)
  }

  @Test("the lock-file lies beside the file that a symbolic link leads to")
  func symbolicLinks() throws {
    let path = directory.file("real.realm")
    let link = directory.file("link.realm")
    #expect(unsafe symlink("real.realm", link) == 0)
    // Leads to nothing yet.
    let database = try open(link)
    try commit(database)
    #expect(try open(path) === database)
    #expect(PosixSystem.shared.fileExists(path: path + ".lock"))
    #expect(!PosixSystem.shared.fileExists(path: link + ".lock"))
    #expect(try Database.open(path: link, system: watch.real) === database)
  }

  @Test("a file that is open is not deleted; one that is not goes with its lock-file")
  func deleting() throws {
    let path = directory.file("a.realm")
    var database: Database? = try open(path)
    try commit(database!)
    let error = #expect(throws: StorageError.self) { try Database.delete(path: path) }
    #expect(error?.code == .inUse)
    try commit(database!)
    database = nil
    #expect(try Database.delete(path: path))
    #expect(!PosixSystem.shared.fileExists(path: path))
    #expect(!PosixSystem.shared.fileExists(path: path + ".lock"))
    #expect(try !Database.delete(path: path))
  }

  @Test("a file that was replaced while a process waited to open it is opened anew")
  func replacing() throws {
    let path = directory.file("a.realm")
    try commit(open(path))
    let copy = directory.file("copy.realm")
    _ = try open(path).writeCompactCopy(to: copy)
    let copied = try open(copy).newestVersion
    let holder = try PosixSystem.shared.openFile(path: path, mode: .readWrite)
    _ = try holder.lock(byte: 1 << 62, kind: .exclusive, wait: true)
    let opened = DispatchSemaphore(value: 0)
    let waits = OpeningWatch(path: path)
    Thread.detachNewThread { [self] in
      try! commit(try! Database.open(path: path, system: waits))
      opened.signal()
    }
    waits.isOpen.wait()
    try PosixSystem.shared.renameFile(from: copy, to: path)
    holder.close()
    opened.wait()
    #expect(try open(path).newestVersion == copied.next)
  }
}

/// The real machine; says when the file has been opened.
private final class OpeningWatch: ForwardingSystem {
  let real: any System = PosixSystem.shared
  let isOpen = DispatchSemaphore(value: 0)
  private let path: String

  init(path: String) { self.path = path }

  func openFile(path: String, mode: OpenMode) throws(SystemError) -> any SystemFile {
    defer { if path == self.path { isOpen.signal() } }
    return try real.openFile(path: path, mode: mode)
  }
}
