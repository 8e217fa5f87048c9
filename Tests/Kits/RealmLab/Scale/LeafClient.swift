import EngineLab
import Glibc
import Platform
import Storage
import TestSupport

/// A process that does what it is told with a `LeafFile`, and answers with times in nanoseconds.
final class LeafClient {
  private let file: LeafFile
  private var database: Database?
  private var snapshots: [Snapshot] = []
  private var random = SeededGenerator(seed: UInt64(getpid()))

  init(_ words: Words) { file = LeafFile(words) }

  func run() {
    say("ready")
    forEachCommand { words in try self.perform(words) }
  }

  private func perform(_ words: Words) throws -> String {
    switch words.text(0) {
    case "open":
      let watch = Stopwatch()
      database = try file.open()
      return "opened \(watch.elapsed) \(watch.busy)"
    case "close":
      snapshots = []
      database = nil
      return "closed"
    case "end": exit(0)
    case "pin":
      snapshots.append(try database!.pinNewest())
      return "pinned \(snapshots.last!.version)"
    case "fill":
      try file.tree.fill(database!, batch: words.number(1))
      return "filled"
    case "commits": return try commits(words.number(1), leaves: words.number(2))
    case "write": return try write()
    default: return try read(words)
    }
  }

  /// "committed", how long that took, and the longest of them.
  private func commits(_ count: Int, leaves: Int) throws -> String {
    let start = MonotonicClock.now()
    var longest: UInt64 = 0
    for _ in 0..<count {
      let before = MonotonicClock.now()
      try file.tree.change(leaves, in: database!, &random)
      longest = max(longest, MonotonicClock.now() - before)
    }
    return "committed \(MonotonicClock.now() - start) \(longest)"
  }

  /// "wrote", until the transaction began, until it was ready, until it was committed; and how much
  /// of all that the thread ran.
  private func write() throws -> String {
    let watch = Stopwatch()
    let transaction = try database!.beginWrite()
    let begun = watch.elapsed
    let index = random.below(file.tree.leafCount)
    try file.tree.set(index, stamp: transaction.version.rawValue, in: transaction)
    let changed = watch.elapsed
    _ = try transaction.commit(history: [1])
    return "wrote \(begun) \(changed - begun) \(watch.elapsed - changed) \(watch.busy)"
  }

  private func read(_ words: Words) throws -> String {
    switch words.text(0) {
    case "walk":
      let start = MonotonicClock.now()
      let snapshot = try database!.pinNewest()
      let contents = try file.tree.contents(of: snapshot, checking: words.text(1) == "checking")
      if let mismatch = contents.mismatches.first { return mismatch }
      return "walked \(contents.leaves) \(contents.bytes) \(MonotonicClock.now() - start)"
    case "memory":
      return "memory \(ProcessFigures.privateDirtyBytes()) \(ProcessFigures.anonymousBytes())"
    case "verify": return try verify()
    case "remove-half": return try removeHalf()
    case "compact": return try compact()
    default: return "unknown \(words.text(0))"
    }
  }

  /// Takes out every second leaf, some thousands in a commit.
  private func removeHalf() throws -> String {
    let batch = 10_000
    for first in stride(from: 0, to: file.tree.leafCount, by: batch) {
      let transaction = try database!.beginWrite()
      for index in first..<min(first + batch, file.tree.leafCount) where index % 2 == 1 {
        try file.tree.remove(index, in: transaction)
      }
      _ = try transaction.commit(history: [1])
    }
    return "removed"
  }

  /// "compacted", how long that took, the longest hold of the writer role, what was moved, and the
  /// most memory that it took.
  private func compact() throws -> String {
    let peak = AnonymousPeak()
    let start = MonotonicClock.now()
    let progress = try database!.compact()
    return "compacted \(MonotonicClock.now() - start)"
      + " \(database!.compaction.statistics.longestHoldNanoseconds) \(progress.bytesMoved)"
      + " \(peak.take())"
  }

  /// "sound", how long that took, and the most memory that it took.
  private func verify() throws -> String {
    let peak = AnonymousPeak()
    let start = MonotonicClock.now()
    let report = try database!.verify()
    let taken = MonotonicClock.now() - start
    if let finding = report.findings.first { return finding.description }
    return "sound \(taken) \(peak.take())"
  }
}
