import ObjectStore
import Platform
import Storage
import TestSupport

/// Three processes write objects of every kind to one file, which is encrypted in every second
/// chapter, while one of them is killed every 1...30 ms and replaced. Whatever a version holds has
/// to be sound: vectors, links, nested collections, indexes of all kinds, and every byte accounted
/// for.
public final class ObjectKills {
  public static let writers = 3
  private static let killsPerChapter = 40

  private let kills: Int
  private let seed: UInt64
  private let directory = TemporaryDirectory()
  private var random: SeededGenerator
  private var report = ScenarioReport()

  public init(kills: Int, seed: UInt64) {
    self.kills = kills
    self.seed = seed
    random = SeededGenerator(seed: seed)
  }

  public func run() throws -> ScenarioReport {
    print("object kills: \(kills) kills, seed \(seed)")
    var killed = 0
    var chapters = 0
    var versions: UInt64 = 0
    while killed < kills, report.findings.isEmpty {
      let count = min(Self.killsPerChapter, kills - killed)
      versions += try within(120 + count, "chapter \(chapters) of the kills") {
        try chapter(chapters, kills: count)
      }
      killed += count
      chapters += 1
    }
    report.lines.append("\(killed) kills in \(chapters) chapters, \(versions) versions")
    return report
  }

  /// Returns the last version.
  private func chapter(_ number: Int, kills: Int) throws -> UInt64 {
    let mix = number % 2 == 0 ? DurabilityMix.encrypted : .mixed
    let path = directory.file("objects\(number).realm")
    let findings = FindingsFile(path: path + ".findings")
    func spawn() throws -> ChildProcess {
      try ChildProcess([
        "write-objects", path, findings.path, mix.rawValue, "\(random.next() >> 1)",
      ])
    }
    var children = try (0..<Self.writers).map { _ in try spawn() }
    for child in children { _ = try child.readLine(seconds: 60) }
    for _ in 0..<kills {
      BackgroundThread.pause(nanoseconds: UInt64(1_000_000 + random.below(29_000_000)))
      let victim = random.below(children.count)
      children[victim].sendKill()
      children[victim].waitForEnd()
      children[victim] = try spawn()
    }
    for child in children { child.sendKill() }
    for child in children { child.waitForEnd() }
    report.findings += findings.all().prefix(5)
    return try examine(path, mix)
  }

  private func examine(_ path: String, _ mix: DurabilityMix) throws -> UInt64 {
    let database = try Database.open(path: path, options: ObjectWriter.options(mix))
    // A writer that died behind its slot has its version adopted.
    try database.beginWrite().cancel()
    report.findings += try database.verify().findings.prefix(3).map { "\(mix), verify: \($0)" }
    let snapshot = try database.pinNewest()
    report.findings += snapshot.storeFindings().prefix(3).map { "\(mix): \($0)" }
    return snapshot.version.rawValue
  }
}

/// One of the processes.
struct ObjectWriter {
  let path: String
  let findings: FindingsFile
  let mix: DurabilityMix
  var random: SeededGenerator

  init(_ words: Words) {
    path = words.text(1)
    findings = FindingsFile(path: words.text(2))
    mix = words.mix(3)
    random = SeededGenerator(seed: UInt64(words.number(4)))
  }

  static func options(_ mix: DurabilityMix) -> DatabaseOptions {
    var options = mix.options
    unsafe options.mergeHistory = ChangeSet.mergeEncoded
    return options
  }

  mutating func run() {
    do {
      let database = try Database.open(path: path, options: Self.options(mix))
      let schemas = SchemaCache()
      say("open")
      while true { try turn(database, schemas) }
    } catch {
      findings.add("\(error)")
      // Stays, so that its end is the parent's doing.
      while true { BackgroundThread.pause(nanoseconds: 1_000_000_000) }
    }
  }

  /// A transaction on what the others have left, compared with what it should then hold.
  private mutating func turn(_ database: Database, _ schemas: SchemaCache) throws {
    let transaction = try database.beginWrite()
    let objects = try ObjectTransaction(transaction, schemas: schemas)
    var operations = ObjectOperations(
      seed: random.next(), model: try StoreModel(reading: objects.view),
      sizes: ObjectOperations.Sizes(objects: 12, listElements: 8))
    if operations.model.schema.classes.isEmpty {
      try operations.apply(LabSchema.small, objects)
    }
    for _ in 0..<1 + random.below(20) { try operations.step(objects) }
    let snapshot = try objects.commit(durability: mix.draw(&random))
    guard random.below(4) == 0 else { return }
    let schema = try schemas.schema(snapshot.root, in: snapshot.source).description
    let view = StoreView(source: snapshot.source, root: snapshot.root, schema: schema)
    try StoreComparison.requireEqual(operations.model, view)
    for finding in snapshot.storeFindings().prefix(2) { findings.add("\(finding)") }
  }
}
