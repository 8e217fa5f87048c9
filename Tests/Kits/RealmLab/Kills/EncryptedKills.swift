import EngineLab
import Foundation
import Platform
import RealmSwift
import Storage
import TestSupport

/// Three processes on one encrypted file, two that write and one that looks at each version, of
/// which one is killed at a random moment and replaced, again and again; now and then all are.
///
/// After each kill the whole file is verified beside those that are left, whatever was acknowledged
/// has to be there, and another key or none has to be refused.
public final class EncryptedKills {
  static let writers = 2
  private static let readers = 1
  /// A new file after so many.
  private static let killsPerFile = 60

  private let kills: Int
  private let seed: UInt64
  private let directory = TemporaryDirectory()
  private var random: SeededGenerator
  private var report = ScenarioReport()
  private var transactions = 0
  private var wholeEnds = 0

  public init(kills: Int, seed: UInt64) {
    self.kills = kills
    self.seed = seed
    random = SeededGenerator(seed: seed)
  }

  public func run() throws -> ScenarioReport {
    print("encrypted kills: \(kills) kills, seed \(seed)")
    var killed = 0
    var files = 0
    while killed < kills, report.findings.isEmpty {
      let count = min(Self.killsPerFile, kills - killed)
      try within(300 + 10 * count, "file \(files) of the kills") { try file(files, kills: count) }
      killed += count
      files += 1
    }
    report.lines.append(
      "\(killed) kills in \(files) files, \(wholeEnds) of all processes at once, "
        + "\(transactions) transactions")
    report.expect(transactions > kills / 2, "hardly anything was written")
    return report
  }

  private func file(_ number: Int, kills: Int) throws {
    let scene = try Scene(directory, number)
    var children = try (0..<Self.writers + Self.readers).map { try scene.spawn($0, &random) }
    for child in children { _ = try child.readLine(seconds: 60) }
    for kill in 1...kills where report.findings.isEmpty {
      awaitMoment(scene)
      let victims = kill % 10 == 0 ? Array(children.indices) : [random.below(children.count)]
      for victim in victims { children[victim].sendKill() }
      for victim in victims { children[victim].waitForEnd() }
      if victims.count > 1 { wholeEnds += 1 }
      if kill % 5 == 1 || victims.count > 1 { refuse(scene, [.invalidDatabase, .alreadyOpen]) }
      try examine(scene)
      for victim in victims { children[victim] = try scene.spawn(victim, &random) }
    }
    children.forEach { $0.sendKill() }
    children.forEach { $0.waitForEnd() }
    try examine(scene)
    report.findings += scene.findings.all().prefix(5)
    transactions += (0..<Self.writers).reduce(0) { $0 + Int(scene.progress.acknowledged($1)) }
  }

  /// Waits until somebody writes, and some milliseconds more; now and then kills follow each other
  /// sooner than a process can open the file.
  private func awaitMoment(_ scene: Scene) {
    let first = scene.progress.acquisitionCount
    if random.below(4) > 0 {
      let next = scene.progress.awaitAcquisition(
        from: first, after: 0, otherThan: Self.writers + Self.readers, seconds: 60)
      report.expect(next != nil, "nobody has been writing for a minute")
    }
    BackgroundThread.pause(nanoseconds: UInt64(random.below(20_000_000)))
  }

  private func examine(_ scene: Scene) throws {
    let acknowledged = scene.progress.acknowledged(upTo: Self.writers)
    var options = DatabaseOptions()
    options.encryptionKey = EncryptionKey(LabRealm.key)
    let database = try Database.open(path: scene.path, options: options)
    // A writer that died behind its slot has its version adopted.
    try database.beginWrite().cancel()
    report.findings += try database.verify().findings.prefix(3).map { "verify: \($0)" }
    let snapshot = try database.pinNewest()
    report.findings += snapshot.storeFindings().prefix(3).map { "\($0)" }
    snapshot.release()
    let realm = try Realm(configuration: scene.configuration(.full))
    realm.refresh()
    if let fault = KillNotes.fault(realm) { report.findings.append(fault) }
    for writer in 0..<Self.writers {
      let stored = UInt64(KillNotes.count(realm, writer))
      let attempted = scene.progress.attempted(writer)
      report.expect(
        acknowledged[writer] <= stored && stored <= attempted,
        "writer \(writer): acknowledged \(acknowledged[writer]), stored \(stored), "
          + "attempted \(attempted)")
    }
    // This process has it open itself.
    if random.below(8) == 0 { refuse(scene, [.alreadyOpen]) }
  }

  /// Tries another key and none. Work in the background may have the file open in this process for
  /// a moment longer than the realm that was dropped.
  private func refuse(_ scene: Scene, _ codes: Set<Realm.Error.Code>) {
    for key in [Data(repeating: 1, count: 64), nil] {
      do {
        _ = try Realm(configuration: scene.configuration(.full, key: key))
        report.findings.append("opened with \(key == nil ? "no" : "another") key")
      } catch {
        report.expect(
          codes.contains { $0 == (error as? Realm.Error)?.code }, "refused with \(error)")
      }
    }
  }
}

extension EncryptedKills {
  /// One file, and those who have it open.
  struct Scene {
    let path: String
    let progress: EngineLab.Progress
    let findings: FindingsFile

    init(_ directory: TemporaryDirectory, _ number: Int) throws {
      path = directory.file("notes\(number).realm")
      progress = try EngineLab.Progress(path: path + ".progress")
      findings = FindingsFile(path: path + ".findings")
    }

    init(path: String) throws {
      self.path = path
      progress = try EngineLab.Progress(path: path + ".progress")
      findings = FindingsFile(path: path + ".findings")
    }

    func configuration(
      _ durability: Realm.Configuration.Durability, key: Data? = LabRealm.key
    ) -> Realm.Configuration {
      var configuration = LabRealm.configuration(path, durability, types: KillNotes.types)
      configuration.encryptionKey = key
      return configuration
    }

    /// The writers are first, the readers behind them.
    func spawn(_ position: Int, _ random: inout SeededGenerator) throws -> ChildProcess {
      try ChildProcess(labRole: [
        position < EncryptedKills.writers ? "write-notes" : "read-notes", path, "\(position)",
        "\(random.next() >> 1)",
      ])
    }
  }
}
