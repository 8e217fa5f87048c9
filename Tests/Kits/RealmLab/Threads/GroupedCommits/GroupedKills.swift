import EngineLab
import Foundation
import Platform
import RealmSwift
import Storage
import TestSupport

/// Processes that commit numbered transactions of two objects each, grouped, and are killed in the
/// midst of it. What they said to be durable has to be there, in order and whole.
public final class GroupedKills: Sendable {
  private let kills: Int
  private let seed: UInt64
  private let directory = TemporaryDirectory()

  public init(kills: Int, seed: UInt64) {
    self.kills = kills
    self.seed = seed
  }

  public func run() throws -> ScenarioReport {
    print("grouped-kills: \(kills), seed \(seed)")
    var report = ScenarioReport()
    var random = SeededGenerator(seed: seed)
    let path = directory.file("grouped.realm")
    let progress = try EngineLab.Progress(path: directory.file("progress"))
    var beyond = 0
    for kill in 0..<kills {
      let first = kill == 0 ? 0 : try storedCount(path, &report)
      let child = try ChildProcess(labRole: [
        "grouped-commits", path, directory.file("progress"), String(first),
      ])
      _ = try child.readLine()
      // At least one group is over; then anywhere.
      for _ in 0..<random.below(4) { _ = try child.readLine() }
      BackgroundThread.pause(nanoseconds: UInt64(random.below(8_000_000)))
      child.kill()
      beyond += try check(path, progress, &report)
      if !report.findings.isEmpty { break }
    }
    let total = try storedCount(path, &report)
    report.lines.append(
      "\(kills) kills, \(total) transactions stored, \(beyond) of them before they were said to be")
    try verify(path, &report)
    return report
  }

  /// Returns how many are stored that were not acknowledged.
  private func check(
    _ path: String, _ progress: EngineLab.Progress, _ report: inout ScenarioReport
  ) throws -> Int {
    let stored = try storedCount(path, &report)
    let acknowledged = Int(progress.acknowledged(0))
    let attempted = Int(progress.attempted(0))
    report.expect(
      acknowledged <= stored && stored <= attempted,
      "acknowledged \(acknowledged), stored \(stored), attempted \(attempted)")
    return stored - acknowledged
  }

  /// How many transactions there are; each must be whole, and none left out.
  private func storedCount(_ path: String, _ report: inout ScenarioReport) throws -> Int {
    let realm = try Realm(configuration: LabRealm.configuration(path, .full))
    realm.refresh()
    let entries = realm.objects(LabEntry.self).map { ($0.transaction, $0.half) }
    report.expect(entries.count % 2 == 0, "\(entries.count) halves are stored")
    let isPrefix = entries.enumerated().allSatisfy { index, entry in
      entry == (index / 2, index % 2)
    }
    report.expect(isPrefix, "the transactions that are stored are not the first ones, in order")
    return entries.count / 2
  }

  private func verify(_ path: String, _ report: inout ScenarioReport) throws {
    let database = try Database.open(path: path)
    report.findings += try database.verify().findings.prefix(3).map(\.description)
  }
}

/// Commits until it is killed. Says in shared memory what it attempts and what has been completed,
/// and a line for every hundred of them.
struct GroupedCommitter {
  let path: String
  let progress: EngineLab.Progress
  let first: Int
  private static let underWayMax = 300

  func run() -> Never {
    let loop = UVLoop()
    let realm = try! Realm(configuration: LabRealm.configuration(path, .full))
    let next = Shared(first)
    progress.setAcknowledged(0, UInt64(first))
    progress.setAttempted(0, UInt64(first))
    for _ in 0..<Self.underWayMax { write(realm, next) }
    loop.run()
    fatalError("the loop ended")
  }

  private func write(_ realm: Realm, _ next: Shared<Int>) {
    realm.beginAsyncWrite {
      let number = next.value
      next.value += 1
      for half in 0..<2 {
        realm.create(LabEntry.self, value: ["transaction": number, "half": half])
      }
      progress.setAttempted(0, UInt64(number + 1))
      realm.commitAsyncWrite(allowGrouping: true) { error in
        precondition(error == nil, "\(error!)")
        progress.setAcknowledged(0, UInt64(number + 1))
        if number % 100 == 0 { say("\(number)") }
        write(realm, next)
      }
    }
  }
}
