import EngineLab
import Platform
import Storage
import TestSupport

/// What a commit of one leaf writes, in a file with many free extents and in one of the same
/// content with none.
public struct CommitBytes {
  public var extents: Int
  public var commits: Int
  public var boundRatio = 2.0

  public init(extents: Int, commits: Int) {
    self.extents = extents
    self.commits = commits
  }

  /// Bytes written by commits.
  private struct Written {
    var total: UInt64 = 0
    var most: UInt64 = 0
    var first: UInt64 = 0
    var seconds = 0.0
  }

  public func run() throws -> ScenarioReport {
    var report = ScenarioReport()
    let dense = try measure(keeping: 1, &report)
    let sparse = try measure(keeping: 2, &report)
    let average = Double(sparse.total) / Double(max(dense.total, 1))
    let most = Double(sparse.most) / Double(max(dense.most, 1))
    report.lines.append(
      "with \(extents) free extents \(Amount.ratio(average)) times as much on average,"
        + " \(Amount.ratio(most)) times at most")
    report.expect(
      average <= boundRatio, "commits write \(Amount.ratio(average)) times as much")
    return report
  }

  /// A file of `extents` leaves, of which there were `keeping` times as many: one in `keeping` is
  /// left, with a hole behind it.
  private func measure(keeping: Int, _ report: inout ScenarioReport) throws -> Written {
    let directory = TemporaryDirectory()
    let tree = LeafTree(leafCount: extents * keeping, leafBytes: 128...128)
    let file = LeafFile(path: directory.file("bytes.realm"), tree: tree, compacts: false)
    try file.make(batch: 50_000)
    let system = CountingSystem()
    let database = try file.open(system)
    if keeping > 1 { try punch(tree, keeping, database) }
    let written = try count(tree, keeping, database, system)
    report.lines.append(
      "\(extents) leaves, \(extents * (keeping - 1)) free extents: \(commits) commits of one leaf"
        + " write \(written.total / UInt64(commits)) bytes on average, \(written.most) at most, the"
        + " first \(written.first); \(Int(Double(commits) / written.seconds)) commits/s; file"
        + " \(FileSize(file.path).now.size)")
    let verified = try database.verify()
    report.findings += verified.findings.prefix(3).map(\.description)
    report.lines.append(
      "  live \(verified.liveBytes), reusable \(verified.reusableBytes), waiting"
        + " \(verified.waitingBytes)")
    return written
  }

  /// Takes out all but one leaf in `keeping`.
  private func punch(_ tree: LeafTree, _ keeping: Int, _ database: Database) throws {
    let batch = 20_000
    for first in stride(from: 0, to: tree.leafCount, by: batch) {
      let transaction = try database.beginWrite()
      for index in first..<min(first + batch, tree.leafCount) where index % keeping != 0 {
        try tree.remove(index, in: transaction)
      }
      _ = try transaction.commit(history: [1])
    }
  }

  private func count(
    _ tree: LeafTree, _ keeping: Int, _ database: Database, _ system: CountingSystem
  ) throws -> Written {
    var random = SeededGenerator(seed: 8)
    var written = Written()
    let start = MonotonicClock.now()
    for commit in 0..<commits {
      let before = system.bytesWritten
      let transaction = try database.beginWrite()
      try tree.set(
        random.below(extents) * keeping, stamp: transaction.version.rawValue, in: transaction)
      _ = try transaction.commit(history: [1])
      let bytes = system.bytesWritten - before
      if commit == 0 { written.first = bytes }
      written.total += bytes
      written.most = max(written.most, bytes)
    }
    written.seconds = Double(MonotonicClock.now() - start) / 1e9
    return written
  }
}
