import EngineLab
import RealmSwift
import TestSupport

/// How much a file of objects grows by commits of one property that are not flushed one by one,
/// without any reader.
///
/// The first of them let it grow by what changes between two flushes, because the version that
/// survives power loss stays whole; after that the file should grow no more.
public struct UpdateGrowth {
  public var objects: Int
  /// Commits in a batch.
  public var commits: Int
  public var batches = 5
  /// By each commit after the first batch.
  public var boundBytes = 10.0
  /// All of the file, compared with what it was before.
  public var boundRatio = 2.2

  public init(objects: Int, commits: Int) {
    self.objects = objects
    self.commits = commits
  }

  public func run(seed: UInt64) throws -> ScenarioReport {
    let directory = TemporaryDirectory()
    let file = PersonFile(path: directory.file("growth.realm"), durability: .relaxed)
    try file.make(objects)
    let realm = try Realm(configuration: file.configuration)
    var random = SeededGenerator(seed: seed)
    var report = ScenarioReport()
    var sizes = [FileSize(file.path).now.size]
    for batch in 1...batches {
      let watch = Stopwatch()
      try update(realm, &random)
      let rate = Double(commits) / Double(watch.elapsed) * 1e9
      sizes.append(FileSize(file.path).now.size)
      report.lines.append(
        "\(objects) objects, batch \(batch) of \(commits) commits of one property, relaxed:"
          + " \(Int(rate)) a second, file from \(sizes[batch - 1]) to \(sizes[batch]),"
          + " \(Amount.ratio(growth(sizes, from: batch - 1, to: batch))) bytes each")
    }
    let each = growth(sizes, from: 1, to: batches)
    report.expect(
      each <= boundBytes, "after the first batch each commit adds \(Amount.ratio(each)) bytes")
    let ratio = Double(sizes.max()!) / Double(sizes[0])
    report.expect(ratio <= boundRatio, "the file became \(Amount.ratio(ratio)) times as long")
    return report
  }

  private func update(_ realm: Realm, _ random: inout SeededGenerator) throws {
    for _ in 0..<commits {
      let id = random.below(objects)
      try realm.write {
        realm.object(ofType: ScalePerson.self, forPrimaryKey: id)!.score += 1
      }
    }
  }

  /// Bytes a commit.
  private func growth(_ sizes: [UInt64], from first: Int, to last: Int) -> Double {
    (Double(sizes[last]) - Double(sizes[first])) / Double(commits * (last - first))
  }
}
