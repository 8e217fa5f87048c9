import EngineLab
import Foundation
import ObjectStore
import Platform
import RealmSwift
import Storage
import TestSupport

/// A table of millions of objects: what is done with it, how long that takes, and how much memory.
public struct ManyObjects {
  public var objects: Int
  private let directory = TemporaryDirectory()
  private let peak = AnonymousPeak()

  public init(objects: Int) { self.objects = objects }

  private var file: PersonFile { PersonFile(path: directory.file("many.realm")) }

  public func run() throws -> ScenarioReport {
    var report = ScenarioReport()
    try insert()
    let realm = try timed("open") { try Realm(configuration: file.configuration) }
    try query(realm, &report)
    try update(realm, &report)
    try delete(realm, &report)
    try verify(&report)
    return report
  }

  /// Shown at once, since such a run takes long.
  private func timed<R>(_ what: String, _ body: () throws -> R) rethrows -> R {
    _ = peak.take()
    let start = MonotonicClock.now()
    let result = try body()
    let taken = MonotonicClock.now() - start
    say(
      "\(what): \(Amount.ms(taken)), \(Amount.mb(peak.take())) of memory, file"
        + " \(Amount.mb(FileSize(file.path).now.size))")
    return result
  }

  private func insert() throws {
    let realm = try Realm(configuration: file.configuration)
    let batch = 1_000_000
    try timed("insert \(objects) in transactions of \(batch)") {
      for first in stride(from: 0, to: objects, by: batch) {
        try realm.write {
          for id in first..<min(first + batch, objects) { realm.add(ScalePerson(id)) }
        }
      }
    }
  }

  private func query(_ realm: Realm, _ report: inout ScenarioReport) throws {
    let people = realm.objects(ScalePerson.self)
    let aged = timed("count by an index") { people.where { $0.age == 42 }.count }
    report.expect(aged == objects / 100, "\(aged) are 42")
    let scored = timed("count without an index") {
      people.where { $0.score < Double(objects) / 14 }.count
    }
    report.expect(abs(scored - objects / 2) <= 1, "\(scored) have a small score")
    let named = timed("count by a string without an index") {
      people.where { $0.name.contains("4242") }.count
    }
    say("  \(named) found")
    let first = timed("the first ten by score, descending") {
      people.sorted(by: \.score, ascending: false).prefix(10).map(\.id)
    }
    report.expect(first.first == objects - 1, "\(first) have the highest scores")
    var random = SeededGenerator(seed: 8)
    timed("100,000 objects by primary key") {
      for _ in 0..<100_000 {
        let id = random.below(objects)
        let found = realm.object(ofType: ScalePerson.self, forPrimaryKey: id)
        report.expect(found?.age == id % 100, "object \(id) is missing")
      }
    }
  }

  private func update(_ realm: Realm, _ report: inout ScenarioReport) throws {
    try timed("update one property of every tenth in one transaction") {
      try realm.write {
        for id in stride(from: 0, to: objects, by: 10) {
          realm.object(ofType: ScalePerson.self, forPrimaryKey: id)!.score = -1
        }
      }
    }
    let updated = realm.objects(ScalePerson.self).where { $0.score == -1 }.count
    report.expect(updated == (objects + 9) / 10, "\(updated) were updated")
    var random = SeededGenerator(seed: 9)
    try timed("1,000 commits of one property, flushed") {
      for _ in 0..<1000 {
        let id = random.below(objects)
        try realm.write {
          realm.object(ofType: ScalePerson.self, forPrimaryKey: id)!.score = -2
        }
      }
    }
    try timed("change an indexed property of every hundredth in one transaction") {
      try realm.write {
        for id in stride(from: 7, to: objects, by: 100) {
          realm.object(ofType: ScalePerson.self, forPrimaryKey: id)!.age = 200
        }
      }
    }
    let old = realm.objects(ScalePerson.self).where { $0.age == 200 }.count
    report.expect(old == objects / 100, "\(old) are 200")
  }

  private func delete(_ realm: Realm, _ report: inout ScenarioReport) throws {
    try timed("delete a tenth in one transaction") {
      try realm.write {
        realm.delete(realm.objects(ScalePerson.self).where { $0.age < 10 })
      }
    }
    let count = realm.objects(ScalePerson.self).count
    let expected = objects - objects / 10 + objects / 100
    report.expect(count == expected, "\(count) of \(expected) are left")
  }

  private func verify(_ report: inout ScenarioReport) throws {
    let database = try Database.open(path: file.path)
    let verified = try timed("verify the nodes") { try database.verify() }
    report.findings += verified.findings.prefix(3).map(\.description)
    let snapshot = try database.pinNewest()
    let found = timed("verify the objects") {
      StoreCheck.findings(root: snapshot.root, in: snapshot.source)
    }
    report.findings += found.prefix(3).map(\.description)
  }
}
