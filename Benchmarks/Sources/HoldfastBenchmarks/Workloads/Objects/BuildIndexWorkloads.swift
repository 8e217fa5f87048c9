import Foundation
import RealmSwift

extension Workload {
  static let buildIntIndex = "build an index, Int"
  static let buildStringIndex = "build an index, String"
}

/// Indexes of what is stored already: ours are built when a program opens the file whose class has
/// them.
struct BuildIndexWorkloads {
  let harness: Harness

  func run() throws {
    let rows = harness.records.count
    let ints = Row(Workload.buildIntIndex, .millisecondsPerMillion(rows: rows))
    let strings = Row(Workload.buildStringIndex, .millisecondsPerMillion(rows: rows))
    let records = harness.records
    let age = 42
    let name = records[rows / 3].name
    try harness.compare(
      [ints, strings],
      [
        .holdfast { trial in
          let file = RealmStore.file(in: trial.folder)
          try RealmStore(folder: trial.folder, flushing: .none).insert(records)
          try open(AgeIndexedPerson.self, file, ints, trial) { $0.where { $0.age == age }.count }
          try open(NameIndexedPerson.self, file, strings, trial) {
            $0.where { $0.name == name }.count
          }
        },
        .sqlite { trial in
          let store = try SQLiteStore(folder: trial.folder, flushing: .none)
          try store.insert(records)
          try trial.time(ints) { try store.execute("CREATE INDEX by_age ON person (age)") }
          trial.cameOut(
            try store.statement("SELECT count(*) FROM person WHERE age = ?").int(age))
          try trial.time(strings) { try store.execute("CREATE INDEX by_name ON person (name)") }
          let count = try store.statement("SELECT count(*) FROM person WHERE name = ?")
          count.bind(name, at: 1)
          trial.cameOut(try count.int())
        },
        .lmdb { try lmdb(ints, strings, age: age, name: name, $0) },
      ])
  }

  private func open<T: Object>(
    _ type: T.Type, _ file: URL, _ row: Row, _ trial: Trial, _ count: (Results<T>) -> Int
  ) throws {
    let configuration = RealmStore.configuration(file, .none, types: [type])
    let realm = try trial.time(row) { try Realm(configuration: configuration) }
    trial.cameOut(count(realm.objects(type)))
  }

  /// Sorted first, since that is what appending wants.
  private func lmdb(_ ints: Row, _ strings: Row, age: Int, name: String, _ trial: Trial) throws {
    let store = try LMDBStore(folder: trial.folder, flushing: .none)
    try store.insert(harness.records)
    let indexes = try LMDBIndexes(store)
    try trial.time(ints) { try indexes.buildAges(store) }
    try store.read { transaction in
      trial.cameOut(
        try transaction.withCursor(in: indexes.byAge) { try indexes.count(age: age, $0) })
    }
    try trial.time(strings) { try indexes.buildNames(store) }
    trial.cameOut(try store.read { try indexes.count(name: name, $0) })
  }
}
