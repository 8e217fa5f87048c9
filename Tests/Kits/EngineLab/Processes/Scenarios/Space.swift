import Platform
import Storage
import TestSupport

/// How large a file is against what lives in it, on a real file system.
public enum Space {
  private static let ledger = Ledger(writers: 4, leafCount: 200, fillingMax: 100)

  private static func commits(
    _ count: Int, _ database: Database, _ durability: Durability,
    _ random: inout SeededGenerator
  ) throws {
    for _ in 0..<count {
      let transaction = try database.beginWrite()
      try ledger.transfer(in: transaction, writer: 0, leaves: 2 + random.below(4), &random)
      _ = try transaction.commit(durability: durability, history: [1, 2, 3, 4, 5, 6, 7, 8])
    }
  }

  /// Bytes of the nodes that the newest version's content consists of.
  private static func liveBytes(_ database: Database) throws -> UInt64 {
    let snapshot = try database.pinNewest()
    let root = try snapshot.source.node(snapshot.root)
    var bytes = UInt64(root.byteSize)
    for index in 0..<root.referenceCount {
      bytes += UInt64(try snapshot.source.node(root.reference(index)).byteSize)
    }
    return bytes
  }

  /// Commits over 100 KB while another process reads the same version all the time.
  public static func pinnedReader(
    commits count: Int, durability: DurabilityMix, seed: UInt64
  ) throws -> ScenarioReport {
    print("pinned reader: \(count) commits, \(durability), seed \(seed)")
    let directory = TemporaryDirectory()
    let path = directory.file("pinned.realm")
    var random = SeededGenerator(seed: seed)
    var report = ScenarioReport()
    let database = try Database.open(path: path, options: durability.options)
    try commits(200, database, durability.opening, &random)
    let reader = try ChildProcess(["obey", path, durability.rawValue])
    _ = try reader.readLine()
    _ = try reader.ask("open")
    let pinned = try reader.ask("pin")
    report.expect(pinned.hasPrefix("pinned"), pinned)
    let file = FileSize(path)
    let (before, live) = (file.now, try liveBytes(database))
    var most = before
    for _ in 0..<100 {
      try commits(count / 100, database, durability.opening, &random)
      most = most.or(file.now)
    }
    report.lines.append(
      "live \(live); the file had \(before), and at most \(most) while \(count) commits were made"
        + " beside a reader that had \(pinned)")
    report.expect(
      most.size - before.size <= 1 << 19, "the file grew by \(most.size - before.size) bytes")
    report.expect(live > 90_000 && live < 130_000, "\(live) bytes live")
    report.findings += try database.verify().findings.prefix(3).map(\.description)
    return report
  }

  /// Commits over 100 KB without any reader; the file against the content at its largest.
  ///
  /// - Parameter versions: how many versions are needed at once. `relaxed` commits outrun flushes
  ///   by so much that the last flushed version and the one being flushed have nothing in common
  ///   with the newest.
  public static func manyCommits(
    _ count: Int, durability: DurabilityMix, versions: Int = 1, seed: UInt64
  ) throws -> ScenarioReport {
    print("many commits: \(count), \(durability), seed \(seed)")
    let directory = TemporaryDirectory()
    let path = directory.file("many.realm")
    var random = SeededGenerator(seed: seed)
    var report = ScenarioReport()
    let database = try Database.open(path: path, options: durability.options)
    let file = FileSize(path)
    var worst = 0.0
    var largest = file.now
    let start = MonotonicClock.now()
    for _ in 0..<100 {
      try commits(count / 100, database, durability.opening, &random)
      let live = try liveBytes(database)
      worst = max(worst, Double(file.now.size) / Double(live))
      largest = largest.or(file.now)
    }
    let seconds = Double(MonotonicClock.now() - start) / 1e9
    let live = try liveBytes(database)
    report.lines.append(
      "\(count) commits in \(Int(seconds)) s (\(Int(Double(count) / seconds)) a second): live"
        + " \(live), the file at most \(largest), \(Double(Int(worst * 1000)) / 1000) times what"
        + " was live then")
    report.expect(worst <= 2.2 * Double(versions), "the file was \(worst) times what was live")
    report.findings += try database.verify().findings.prefix(3).map(\.description)
    return report
  }
}

/// How large a file is.
public struct FileSize {
  public struct Sizes: CustomStringConvertible {
    public var size: UInt64
    public var allocated: UInt64

    public func or(_ other: Sizes) -> Sizes {
      Sizes(size: max(size, other.size), allocated: max(allocated, other.allocated))
    }

    public var description: String { "\(size) bytes (\(allocated) on disk)" }
  }

  private let file: any SystemFile

  public init(_ path: String) {
    do {
      file = try PosixSystem.shared.openFile(path: path, mode: .readOnly)
    } catch {
      fatalError("\(error)")
    }
  }

  public var now: Sizes {
    Sizes(size: (try? file.size()) ?? 0, allocated: (try? file.allocatedSize()) ?? 0)
  }
}
