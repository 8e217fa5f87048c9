import EngineLab
import Foundation
import Platform
import RealmSwift
import TestSupport

/// A process that does what it is told with a `PersonFile`, and answers with times in nanoseconds.
final class PersonClient {
  private let file: PersonFile
  private var realm: Realm?
  private var frozen: [Realm] = []
  private var random = SeededGenerator(seed: UInt64(getpid()))

  init(_ words: Words) { file = PersonFile(words) }

  func run() {
    say("ready")
    forEachCommand { words in try self.perform(words) }
  }

  private func perform(_ words: Words) throws -> String {
    switch words.text(0) {
    case "open":
      let watch = Stopwatch()
      realm = try Realm(configuration: file.configuration)
      return "opened \(watch.elapsed) \(watch.busy)"
    case "open-and-read": return try openAndRead(words.number(1))
    case "reopen": return try reopen(words.number(1), times: words.number(2))
    case "close":
      frozen = []
      realm = nil
      return "closed"
    case "end": exit(0)
    case "pin":
      frozen.append(realm!.freeze())
      return "pinned"
    case "fill":
      try realm!.write { for id in 0..<words.number(1) { realm!.add(ScalePerson(id)) } }
      return "filled"
    case "commits":
      return try commits(
        words.number(1), objects: words.number(2), changes: max(1, words.number(3)))
    case "write": return try write()
    case "prepare": return try prepare()
    default: return "unknown \(words.text(0))"
    }
  }

  /// "opened", how long it took, how much of that the thread ran, for how many pages it waited.
  private func openAndRead(_ id: Int) throws -> String {
    let pages = ProcessFigures.pagesWaitedFor()
    let watch = Stopwatch()
    realm = try Realm(configuration: file.configuration)
    let person = realm!.object(ofType: ScalePerson.self, forPrimaryKey: id)
    guard person?.age == id % 100 else { return "person \(id) is missing" }
    let waited = ProcessFigures.pagesWaitedFor() - pages
    return "opened \(watch.elapsed) \(watch.busy) \(waited)"
  }

  /// "reopened", how long an opening took on average, closing included.
  private func reopen(_ id: Int, times: Int) throws -> String {
    let watch = Stopwatch()
    for _ in 0..<times {
      _ = try openAndRead(id)
      realm = nil
    }
    return "reopened \(watch.elapsed / UInt64(times)) \(watch.busy / UInt64(times))"
  }

  /// Opens another file, so that what a process does once has been done.
  private func prepare() throws -> String {
    let other = PersonFile(path: file.path + ".other")
    let realm = try Realm(configuration: other.configuration)
    try realm.write { realm.add(ScalePerson(1), update: .modified) }
    return "prepared"
  }

  /// "committed", how long that took, and the longest of them.
  private func commits(_ count: Int, objects: Int, changes: Int) throws -> String {
    let start = MonotonicClock.now()
    var longest: UInt64 = 0
    let realm = realm!
    for _ in 0..<count {
      let before = MonotonicClock.now()
      try realm.write {
        for _ in 0..<changes {
          let id = random.below(objects)
          realm.object(ofType: ScalePerson.self, forPrimaryKey: id)!.score += 1
        }
      }
      longest = max(longest, MonotonicClock.now() - before)
    }
    return "committed \(MonotonicClock.now() - start) \(longest)"
  }

  /// "wrote", until the transaction began, until it was ready, until it was committed; and how much
  /// of all that the thread ran.
  private func write() throws -> String {
    let watch = Stopwatch()
    realm!.beginWrite()
    let begun = watch.elapsed
    realm!.object(ofType: ScalePerson.self, forPrimaryKey: 1)!.score += 1
    let changed = watch.elapsed
    try realm!.commitWrite()
    return "wrote \(begun) \(changed - begun) \(watch.elapsed - changed) \(watch.busy)"
  }
}
