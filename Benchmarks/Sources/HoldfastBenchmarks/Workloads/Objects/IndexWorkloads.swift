import Clmdb
import Foundation
import RealmSwift

extension Workload {
  static let indexedInserts = "insert with two indexes"
  static let indexedCount = "indexed Int: count"
  static let indexedFetch = "indexed Int: fetch rows and read a Double"
  static let indexedFind = "indexed String: find and read an Int"
}

/// Work with indexes of an Int and a String.
struct IndexWorkloads {
  let harness: Harness

  private struct Rows {
    let inserts, counts, fetch, find: Row
    /// What is looked for; ages come round.
    let counted: Int
    let fetched: [Int]
    let names: [String]
  }

  func run() throws {
    let records = harness.records
    let counted = harness.scale.of(100_000, smoke: 100)
    let names = (0..<harness.scale.of(100_000, smoke: 100)).map {
      records[$0 &* 7919 % records.count].name
    }
    let fetched = [7, 42, 77]
    let fetchedRows = records.count { fetched.contains($0.age) }
    let rows = Rows(
      inserts: Row(Workload.indexedInserts, .rate("objects/s", of: records.count)),
      counts: Row(Workload.indexedCount, .rate("ops/s", of: counted)),
      fetch: Row(Workload.indexedFetch, .rate("rows/s", of: fetchedRows)),
      find: Row(Workload.indexedFind, .rate("ops/s", of: names.count)),
      counted: counted, fetched: fetched, names: names)
    try harness.compare(
      [rows.inserts, rows.counts, rows.fetch, rows.find],
      [
        .holdfast { try holdfast(rows, $0) },
        .sqlite { try sqlite(rows, $0) },
        .lmdb { try lmdb(rows, $0) },
      ])
  }

  /// Counts for half a second at most, since some are slow. What is checked are the first counts.
  private func countRepeatedly(
    _ rows: Rows, _ trial: Trial, _ count: (Int) throws -> Int
  ) throws {
    for age in 0..<100 { trial.cameOut(try count(age)) }
    var done = 0
    let start = ContinuousClock.now
    var taken = 0.0
    while done < rows.counted && taken < 0.5 {
      for age in 0..<100 { use(try count(age)) }
      done += 100
      taken = (ContinuousClock.now - start) / .seconds(1)
    }
    trial.add(rows.counts, Double(done) / taken)
  }

  private func holdfast(_ rows: Rows, _ trial: Trial) throws {
    let realm = try RealmStore(folder: trial.folder, types: [IndexedPerson.self]).realm
    try trial.time(rows.inserts) {
      try realm.write { for record in harness.records { realm.add(IndexedPerson(record)) } }
    }
    let all = realm.objects(IndexedPerson.self)
    try countRepeatedly(rows, trial) { age in all.where { $0.age == age }.count }
    var sum = 0.0
    trial.time(rows.fetch) {
      for age in rows.fetched {
        for person in all.where({ $0.age == age }) { sum += person.score }
      }
    }
    trial.cameOut(Int(sum.rounded()))
    var ages = 0
    trial.time(rows.find) {
      for name in rows.names { ages += all.where { $0.name == name }.first!.age }
    }
    trial.cameOut(ages)
  }

  private func sqlite(_ rows: Rows, _ trial: Trial) throws {
    let store = try SQLiteStore(folder: trial.folder, flushing: .none)
    try store.execute("CREATE INDEX by_name ON person (name); CREATE INDEX by_age ON person (age)")
    try trial.time(rows.inserts) { try store.insert(harness.records) }
    let count = try store.statement("SELECT count(*) FROM person WHERE age = ?")
    try store.read { try countRepeatedly(rows, trial) { try count.int($0) } }
    let fetch = try store.statement("SELECT score FROM person WHERE age = ?")
    var sum = 0.0
    try trial.time(rows.fetch) {
      for age in rows.fetched {
        fetch.bind(age, at: 1)
        while try fetch.step() { sum += fetch.doubleColumn(0) }
      }
    }
    trial.cameOut(Int(sum.rounded()))
    let find = try store.statement("SELECT age FROM person WHERE name = ? LIMIT 1")
    var ages = 0
    try store.read {
      try trial.time(rows.find) {
        for name in rows.names {
          find.bind(name, at: 1)
          ages += try find.int()
        }
      }
    }
    trial.cameOut(ages)
  }

  private func lmdb(_ rows: Rows, _ trial: Trial) throws {
    let store = try LMDBStore(folder: trial.folder, flushing: .none)
    let indexes = try LMDBIndexes(store)
    try trial.time(rows.inserts) {
      try store.write { transaction in
        for record in harness.records {
          try transaction.put(record, in: store.database, flags: MDB_APPEND)
          try indexes.insert(record, transaction)
        }
      }
    }
    try store.read { transaction in
      try transaction.withCursor(in: indexes.byAge) { cursor in
        try countRepeatedly(rows, trial) { try indexes.count(age: $0, cursor) }
        var sum = 0.0
        try trial.time(rows.fetch) {
          for age in rows.fetched {
            try indexes.forEach(age: age, cursor) {
              sum += try transaction.record($0, in: store.database).score
            }
          }
        }
        trial.cameOut(Int(sum.rounded()))
      }
      var ages = 0
      try trial.time(rows.find) {
        for name in rows.names {
          let identifier = try indexes.find(name: name, transaction)
          ages += try transaction.record(identifier, in: store.database).age
        }
      }
      trial.cameOut(ages)
    }
  }
}
