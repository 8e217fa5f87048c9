import Clmdb
import Foundation
import RealmSwift

extension Workload {
  static let wideInserts = "30 properties: insert in one transaction, by add"
  static let wideCommits = "30 properties: insert 1 a commit, unflushed"
}

/// Objects with many properties.
struct WideWorkloads {
  let harness: Harness

  func run() throws {
    let count = harness.scale.of(100_000, smoke: 500)
    let commits = harness.scale.of(20_000, smoke: 50)
    let records = (0..<count + commits).map(Record.init)
    let inserts = Row(Workload.wideInserts, .rate("objects/s", of: count))
    let single = Row(Workload.wideCommits, .rate("commits/s", of: commits))
    try harness.compare(
      [inserts, single],
      [
        .holdfast { trial in
          let realm = try RealmStore(folder: trial.folder, types: [WidePerson.self]).realm
          try trial.time(inserts) {
            try realm.write { for record in records[..<count] { realm.add(WidePerson(record)) } }
          }
          try trial.time(single) {
            for record in records[count...] { try realm.write { realm.add(WidePerson(record)) } }
          }
          trial.cameOut(realm.objects(WidePerson.self).where { $0.i9 == 51 }.count)
        },
        .sqlite { trial in
          let store = try SQLiteStore(folder: trial.folder, flushing: .none)
          let insertion = try WideInsertion(store)
          try trial.time(inserts) {
            try store.write { for record in records[..<count] { try insertion.insert(record) } }
          }
          try trial.time(single) {
            for record in records[count...] { try insertion.insert(record) }
          }
          trial.cameOut(try store.statement("SELECT count(*) FROM wide WHERE i9 = 51").int())
        },
      ])
  }
}

private struct WideInsertion {
  private let statement: SQLiteStatement

  init(_ store: SQLiteStore) throws {
    let columns =
      ["id INTEGER PRIMARY KEY"] + (0..<10).map { "i\($0) INTEGER NOT NULL" }
      + (0..<8).map { "s\($0) TEXT NOT NULL" } + (0..<8).map { "d\($0) REAL NOT NULL" }
      + (0..<3).map { "b\($0) INTEGER NOT NULL" }
    try store.execute("CREATE TABLE wide (\(columns.joined(separator: ", ")))")
    let marks = [String](repeating: "?", count: 30).joined(separator: ", ")
    statement = try store.statement("INSERT INTO wide VALUES (\(marks))")
  }

  func insert(_ record: Record) throws {
    statement.bind(record.identifier, at: 1)
    for index in 0..<10 { statement.bind(record.age + index, at: Int32(2 + index)) }
    for index in 0..<8 { statement.bind(record.score + Double(index), at: Int32(20 + index)) }
    for index in 0..<3 { statement.bind(record.flag ? 1 : 0, at: Int32(28 + index)) }
    var name = record.name
    try name.withUTF8 { name in
      for index in 0..<8 { statement.bindWithoutCopy(name, at: Int32(12 + index)) }
      try statement.run()
    }
  }
}
