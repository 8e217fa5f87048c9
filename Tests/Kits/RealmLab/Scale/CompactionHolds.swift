import EngineLab
import Platform
import Storage
import TestSupport

/// How long background compaction holds the writer role, and how long small writes wait, while
/// leaves are taken out and put back at random so that there is always something to compact.
public struct CompactionHolds {
  public var seconds: Int
  public var leafCount: Int
  public var leaves = 20
  /// Between two writes; without, the disk is busy all the time.
  public var pauseNanoseconds: UInt64 = 2_000_000
  public var boundNanoseconds: UInt64 = 5_000_000

  public init(seconds: Int, megabytes: Int) {
    self.seconds = seconds
    leafCount = megabytes * 1_000_000 / 4096
  }

  private struct Waits {
    var begins = Latencies()
    var whole = Latencies()
    var bytesWritten: UInt64 = 0
  }

  public func run(seed: UInt64) throws -> ScenarioReport {
    let directory = TemporaryDirectory()
    let file = LeafFile(
      path: directory.file("holds.realm"),
      tree: LeafTree(leafCount: leafCount, leafBytes: 4096...4096))
    try file.make(batch: 5000)
    let database = try file.open()
    var report = ScenarioReport()
    var largest = FileSize(file.path).now
    let waits = try churn(file, database, seed: seed) {
      largest = largest.or(FileSize(file.path).now)
    }
    let statistics = database.compaction.statistics
    let longest = statistics.longestHoldNanoseconds
    report.lines += [
      "\(leafCount) leaves of 4096 bytes, \(seconds) s: file at most \(largest)",
      "compaction held the writer \(statistics.holdCount) times,"
        + " \(Amount.ms(statistics.totalHoldNanoseconds)) in all, \(Amount.ms(longest)) at most"
        + " (\(Amount.ms(statistics.longestHoldBusyNanoseconds)) of processor at most)",
      "waits of the writes for their turn: \(waits.begins.summary)",
      "the writes as a whole: \(waits.whole.summary)",
    ]
    report.lines += waits.begins.histogram
    report.expect(statistics.holdCount > 0, "compaction had nothing to do")
    report.expect(
      longest <= boundNanoseconds, "compaction held the writer for \(Amount.ms(longest))")
    report.findings += try database.verify().findings.prefix(3).map(\.description)
    return report
  }

  /// Small writes, some hundred a second, that take leaves out until a third is gone and then put
  /// them back.
  private func churn(
    _ file: LeafFile, _ database: Database, seed: UInt64, eachSecond: () -> Void
  ) throws -> Waits {
    var random = SeededGenerator(seed: seed)
    var waits = Waits()
    var (present, absent) = (Array(0..<leafCount), [Int]())
    var isTaking = true
    let end = MonotonicClock.now() + UInt64(seconds) * 1_000_000_000
    var nextLook: UInt64 = 0
    while true {
      let start = MonotonicClock.now()
      if start >= end { return waits }
      if start >= nextLook {
        eachSecond()
        nextLook = start + 1_000_000_000
      }
      let asked = MonotonicClock.now()
      let transaction = try database.beginWrite()
      waits.begins.add(MonotonicClock.now() - asked)
      for _ in 0..<leaves {
        if isTaking {
          let index = Self.take(&present, &random)
          try file.tree.remove(index, in: transaction)
          absent.append(index)
        } else {
          let index = Self.take(&absent, &random)
          try file.tree.set(index, stamp: transaction.version.rawValue, in: transaction)
          present.append(index)
        }
      }
      _ = try transaction.commit(history: [1])
      waits.whole.add(MonotonicClock.now() - asked)
      if pauseNanoseconds > 0 { BackgroundThread.pause(nanoseconds: pauseNanoseconds) }
      if absent.count > leafCount / 3 { isTaking = false }
      if absent.count < leaves { isTaking = true }
    }
  }

  private static func take(_ indices: inout [Int], _ random: inout SeededGenerator) -> Int {
    indices.swapAt(random.below(indices.count), indices.count - 1)
    return indices.removeLast()
  }
}
