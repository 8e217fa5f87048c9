import Foundation
import RealmSwift

extension Workload {
  static let followLink = "follow a link and read an Int"
  static let countBacklinks = "count backlinks of an object"
  static let appendToList = "append to a list of Int"
  static let iterateInts = "iterate a list of Int"
  static let iterateObjects = "iterate a list of objects and read an Int"
}

/// Links between objects, and lists. LMDB has nothing of the kind.
struct LinkWorkloads {
  let harness: Harness

  private struct Rows {
    let follow, backlinks, append, ints, objects: Row
    let count: Int
    let times: Int
    /// Members whose links are followed.
    let held: [Int]
  }

  func run() throws {
    let count = harness.scale.of(200_000, smoke: 400)
    let times = harness.scale.of(200, smoke: 1)
    let held = (0..<1000).map { $0 &* 7919 % count }
    let rows = Rows(
      follow: Row(Workload.followLink, .nanoseconds(each: times * held.count)),
      backlinks: Row(Workload.countBacklinks, .nanoseconds(each: times * held.count)),
      append: Row(Workload.appendToList, .rate("elements/s", of: count)),
      ints: Row(Workload.iterateInts, .nanoseconds(each: count)),
      objects: Row(Workload.iterateObjects, .nanoseconds(each: count)),
      count: count, times: times, held: held)
    try harness.compare(
      [rows.follow, rows.backlinks, rows.append, rows.ints, rows.objects],
      [.holdfast { try holdfast(rows, $0) }, .sqlite { try sqlite(rows, $0) }])
  }

  /// Everyone's friend; some have several admirers, some none.
  private static func friend(of identifier: Int, among count: Int) -> Int {
    (identifier / 2) &* 31 % count
  }

  private func holdfast(_ rows: Rows, _ trial: Trial) throws {
    let realm = try RealmStore(folder: trial.folder, types: [Member.self, Team.self]).realm
    let team = Team()
    let all = realm.objects(Member.self)
    try realm.write {
      realm.add(team)
      for identifier in 0..<rows.count { realm.add(Member(Record(identifier))) }
      let members = Array(all)
      for (identifier, member) in members.enumerated() {
        member.friend = members[Self.friend(of: identifier, among: rows.count)]
      }
      team.members.append(objectsIn: members)
    }
    try trial.time(rows.append) {
      try realm.write { for number in 0..<rows.count { team.numbers.append(number) } }
    }
    let held = rows.held.map { all[$0] }
    var ages = 0
    trial.time(rows.follow) {
      for _ in 0..<rows.times { for member in held { ages += member.friend!.age } }
    }
    trial.cameOut(ages)
    var admirers = 0
    trial.time(rows.backlinks) {
      for _ in 0..<rows.times { for member in held { admirers += member.admirers.count } }
    }
    trial.cameOut(admirers)
    trial.timeRepeatedly(rows.ints) {
      var sum = 0
      for number in team.numbers { sum += number }
      return sum
    }
    trial.timeRepeatedly(rows.objects) {
      var sum = 0
      for member in team.members { sum += member.age }
      return sum
    }
  }

  private func sqlite(_ rows: Rows, _ trial: Trial) throws {
    let store = try SQLiteStore(folder: trial.folder, flushing: .none)
    try SQLiteTeam.create(in: store)
    let link = try store.statement("UPDATE member SET friend = ?2 WHERE id = ?1")
    try store.write {
      try SQLiteTeam.fill((0..<rows.count).map(Record.init), in: store)
      for identifier in 0..<rows.count {
        link.bind(Self.friend(of: identifier, among: rows.count), at: 2)
        try link.run(identifier)
      }
    }
    let append = try store.statement("INSERT INTO numbers (number) VALUES (?)")
    try trial.time(rows.append) {
      try store.write { for number in 0..<rows.count { try append.run(number) } }
    }
    let follow = try store.statement(
      "SELECT b.age FROM member a JOIN member b ON b.id = a.friend WHERE a.id = ?")
    try store.read {
      trial.cameOut(try trial.time(rows.follow) { try sum(rows, follow) })
      let count = try store.statement("SELECT count(*) FROM member WHERE friend = ?")
      trial.cameOut(try trial.time(rows.backlinks) { try sum(rows, count) })
    }
    let numbers = try store.statement("SELECT number FROM numbers ORDER BY position")
    try trial.timeRepeatedly(rows.ints) { try sum(numbers) }
    let ages = try store.statement(
      "SELECT age FROM team JOIN member ON member.id = team.member ORDER BY position")
    try trial.timeRepeatedly(rows.objects) { try sum(ages) }
  }

  private func sum(_ rows: Rows, _ statement: SQLiteStatement) throws -> Int {
    var sum = 0
    for _ in 0..<rows.times { for identifier in rows.held { sum += try statement.int(identifier) } }
    return sum
  }

  private func sum(_ statement: SQLiteStatement) throws -> Int {
    var sum = 0
    while try statement.step() { sum += statement.intColumn(0) }
    return sum
  }
}
