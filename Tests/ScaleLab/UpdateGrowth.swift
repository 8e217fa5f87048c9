import ProcessLab
import RealmSwift
import StorageLab
import TestSupport

/// How much a file of objects grows by commits of one property that are not flushed one by one,
/// without any reader.
public struct UpdateGrowth {
  public var objects: Int
  public var commits: Int
  public var boundBytes = 10.0

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
    let before = FileSize(file.path).now.size
    let watch = Stopwatch()
    for _ in 0..<commits {
      let id = random.below(objects)
      try realm.write {
        realm.object(ofType: ScalePerson.self, forPrimaryKey: id)!.score += 1
      }
    }
    let rate = Double(commits) / Double(watch.elapsed) * 1e9
    let after = FileSize(file.path).now.size
    let growth = (Double(after) - Double(before)) / Double(commits)
    var report = ScenarioReport()
    report.lines = [
      "\(objects) objects, \(commits) commits of one property, relaxed: \(Int(rate)) a second, file"
        + " from \(before) to \(after), \(Amount.ratio(growth)) bytes each"
    ]
    report.expect(growth <= boundBytes, "each commit adds \(Amount.ratio(growth)) bytes")
    return report
  }
}
