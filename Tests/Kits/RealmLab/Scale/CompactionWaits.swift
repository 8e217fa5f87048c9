import EngineLab
import Foundation
import Platform
import RealmSwift
import TestSupport

/// How long small writes of a program take that creates, changes and deletes objects one by one,
/// with default settings, while the file is being compacted behind it.
public struct CompactionWaits {
  public var seconds: Int
  public var objects: Int
  public var boundMilliseconds = 50.0

  public init(seconds: Int, objects: Int) {
    self.seconds = seconds
    self.objects = objects
  }

  public func run(seed: UInt64) throws -> ScenarioReport {
    let directory = TemporaryDirectory()
    let file = PersonFile(path: directory.file("waits.realm"))
    try file.make(objects)
    var writes = Latencies()
    var random = SeededGenerator(seed: seed)
    let realm = try Realm(configuration: file.configuration)
    try realm.write { deleteHalf(of: realm) }
    let end = MonotonicClock.now() + UInt64(seconds) * 1_000_000_000
    var next = objects
    while MonotonicClock.now() < end {
      let start = MonotonicClock.now()
      let choice = random.below(3)
      let id = random.below(next)
      try realm.write {
        switch choice {
        case 0:
          realm.add(ScalePerson(next))
          next += 1
        case 1: realm.object(ofType: ScalePerson.self, forPrimaryKey: id)?.score += 1
        default: realm.object(ofType: ScalePerson.self, forPrimaryKey: id).map(realm.delete)
        }
      }
      writes.add(MonotonicClock.now() - start)
    }
    var report = ScenarioReport()
    report.lines = [
      "\(objects) objects, half deleted, then \(seconds) s of small writes: \(writes.summary);"
        + " file \(FileSize(file.path).now)"
    ]
    report.lines += writes.histogram
    report.expect(
      writes.maximum <= boundMilliseconds, "a small write took \(writes.maximum) ms")
    return report
  }

  private func deleteHalf(of realm: Realm) {
    realm.delete(realm.objects(ScalePerson.self).where { $0.flag == true })
  }
}
