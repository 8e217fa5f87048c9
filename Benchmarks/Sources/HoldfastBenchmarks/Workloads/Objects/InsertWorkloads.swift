import Clmdb
import Foundation
import RealmSwift

extension Workload {
  static let insertInOrder = "insert in one transaction, key order, by add"
  static let objectBytes = "file size after it"
  static let insertShuffled = "the same, shuffled keys"
  static let createArrays = "insert by create(value:) of arrays"
  static let createDictionaries = "insert by create(value:) of dictionaries"
  static let createThenSet = "create, then set 5 properties"
  static func insertInOrder(rows: Int) -> String { "insert by add, \(rows / 1000) k objects" }
}

/// Many objects in one transaction.
struct InsertWorkloads {
  let harness: Harness

  func run() throws {
    let records = harness.records
    try inOrder(
      records, Row(Workload.insertInOrder, .rate("objects/s", of: records.count)),
      size: Row(Workload.objectBytes, .amount("bytes/object")))
    try shuffled(records)
    for rows in [10_000, 100_000] where rows < records.count {
      let row = Row(Workload.insertInOrder(rows: rows), .rate("objects/s", of: rows))
      try inOrder(Array(records.prefix(rows)), row, size: nil)
    }
    try create(Array(records.prefix(records.count / 5)))
  }

  private func inOrder(_ records: [Record], _ row: Row, size: Row?) throws {
    func finish(_ store: any Store, _ trial: Trial) throws {
      trial.cameOut(try store.count(age: 42))
      guard let size else { return }
      trial.add(size, Double(try store.sizeBytes()) / Double(records.count))
    }
    try harness.compare(
      [row] + [size].compactMap(\.self),
      [
        .holdfast { trial in
          let store = try RealmStore(folder: trial.folder, flushing: .none)
          try trial.time(row) { try store.insert(records) }
          try finish(store, trial)
        },
        .sqlite { trial in
          let store = try SQLiteStore(folder: trial.folder, flushing: .none)
          try trial.time(row) { try store.insert(records) }
          try finish(store, trial)
        },
        .lmdb { trial in
          let store = try LMDBStore(folder: trial.folder, flushing: .none)
          try trial.time(row) { try store.insert(records, flags: MDB_APPEND) }
          try finish(store, trial)
        },
      ])
  }

  private func shuffled(_ records: [Record]) throws {
    // Coprime to every number of records that is used.
    let shuffled = records.indices.map { records[$0 &* 611_953 % records.count] }
    let row = Row(Workload.insertShuffled, .rate("objects/s", of: records.count))
    try harness.compare(
      [row],
      [
        .holdfast { trial in
          let store = try RealmStore(folder: trial.folder, flushing: .none)
          try trial.time(row) { try store.insert(shuffled) }
          trial.cameOut(try store.count(age: 42))
        },
        .sqlite { trial in
          let store = try SQLiteStore(folder: trial.folder, flushing: .none)
          try trial.time(row) { try store.insert(shuffled) }
          trial.cameOut(try store.count(age: 42))
        },
        .lmdb { trial in
          let store = try LMDBStore(folder: trial.folder, flushing: .none)
          try trial.time(row) { try store.insert(shuffled) }
          trial.cameOut(try store.count(age: 42))
        },
      ])
  }

  private func create(_ records: [Record]) throws {
    let arrays = Row(Workload.createArrays, .rate("objects/s", of: records.count))
    try compareCreation(arrays, records) { realm, record in
      realm.create(
        Person.self,
        value: [
          record.identifier, record.name, record.age, record.score,
          Date(timeIntervalSinceReferenceDate: record.date), record.flag,
        ] as [Any])
    }
    let dictionaries = Row(Workload.createDictionaries, .rate("objects/s", of: records.count))
    try compareCreation(dictionaries, records) { realm, record in
      realm.create(
        Person.self,
        value: [
          "id": record.identifier, "name": record.name, "age": record.age, "score": record.score,
          "date": Date(timeIntervalSinceReferenceDate: record.date), "flag": record.flag,
        ] as [String: Any])
    }
    let setting = Row(Workload.createThenSet, .rate("objects/s", of: records.count))
    try compareCreation(setting, records) { realm, record in
      let person = realm.create(Person.self, value: [record.identifier])
      person.name = record.name
      person.age = record.age
      person.score = record.score
      person.date = Date(timeIntervalSinceReferenceDate: record.date)
      person.flag = record.flag
    }
  }

  /// The others have one way to insert, which stands beside each of ours.
  private func compareCreation(
    _ row: Row, _ records: [Record], _ create: @escaping (Realm, Record) -> Void
  ) throws {
    try harness.compare(
      [row],
      [
        .holdfast { trial in
          let store = try RealmStore(folder: trial.folder, flushing: .none)
          try trial.time(row) {
            try store.realm.write { for record in records { create(store.realm, record) } }
          }
          trial.cameOut(try store.count(age: 42))
        },
        .sqlite { trial in
          let store = try SQLiteStore(folder: trial.folder, flushing: .none)
          try trial.time(row) { try store.insert(records) }
          trial.cameOut(try store.count(age: 42))
        },
        .lmdb { trial in
          let store = try LMDBStore(folder: trial.folder, flushing: .none)
          try trial.time(row) { try store.insert(records, flags: MDB_APPEND) }
          trial.cameOut(try store.count(age: 42))
        },
      ])
  }
}
