import Foundation
import Platform
import EngineLab
import RealmSwift
import TestSupport

/// A loop goes on turning while its asynchronous writes wait: for a writer in another thread, for
/// one in another process, and for a flush. Says so by the order of events, not by the clock.
public final class TurnsWhileBlocked: Sendable {
  private let directory = TemporaryDirectory()
  private let thread = LoopThread(name: "turning")
  private let watch = FlushWatch()
  private static let turnCount = 1000
  private var path: String { directory.file("turns.realm") }
  private var configuration: Realm.Configuration { LabRealm.configuration(path, .full) }

  public init() {}

  public func run() throws -> ScenarioReport {
    RealmSystem.use(watch, forFileAt: path)
    defer { RealmSystem.use(nil, forFileAt: path) }
    let realm = try Realm(configuration: configuration)
    var report = ScenarioReport()
    try within(120, "a loop whose writes wait") {
      whileAnotherThreadWrites(realm, &report)
      try whileAnotherProcessWrites(&report)
      whileAFlushIsHeldUp(&report)
    }
    withExtendedLifetime(realm) {}
    thread.join()
    return report
  }

  private func whileAnotherThreadWrites(_ realm: Realm, _ report: inout ScenarioReport) {
    realm.beginWrite()
    let writes = startWrites(whichMustWaitFor: "another thread", &report)
    realm.cancelWrite()
    writes.wait()
  }

  private func whileAnotherProcessWrites(_ report: inout ScenarioReport) throws {
    let holder = try ChildProcess(labRole: ["hold-on-command", path])
    _ = try holder.ask("begin")
    let writes = startWrites(whichMustWaitFor: "another process", &report)
    _ = try holder.ask("end")
    writes.wait()
  }

  private func startWrites(
    whichMustWaitFor writer: String, _ report: inout ScenarioReport
  ) -> WritesUnderWay {
    let writes = startWrites()
    let turns = turn()
    report.expect(!writes.isAnyRunning, "a write began although \(writer) was writing")
    report.expect(turns == Self.turnCount, "the loop turned \(turns) times only")
    return writes
  }

  private func whileAFlushIsHeldUp(_ report: inout ScenarioReport) {
    watch.holdFlushes()
    let writes = startWrites()
    watch.waitForFlush()
    let turns = turn()
    report.expect(!writes.isAnyDurable, "a write was called durable before it was flushed")
    report.expect(turns == Self.turnCount, "the loop turned \(turns) times only")
    watch.letFlushesPass()
    writes.wait()
    report.lines.append("\(turns) turns each time")
  }

  /// Lets the loop turn many times and returns when it has.
  private func turn() -> Int {
    let turns = LockedValue(0)
    let end = DispatchSemaphore(value: 0)
    @Sendable func again() {
      let count = turns.withLock { turns in
        turns += 1
        return turns
      }
      if count == Self.turnCount { end.signal() } else { thread.perform { again() } }
    }
    thread.perform { again() }
    end.wait()
    return turns.withLock { $0 }
  }

  /// A `writeAsync` of the thread's realm and an `asyncWrite` of an actor on the loop.
  private func startWrites() -> WritesUnderWay {
    let writes = WritesUnderWay()
    let (configuration, thread) = (configuration, thread)
    thread.perform {
      let realm = try! Realm(configuration: configuration)
      realm.writeAsync {
        writes.noteRunning()
        realm.add(LabLoad())
      } onComplete: { error in
        precondition(error == nil)
        writes.noteDurable()
      }
      // On the loop only: nothing of it waits for a thread that others may keep busy.
      Task.immediate { await WaitingActor(thread.loop).write(configuration, writes) }
    }
    return writes
  }
}

private final class WritesUnderWay: Sendable {
  private let state = LockedValue((running: 0, durable: 0))
  private let done = DispatchSemaphore(value: 0)

  var isAnyRunning: Bool { state.withLock { $0.running > 0 } }
  var isAnyDurable: Bool { state.withLock { $0.durable > 0 } }

  func noteRunning() { state.withLock { $0.running += 1 } }

  func noteDurable() {
    state.withLock { $0.durable += 1 }
    done.signal()
  }

  func wait() { for _ in 0..<2 { done.wait() } }
}

private actor WaitingActor {
  private let loop: UVLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  init(_ loop: UVLoop) { self.loop = loop }

  func write(_ configuration: Realm.Configuration, _ writes: WritesUnderWay) async {
    do {
      let realm = try await Realm(configuration: configuration, actor: self)
      try await realm.asyncWrite {
        writes.noteRunning()
        realm.add(LabLoad())
      }
      writes.noteDurable()
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
