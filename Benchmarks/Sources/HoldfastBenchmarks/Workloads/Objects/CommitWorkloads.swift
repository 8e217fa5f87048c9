import Foundation
import RealmSwift

extension Workload {
  static let objectDurable = "insert 1 object a commit, flushed"
  static let objectInserts = "insert 1 object a commit, unflushed"
  static let objectInsertGrowth = "growth by each of those"
  static let objectUpdates = "update 1 property a commit, unflushed"
  static let objectUpdateGrowth = "growth by each of ten times as many of these"
  static let batchUpdates = "update 100 random objects a commit, unflushed"
  static let updateAll = "update a property of every object"
  static func objectInserts(rows: Int) -> String {
    "insert 1 object a commit, unflushed, among \(rows / 1000) k"
  }
}

/// Transactions of one object, and of some.
struct CommitWorkloads {
  let harness: Harness
  private static var stores: [any Store.Type] {
    [RealmStore.self, SQLiteStore.self, LMDBStore.self]
  }

  private var rows: Int { harness.records.count }
  private var commits: Int { harness.scale.of(50_000, smoke: 100) }

  func run() throws {
    let durable = harness.scale == .full ? 500 : harness.scale == .quick ? 200 : 20
    let flushed = Row(Workload.objectDurable, .rate("commits/s", of: durable))
    try compare([flushed], flushing: .everyCommit) { store, trial in
      try store.insert(0..<10_000)
      try trial.time(flushed) { try store.insertOneByOne(10_000..<10_000 + durable) }
    }
    try single()
    for rows in [10_000, 100_000] where rows < self.rows {
      let row = Row(Workload.objectInserts(rows: rows), .rate("commits/s", of: commits))
      try compare([row]) { store, trial in
        try store.insert(0..<rows)
        try trial.time(row) { try store.insertOneByOne(rows..<rows + commits) }
        trial.cameOut(try store.count(age: 42))
      }
    }
    try many()
  }

  private func compare(
    _ rows: [Row], flushing: Flushing = .none,
    _ body: @escaping (any Store, Trial) throws -> Void
  ) throws {
    try harness.compare(
      rows,
      Self.stores.map { type in
        Contender(name: type.name) { trial in
          try body(try type.init(folder: trial.folder, flushing: flushing), trial)
        }
      })
  }

  private func single() throws {
    let inserting = Row(Workload.objectInserts, .rate("commits/s", of: commits))
    let insertGrowth = Row(Workload.objectInsertGrowth, .amount("bytes"))
    let updating = Row(Workload.objectUpdates, .rate("commits/s", of: commits))
    let updateGrowth = Row(Workload.objectUpdateGrowth, .amount("bytes"))
    // What the durable version holds makes the file grow up to a bound, so the growth by each is
    // that by many.
    let allUpdated = (0..<10 * commits).map { $0 &* 7919 % rows }
    let updated = Array(allUpdated.prefix(commits))
    let others = Array(allUpdated.dropFirst(commits))
    try compare([inserting, insertGrowth, updating, updateGrowth]) { store, trial in
      try store.insert(0..<rows)
      let full = try store.sizeBytes()
      try trial.time(inserting) { try store.insertOneByOne(rows..<rows + commits) }
      let inserted = try store.sizeBytes()
      try trial.time(updating) { try store.update(updated) }
      try store.update(others)
      trial.add(insertGrowth, Double(inserted - full) / Double(commits))
      trial.add(updateGrowth, Double(try store.sizeBytes() - inserted) / Double(allUpdated.count))
      trial.cameOut(try store.count(age: 42))
    }
  }

  private func many() throws {
    let stores = try harness.filledStores()
    let batches = harness.scale.of(1000, smoke: 5)
    let updated = (0..<batches).map { batch in
      (0..<100).map { (batch &* 100 + $0) &* 7919 % rows }
    }
    let random = Row(Workload.batchUpdates, .rate("updates/s", of: batches * 100))
    try harness.compare(
      [random],
      [
        .holdfast { trial in
          try trial.time(random) {
            for batch in updated { try stores.realm.update(together: batch) }
          }
          trial.cameOut(try stores.realm.count(age: 42))
        },
        .sqlite { trial in
          let update = try stores.sqlite.statement(SQLiteStore.increaseAge + " WHERE id = ?")
          try trial.time(random) {
            for batch in updated {
              try stores.sqlite.write { for id in batch { try update.run(id) } }
            }
          }
          trial.cameOut(try stores.sqlite.count(age: 42))
        },
        .lmdb { trial in
          let store = stores.lmdb
          try trial.time(random) {
            for batch in updated {
              try store.write { for id in batch { try store.increaseAge(of: id, $0) } }
            }
          }
          trial.cameOut(try store.count(age: 42))
        },
      ])
    let every = Row(Workload.updateAll, .rate("objects/s", of: rows))
    try harness.compare(
      [every],
      [
        .holdfast { trial in
          try trial.time(every) { try stores.realm.updateAll() }
          trial.cameOut(try stores.realm.count(age: 42))
        },
        .sqlite { trial in
          let update = try stores.sqlite.statement(SQLiteStore.increaseAge)
          try trial.time(every) { try update.run() }
          trial.cameOut(try stores.sqlite.count(age: 42))
        },
        .lmdb { trial in
          try trial.time(every) { try stores.lmdb.updateAll() }
          trial.cameOut(try stores.lmdb.count(age: 42))
        },
      ])
  }
}
