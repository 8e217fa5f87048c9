import Coordination
import EngineLab
import Platform
import Storage
import TestSupport
import Testing

/// What a process says is durable while another one makes the next version so.
@Suite struct DurableVersionTests {
  private let bench: Bench
  /// The other process.
  private let member: LockFile

  init() throws {
    bench = try Bench()
    for _ in 0..<3 { try bench.commit() }
    let file = try bench.system.openFile(path: "/a.realm", mode: .readWrite)
    member = try LockFile.open(path: "/a.realm.lock", dataFile: file, system: bench.system) {
      (_) throws(Never) in preconditionFailure("the database is open")
    }
  }

  /// It may be stopped or killed between the two words.
  @Test func `a version stays durable while another process confirms the next one`() throws {
    let version = bench.database.newestVersion
    #expect(bench.database.durableVersion == version)
    member.raiseDurableVersion(to: version.next)
    #expect(bench.database.durableVersion >= version)
    member.raiseFlushedVersion(to: version.next)
    #expect(bench.database.durableVersion == version.next)
    member.close()
  }

  /// The other one is faster than this one's look at the two words.
  @Test func `a version stays durable whenever another process confirms the next one`() throws {
    let version = bench.database.newestVersion
    for step in 1...4 {
      let watch = SharedWordStep(step) { [member] in
        member.raiseDurableVersion(to: member.durableVersion.next)
        member.raiseFlushedVersion(to: member.durableVersion)
      }
      Scheduling.enter(watch)
      let durable = bench.database.durableVersion
      Scheduling.leave()
      #expect(durable >= version, "step \(step)")
    }
    member.close()
  }

  /// The other process was killed between the two words, before it had published the version.
  @Test func `a durable version that reaches beyond what the next writer has mapped is kept`()
    throws
  {
    bench.system.install(bench.system.contents(of: "/a.realm"), at: "/b.realm")
    var options = bench.options
    options.mappingReservation = 1
    let database = try Database.open(path: "/b.realm", options: options, system: bench.system)
    let before = database.newestVersion
    let file = try bench.system.openFile(path: "/b.realm", mode: .readWrite)
    let dead = try LockFile.open(path: "/b.realm.lock", dataFile: file, system: bench.system) {
      (_) throws(Never) in preconditionFailure("the database is open")
    }
    let transaction = try bench.database.beginWrite()
    let size = 8 * bench.system.contents(of: "/a.realm").count
    transaction.root = transaction.writer.make(kind: LeafModel.leafKind, dataSize: size).reference
    let newest = try transaction.commit().version
    bench.system.install(bench.system.contents(of: "/a.realm"), at: "/b.realm")
    dead.raiseDurableVersion(to: newest)
    dead.close()
    #expect(newest == before.next)
    let next = try database.beginWrite()
    #expect(next.baseVersion == newest)
    next.cancel()
    #expect(database.durableVersion == newest)
    member.close()
  }
}

/// Does something before a thread touches a word that processes share for the n-th time.
private final class SharedWordStep: ScheduledThread {
  private var stepsLeft: Int
  private let action: () -> Void

  init(_ step: Int, action: @escaping () -> Void) {
    stepsLeft = step
    self.action = action
  }

  func reachedSharedWord() {
    stepsLeft -= 1
    if stepsLeft == 0 { action() }
  }

  func reachedLock() {}
  func waitForLock() {}
  func givesLockBack() {}
}
