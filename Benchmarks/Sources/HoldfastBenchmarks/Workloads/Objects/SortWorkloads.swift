import Foundation
import RealmSwift

extension Workload {
  static let sortByString = "sort by a String, read 100 throughout"
  static let sortByDouble = "sort by a Double, read 100 throughout"
  static let firstByString = "first 100 of all sorted by a String"
  static let firstByDouble = "first 100 of all sorted by a Double"
}

/// Sorting all records, where no index helps. What is read are ages.
struct SortWorkloads {
  let harness: Harness

  private var rows: Int { harness.records.count }
  /// A hundred places among all.
  private var places: [Int] { (0..<100).map { $0 * rows / 100 } }

  func run() throws {
    try sort(
      Workload.sortByString, property: "name", { $0.sorted(by: \.name) },
      key: { BytewiseOrder($0.name) })
    try sort(
      Workload.sortByDouble, property: "score", { $0.sorted(by: \.score) }, key: { $0.score })
    try first(
      Workload.firstByString, property: "name", { $0.sorted(by: \.name) },
      key: { BytewiseOrder($0.name) })
    try first(
      Workload.firstByDouble, property: "score", { $0.sorted(by: \.score) }, key: { $0.score })
  }

  private func sort<Key: Comparable>(
    _ name: String, property: String,
    _ sorted: @escaping (Results<Person>) -> Results<Person>,
    key: @escaping (LMDBRecord) -> Key
  ) throws {
    let stores = try harness.filledStores()
    let row = Row(name, .millisecondsPerMillion(rows: rows))
    let places = places
    try harness.compare(
      [row],
      [
        .holdfast { trial in
          let realm = stores.realm.realm
          trial.timeRepeatedly(row) {
            let results = sorted(realm.objects(Person.self))
            return places.reduce(0) { $0 + results[$1].age }
          }
        },
        .sqlite { trial in
          let all = try stores.sqlite.statement("SELECT age FROM person ORDER BY \(property)")
          try trial.timeRepeatedly(row) {
            var sum = 0
            var index = 0
            var next = 0
            while try all.step() {
              if next < places.count && places[next] == index {
                sum += all.intColumn(0)
                next += 1
              }
              index += 1
            }
            return sum
          }
        },
        .lmdb { trial in
          try stores.lmdb.read { transaction in
            try trial.timeRepeatedly(row) {
              let table = stores.lmdb.database
              var keys: [(key: Key, record: LMDBRecord)] = []
              try transaction.forEach(in: table) { keys.append((key($1), $1)) }
              keys.sort { $0.key < $1.key }
              return places.reduce(0) { $0 + keys[$1].record.age }
            }
          }
        },
      ])
  }

  private func first<Key: Comparable>(
    _ name: String, property: String,
    _ sorted: @escaping (Results<Person>) -> Results<Person>,
    key: @escaping (LMDBRecord) -> Key
  ) throws {
    let stores = try harness.filledStores()
    let row = Row(name, .millisecondsPerMillion(rows: rows))
    try harness.compare(
      [row],
      [
        .holdfast { trial in
          let realm = stores.realm.realm
          trial.timeRepeatedly(row) {
            sorted(realm.objects(Person.self)).prefix(100).reduce(0) { $0 + $1.age }
          }
        },
        .sqlite { trial in
          let some = try stores.sqlite.statement(
            "SELECT age FROM person ORDER BY \(property) LIMIT 100")
          try trial.timeRepeatedly(row) {
            var sum = 0
            while try some.step() { sum += some.intColumn(0) }
            return sum
          }
        },
        .lmdb { trial in
          try stores.lmdb.read { transaction in
            try trial.timeRepeatedly(row) {
              var least = Least<Key>(count: 100)
              try transaction.forEach(in: stores.lmdb.database) { least.add(key($1), $1.age) }
              return least.entries.reduce(0) { $0 + $1.age }
            }
          }
        },
      ])
  }
}

/// Keeps the least keys in order.
private struct Least<Key: Comparable> {
  let count: Int
  private(set) var entries: [(key: Key, age: Int)] = []

  init(count: Int) { self.count = count }

  mutating func add(_ key: Key, _ age: Int) {
    if entries.count == count {
      guard key < entries[count - 1].key else { return }
      entries.removeLast()
    }
    let place = entries.firstIndex { key < $0.key } ?? entries.count
    entries.insert((key, age), at: place)
  }
}
