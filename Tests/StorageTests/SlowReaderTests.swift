import Foundation
import Platform
import Storage
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct SlowReaderTests {
  private static let kind = NodeKind(rawValue: 201)

  private func commit(_ database: Database) throws {
    let transaction = try database.beginWrite()
    if !transaction.root.isNone { try transaction.writer.release(transaction.root) }
    let node = transaction.writer.make(kind: Self.kind, dataSize: 100_000)
    transaction.root = node.reference
    _ = try transaction.commit(durability: .relaxed)
  }

  /// Opens a database whose watch sends what it tells, and commits once.
  private func open(
    _ directory: TemporaryDirectory, _ change: (inout DatabaseOptions) -> Void
  ) throws -> (Database, AsyncStream<SlowReader>) {
    let (stream, sender) = AsyncStream.makeStream(of: SlowReader.self)
    var options = DatabaseOptions()
    options.compactsInBackground = false
    options.label = "reader"
    options.whenReaderIsSlow = { sender.yield($0) }
    change(&options)
    let database = try Database.open(path: directory.file("a.realm"), options: options)
    try commit(database)
    return (database, stream)
  }

  @Test func `a reader that keeps an old version is told about, once, and may go on`() async throws
  {
    let directory = TemporaryDirectory()
    let (database, stream) = try open(directory) { $0.slowReaderAgeMilliseconds = 40 }
    let slow = try database.pinNewest()
    try commit(database)
    var told = stream.makeAsyncIterator()
    let reader = try #require(await told.next())
    #expect(reader.version == slow.version)
    #expect(reader.age >= .milliseconds(40) && !reader.isEnded)
    #expect(reader.label == "reader" && reader.process == UInt64(getpid()))
    #expect(!slow.isExpired)
    // The next one told about is another one.
    let second = try database.pinNewest()
    try commit(database)
    #expect(await told.next()?.version == second.version)
    slow.release()
    second.release()
  }

  @Test func `a reader that retains much is told about with how much`() async throws {
    let directory = TemporaryDirectory()
    let (database, stream) = try open(directory) { $0.slowReaderRetainedBytes = 90_000 }
    let slow = try database.pinNewest()
    try commit(database)
    var told = stream.makeAsyncIterator()
    let reader = try #require(await told.next())
    #expect(reader.version == slow.version)
    #expect((reader.retainedBytes ?? 0) > 90_000)
    slow.release()
  }

  @Test func `a reader that is too old is ended with a typed error and keeps its data till then`()
    async throws
  {
    let directory = TemporaryDirectory()
    let (database, stream) = try open(directory) { $0.readerAgeMaxMilliseconds = 40 }
    let old = try database.pinNewest()
    let bytes = unsafe Array(try old.source.node(old.root).dataBytes)
    try commit(database)
    var told = stream.makeAsyncIterator()
    let reader = try #require(await told.next())
    #expect(reader.version == old.version && reader.isEnded)
    #expect(old.isExpired)
    let error = #expect(throws: StorageError.self) { try old.requireUnexpired() }
    #expect(error?.code == .readerTooOld && error?.path == database.path)
    #expect(throws: StorageError.self) { try old.duplicate() }
    #expect(throws: StorageError.self) { try old.historyEntries(after: 1) }
    // Not released yet, so its space is not used again.
    for _ in 0..<20 { try commit(database) }
    #expect(unsafe Array(try old.source.node(old.root).dataBytes) == bytes)
    #expect(database.pins().contains { $0.version == old.version })
    old.release()
    #expect(!database.pins().contains { $0.version == old.version })
    #expect(try !database.pinNewest().isExpired)
  }
}
