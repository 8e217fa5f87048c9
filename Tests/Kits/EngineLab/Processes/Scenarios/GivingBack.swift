import Platform
import Storage
import TestSupport

/// Deletes most of a large file, here and there, and waits until the background has given the space
/// back to the file system while the file is open.
public struct GivingBack {
  private static let rootKind = NodeKind(rawValue: 220)
  private static let innerKind = NodeKind(rawValue: 221)
  private static let leafKind = NodeKind(rawValue: 222)
  private static let leavesPerInner = 64

  private let megabytes: Int
  private let leafBytes: Int
  private let durability: DurabilityMix
  /// Another process has the file open meanwhile.
  private let hasCompany: Bool
  private let seed: UInt64

  public init(
    megabytes: Int, leafBytes: Int, durability: DurabilityMix, hasCompany: Bool, seed: UInt64
  ) {
    self.megabytes = megabytes
    self.leafBytes = leafBytes
    self.durability = durability
    self.hasCompany = hasCompany
    self.seed = seed
  }

  /// Far more than it takes, for machines that do other things as well.
  private static let secondsMax: UInt64 = 60

  public func run() throws -> ScenarioReport {
    print(
      "giving back: \(megabytes) MB in leaves of about \(leafBytes) bytes, \(durability),"
        + " company \(hasCompany), seed \(seed)")
    let directory = TemporaryDirectory()
    let path = directory.file("large.realm")
    var random = SeededGenerator(seed: seed)
    var report = ScenarioReport()
    let database = try Database.open(path: path, options: durability.options)
    try fill(database, &random)
    let company = hasCompany ? try ChildProcess(["obey", path, durability.rawValue]) : nil
    if let company {
      _ = try company.readLine()
      _ = try company.ask("open")
    }
    let file = FileSize(path)
    let before = file.now
    let deleted = try delete(database, &random)
    let start = MonotonicClock.now()
    let wanted = before.allocated - deleted * 9 / 10
    var time: UInt64 = 0
    // Nothing tells when the background is done; the file is looked at.
    while file.now.allocated > wanted, time < Self.secondsMax * 1_000_000_000 {
      BackgroundThread.pause(nanoseconds: 10_000_000)
      time = MonotonicClock.now() - start
    }
    let after = file.now
    report.lines.append(
      "\(deleted) bytes deleted of \(before); after \(time / 1_000_000) ms the file has \(after)")
    report.expect(
      after.allocated <= wanted, "only \(before.allocated - after.allocated) bytes came back")
    let verified = try database.verify()
    report.findings += verified.findings.prefix(3).map(\.description)
    if let company {
      let answer = try company.ask("verify")
      report.expect(answer == "sound", "the other process: \(answer)")
    }
    return report
  }

  private func fill(_ database: Database, _ random: inout SeededGenerator) throws {
    let leaves = megabytes * 1_000_000 / leafBytes
    let inner = (leaves + Self.leavesPerInner - 1) / Self.leavesPerInner
    var filled = 0
    while filled < inner {
      let transaction = try database.beginWrite()
      let root =
        transaction.root.isNone
        ? transaction.writer.make(kind: Self.rootKind, referenceCount: inner)
        : try transaction.writer.mutable(transaction.root)
      for index in filled..<min(filled + max(1, inner / 16), inner) {
        root.setReference(index, makeInner(transaction.writer, &random))
        filled += 1
      }
      transaction.root = root.reference
      _ = try transaction.commit()
    }
  }

  private func makeInner(
    _ writer: NodeWriter, _ random: inout SeededGenerator
  ) -> NodeReference {
    let inner = writer.make(kind: Self.innerKind, referenceCount: Self.leavesPerInner)
    for index in 0..<Self.leavesPerInner {
      let size = leafBytes / 2 + random.below(leafBytes)
      let leaf = writer.make(kind: Self.leafKind, dataSize: size)
      unsafe leaf.data.storeBytes(of: random.next(), as: UInt64.self)
      inner.setReference(index, leaf.reference)
    }
    return inner.reference
  }

  /// Lets go of nine leaves in ten; returns their bytes.
  private func delete(_ database: Database, _ random: inout SeededGenerator) throws -> UInt64 {
    var deleted: UInt64 = 0
    let transaction = try database.beginWrite()
    let root = try transaction.writer.mutable(transaction.root)
    for place in 0..<root.node.referenceCount {
      let inner = try transaction.writer.mutable(root.node.reference(place))
      root.setReference(place, inner.reference)
      for index in 0..<Self.leavesPerInner where random.below(10) != 0 {
        let leaf = inner.node.reference(index)
        deleted += UInt64(try transaction.source.node(leaf).byteSize)
        try transaction.writer.release(leaf)
        inner.setReference(index, .none)
      }
    }
    transaction.root = root.reference
    _ = try transaction.commit()
    return deleted
  }
}
