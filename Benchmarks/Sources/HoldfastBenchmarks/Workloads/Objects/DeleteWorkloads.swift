import Clmdb
import Foundation
import RealmSwift

extension Workload {
  static let deleteScattered = "delete half, scattered"
  static let deleteRange = "delete half, a range of keys"
  static let deleteListed = "delete 10,000 objects that a list of 200,000 holds"
  static let compactTime = "compact copy after deleting half"
  static let compactBytes = "bytes per object left in it"
}

/// Deleting, and what is left.
struct DeleteWorkloads {
  let harness: Harness

  private var rows: Int { harness.records.count }

  func run() throws {
    try deleteHalf()
    try deleteListed()
  }

  private struct Rows {
    let scattered, range, time, bytes: Row
    let half: Int
  }

  /// First those with a flag, about half, then those of a range that are left, then the copy.
  private func deleteHalf() throws {
    let flagged = harness.records.count(where: \.flag)
    let half = rows / 2
    let unflagged = harness.records[..<half].count { !$0.flag }
    let rows = Rows(
      scattered: Row(Workload.deleteScattered, .rate("objects/s", of: flagged)),
      range: Row(Workload.deleteRange, .rate("objects/s", of: unflagged)),
      time: Row(Workload.compactTime, .millisecondsPerMillion(rows: rows)),
      bytes: Row(Workload.compactBytes, .amount("bytes/object")), half: half)
    try harness.compare(
      [rows.scattered, rows.time, rows.bytes, rows.range],
      [
        .holdfast { try holdfast(rows, $0) }, .sqlite { try sqlite(rows, $0) },
        .lmdb { try lmdb(rows, $0) },
      ])
  }

  private func holdfast(_ rows: Rows, _ trial: Trial) throws {
    let store = try RealmStore(folder: trial.folder, flushing: .none)
    try store.insert(harness.records)
    let all = store.realm.objects(Person.self)
    try trial.time(rows.scattered) {
      try store.realm.write { store.realm.delete(all.where { $0.flag == true }) }
    }
    let copy = trial.folder.appending(path: "copy.realm")
    try trial.time(rows.time) { try store.realm.writeCopy(toFile: copy) }
    try finish(rows, trial, copy, left: all.count)
    try trial.time(rows.range) {
      try store.realm.write { store.realm.delete(all.where { $0.id < rows.half }) }
    }
    trial.cameOut(all.count)
  }

  private func sqlite(_ rows: Rows, _ trial: Trial) throws {
    let store = try SQLiteStore(folder: trial.folder, flushing: .none)
    try store.insert(harness.records)
    let count = try store.statement("SELECT count(*) FROM person")
    try trial.time(rows.scattered) { try store.execute("DELETE FROM person WHERE flag = 1") }
    let copy = trial.folder.appending(path: "copy.db")
    let path = copy.path(percentEncoded: false)
    try trial.time(rows.time) {
      try store.execute("VACUUM INTO '\(path)'")
      // The others' copies are on the disk when they are done.
      flush(copy)
    }
    try finish(rows, trial, copy, left: try count.int())
    try trial.time(rows.range) {
      try store.execute("DELETE FROM person WHERE id < \(rows.half)")
    }
    trial.cameOut(try count.int())
  }

  private func lmdb(_ rows: Rows, _ trial: Trial) throws {
    let store = try LMDBStore(folder: trial.folder, flushing: .none)
    try store.insert(harness.records)
    func count() throws -> Int { try store.read { try $0.count(in: store.database) { _ in true } } }
    try trial.time(rows.scattered) { try store.delete { $1.flag } }
    let copy = trial.folder.appending(path: "copy")
    try trial.time(rows.time) {
      try check(
        mdb_env_copy2(
          store.environment, copy.path(percentEncoded: false), UInt32(MDB_CP_COMPACT)))
    }
    try finish(rows, trial, copy, left: try count())
    try trial.time(rows.range) { try store.delete(while: { $0 < rows.half }) { _, _ in true } }
    trial.cameOut(try count())
  }

