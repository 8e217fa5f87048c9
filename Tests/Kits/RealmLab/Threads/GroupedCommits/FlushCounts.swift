import Foundation
import Platform
import EngineLab
import RealmSwift
import TestSupport

/// How many flushes small asynchronous commits take, one by one and grouped. Every `fdatasync` of
/// the data file counts, whoever asks for it.
public final class FlushCounts: Sendable {
  private let commits: Int
  private let directory = TemporaryDirectory()
  private let thread = LoopThread(name: "commits")

  public init(commits: Int) { self.commits = commits }

  public func run() throws -> ScenarioReport {
    var report = ScenarioReport()
    let single = try measure("single", allowGrouping: false, &report)
    let grouped = try measure("grouped", allowGrouping: true, &report)
    report.expect(single >= commits, "\(single) flushes for \(commits) single commits")
    // Less than a twentieth of the commits, so of one flush each, though single ones take two.
    report.expect(
      grouped * 20 < commits, "\(grouped) flushes grouped for \(commits) commits")
    thread.join()
    return report
  }

  private func measure(
    _ name: String, allowGrouping: Bool, _ report: inout ScenarioReport
  ) throws -> Int {
    let path = directory.file("\(name).realm")
    let watch = FlushWatch()
    RealmSystem.use(watch, forFileAt: path)
    defer { RealmSystem.use(nil, forFileAt: path) }
    let realm = try Realm(configuration: LabRealm.configuration(path, .full))
    let before = watch.flushCount
    let start = MonotonicClock.now()
    let order = within(600, "\(commits) commits") { commit(path, allowGrouping: allowGrouping) }
    let elapsed_ms = (MonotonicClock.now() - start) / 1_000_000
    let flushes = watch.flushCount - before
    realm.refresh()
    let stored = realm.objects(LabEntry.self)
    report.expect(order == Array(0..<commits), "completions came in another order")
    report.expect(
      stored.map(\.transaction) == Array(0..<commits), "\(stored.count) are stored, or disordered")
    report.lines.append("\(commits) \(name) commits: \(flushes) flushes, \(elapsed_ms) ms")
    return flushes
  }

  /// Returns the numbers in the order of their completions.
  private func commit(_ path: String, allowGrouping: Bool) -> [Int] {
    let done = DispatchSemaphore(value: 0)
    let order = LockedValue<[Int]>([])
    thread.perform { [commits] in
      let realm = try! Realm(configuration: LabRealm.configuration(path, .full))
      for index in 0..<commits {
        realm.beginAsyncWrite {
          realm.create(LabEntry.self, value: ["transaction": index])
          realm.commitAsyncWrite(allowGrouping: allowGrouping) { error in
            precondition(error == nil)
            order.withLock { $0.append(index) }
            if index == commits - 1 { done.signal() }
          }
        }
      }
    }
    done.wait()
    return order.withLock { $0 }
  }
}
