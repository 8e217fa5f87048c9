import EngineLab
import Platform
import Storage
import Synchronization
import TestSupport
import Testing

@Suite struct StuckWriterTests {
  /// Its process may be stopped in it.
  @Test(.timeLimit(.minutes(1)), arguments: [false, true])
  func `closing does not wait for the end of somebody else's transaction`(
    hasWritten: Bool
  ) throws {
    let bench = try Bench(durability: .relaxed)
    var other: Database? = try Database.open(
      path: "/a.realm", options: bench.options, system: bench.system)
    try bench.commit()
    if hasWritten { _ = try #require(other).beginWrite().commit(history: []) }
    #expect(bench.database.durableVersion < bench.database.newestVersion)
    let transaction = try bench.database.beginWrite()
    other = nil
    #expect(bench.database.durableVersion < bench.database.newestVersion)
    transaction.cancel()
    // Whoever was in a transaction has it flushed, some time after that: nothing tells of it.
    while bench.database.durableVersion < bench.database.newestVersion {
      BackgroundThread.pause(nanoseconds: 10_000_000)
    }
    try bench.verify()
  }

  @Test func `verification beside a transaction that lasts looks at the newest version`() throws {
    let bench = try Bench()
    try bench.commit()
    let other = try Database.open(
      path: "/a.realm", options: bench.options, system: bench.system)
    let transaction = try bench.database.beginWrite()
    let report = try other.verify()
    #expect(report.isSound && report.versions == [2])
    transaction.cancel()
  }

  /// A machine whose clock can be put forward.
  private final class LateSystem: ForwardingSystem {
    let real: any System = PosixSystem.shared
    let late = Atomic<UInt64>(0)
    func coarseNow() -> UInt64 { real.coarseNow() + late.load(ordering: .relaxed) }
  }

  @Test func `nothing is committed to a file that was moved away during the transaction`() throws {
    let directory = TemporaryDirectory()
    let system = LateSystem()
    let path = directory.file("a.realm")
    let database = try Database.open(path: path, options: DatabaseOptions(), system: system)
    let transaction = try database.beginWrite()
    transaction.root = transaction.writer.make(kind: NodeKind(rawValue: 222), dataSize: 8).reference
    try system.renameFile(from: path, to: directory.file("b.realm"))
    system.late.store(2_000_000_000, ordering: .relaxed)
    #expect {
      _ = try transaction.commit(history: [])
    } throws: { error in
      (error as? StorageError)?.message.contains("moved, replaced or deleted") == true
    }
    #expect(database.newestVersion == 1)
    try system.renameFile(from: directory.file("b.realm"), to: path)
    let again = try database.beginWrite()
    again.root = again.writer.make(kind: NodeKind(rawValue: 222), dataSize: 8).reference
    _ = try again.commit(history: [])
    #expect(database.newestVersion == 2)
  }
}