  private func finish(_ rows: Rows, _ trial: Trial, _ copy: URL, left: Int) throws {
    trial.cameOut(left)
    trial.add(rows.bytes, Double(try RealmStore.size(of: [copy])) / Double(left))
  }

  private func flush(_ file: URL) {
    let descriptor = Foundation.open(file.path(percentEncoded: false), O_RDONLY | O_CLOEXEC)
    fsync(descriptor)
    close(descriptor)
  }

  private func deleteListed() throws {
    let held = harness.scale == .smoke ? 400 : 200_000
    let deleted = held / 20
    let records = (0..<held).map(Record.init)
    let row = Row(Workload.deleteListed, .rate("objects/s", of: deleted))
    try harness.compare(
      [row],
      [
        .holdfast { trial in
          let realm = try RealmStore(folder: trial.folder, types: [Member.self, Team.self]).realm
          let team = Team()
          try realm.write {
            realm.add(team)
            for record in records {
              let member = Member(record)
              realm.add(member)
              team.members.append(member)
            }
          }
          let all = realm.objects(Member.self)
          let leaving = (0..<deleted).map { all[$0 * 20] }
          try trial.time(row) { try realm.write { realm.delete(leaving) } }
          trial.cameOut(team.members.count)
          trial.cameOut(team.members.sum(of: \.age))
        },
        .sqlite { trial in
          let store = try SQLiteStore(folder: trial.folder, flushing: .none)
          try SQLiteTeam.create(in: store)
          try store.write { try SQLiteTeam.fill(records, in: store) }
          let delete = try store.statement("DELETE FROM member WHERE id = ?")
          try trial.time(row) {
            try store.write { for index in 0..<deleted { try delete.run(index * 20) } }
          }
          trial.cameOut(try store.statement("SELECT count(*) FROM team").int())
          trial.cameOut(
            try store.statement(
              "SELECT sum(age) FROM team JOIN member ON member.id = team.member"
            ).int())
        },
      ])
  }
}

/// The same as `Member` and the lists of a `Team` in tables.
enum SQLiteTeam {
  static func create(in store: SQLiteStore) throws {
    try store.execute(
      """
      PRAGMA foreign_keys = ON;
      CREATE TABLE member (
        id INTEGER PRIMARY KEY, age INTEGER NOT NULL, friend INTEGER REFERENCES member);
      CREATE INDEX by_friend ON member (friend);
      CREATE TABLE team (
        position INTEGER PRIMARY KEY,
        member INTEGER NOT NULL REFERENCES member ON DELETE CASCADE);
      CREATE INDEX by_member ON team (member);
      CREATE TABLE numbers (position INTEGER PRIMARY KEY, number INTEGER NOT NULL);
      """)
  }

  /// Members, all of which are in the list.
  static func fill(_ records: [Record], in store: SQLiteStore) throws {
    let member = try store.statement("INSERT INTO member (id, age) VALUES (?, ?)")
    let team = try store.statement("INSERT INTO team (member) VALUES (?)")
    for record in records {
      member.bind(record.age, at: 2)
      try member.run(record.identifier)
      try team.run(record.identifier)
    }
  }
}

extension LMDBStore {
  /// Deletes records in one transaction, from the first on.
  func delete(
    while isReached: (Int) -> Bool = { _ in true }, where isDeleted: (Int, LMDBRecord) -> Bool
  ) throws {
    try write { transaction in
      try transaction.withCursor(in: database) { cursor in
        var key = MDB_val()
        var value = MDB_val()
        while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0 {
          let identifier = key.bytes.loadUnaligned(as: Int.self)
          if !isReached(identifier) { return }
          if isDeleted(identifier, LMDBRecord(bytes: value.bytes)) {
            try check(mdb_cursor_del(cursor, 0))
          }
        }
      }
    }
  }
}
