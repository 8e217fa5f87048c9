import Csqlite3
import Foundation

/// SQLite in WAL mode with prepared statements; `synchronous` is FULL or OFF.
final class SQLiteStore: ReopenedStore {
  static let name = "SQLite"

  private let files: [URL]
  private let connection: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]
  private var reader: OpaquePointer?

  init(folder: URL, flushing: Flushing) throws {
    files = Self.files(in: folder)
    connection = try Self.open(files[0])
    try execute("PRAGMA journal_mode = WAL")
    try execute("PRAGMA synchronous = \(flushing == .everyCommit ? "FULL" : "OFF")")
    try execute(
      """
      CREATE TABLE IF NOT EXISTS person (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER NOT NULL, score REAL NOT NULL,
        date REAL NOT NULL, flag INTEGER NOT NULL)
      """)
  }

  static func files(in folder: URL) -> [URL] {
    ["sqlite.db", "sqlite.db-wal"].map { folder.appending(path: $0) }
  }

  static func openAndRead(_ identifier: Int, in folder: URL) throws -> Int {
    try SQLiteStore(opened: files(in: folder)).readAge(of: identifier, times: 1)
  }

  /// A store that is there already, whose file says how it is written.
  private init(opened files: [URL]) throws {
    self.files = files
    connection = try Self.open(files[0])
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(reader)
    sqlite3_close_v2(connection)
  }

  private static func open(_ file: URL) throws -> OpaquePointer {
    var opened: OpaquePointer?
    let status = sqlite3_open(file.path(percentEncoded: false), &opened)
    guard status == SQLITE_OK, let opened else { throw StoreError("sqlite3_open: \(status)") }
    return opened
  }

  func insert(_ identifiers: Range<Int>) throws {
    try execute("BEGIN IMMEDIATE")
    for identifier in identifiers { try insert(Record(identifier)) }
    try execute("COMMIT")
  }

  func insertOneByOne(_ identifiers: Range<Int>) throws {
    for identifier in identifiers { try insert(Record(identifier)) }
  }

  private func insert(_ record: Record) throws {
    let statement = try prepared("INSERT INTO person VALUES (?, ?, ?, ?, ?, ?)")
    sqlite3_bind_int64(statement, 1, Int64(record.identifier))
    sqlite3_bind_int64(statement, 3, Int64(record.age))
    sqlite3_bind_double(statement, 4, record.score)
    sqlite3_bind_double(statement, 5, record.date)
    sqlite3_bind_int(statement, 6, record.flag ? 1 : 0)
    var name = record.name
    try name.withUTF8 { utf8 in
      // Not copied: it is there until the step is done.
      _ = utf8.withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text(statement, 2, $0.baseAddress, Int32($0.count), nil)
      }
      try step(statement, SQLITE_DONE)
    }
    sqlite3_reset(statement)
  }

  func update(_ identifiers: [Int]) throws {
    let statement = try prepared("UPDATE person SET age = (age + 1) % 100 WHERE id = ?")
    for identifier in identifiers {
      sqlite3_bind_int64(statement, 1, Int64(identifier))
      try step(statement, SQLITE_DONE)
      sqlite3_reset(statement)
    }
  }

  func pinAndUnpin(times: Int) throws {
    // A deferred transaction pins at its first read.
    let begin = try prepared("BEGIN")
    let read = try prepared("SELECT 1 FROM person LIMIT 1")
    let commit = try prepared("COMMIT")
    for _ in 0..<times {
      try step(begin, SQLITE_DONE)
      sqlite3_reset(begin)
      try step(read, SQLITE_ROW)
      sqlite3_reset(read)
      try step(commit, SQLITE_DONE)
      sqlite3_reset(commit)
    }
  }

  func pin() throws {
    let reader = try Self.open(files[0])
    self.reader = reader
    guard sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM person", nil, nil, nil) == SQLITE_OK
    else { throw StoreError("sqlite: \(String(cString: sqlite3_errmsg(reader)))") }
  }

  func readAge(of identifier: Int, times: Int) throws -> Int {
    let statement = try prepared("SELECT age FROM person WHERE id = ?")
    try execute("BEGIN")
    defer { try? execute("COMMIT") }
    var sum = 0
    for _ in 0..<times {
      sqlite3_bind_int64(statement, 1, Int64(identifier))
      try step(statement, SQLITE_ROW)
      sum += Int(sqlite3_column_int64(statement, 0))
      sqlite3_reset(statement)
    }
    return sum
  }

  func count(age: Int) throws -> Int {
    let statement = try prepared("SELECT count(*) FROM person WHERE age = ?")
    sqlite3_bind_int64(statement, 1, Int64(age))
    try step(statement, SQLITE_ROW)
    defer { sqlite3_reset(statement) }
    return Int(sqlite3_column_int64(statement, 0))
  }

  func sizeBytes() throws -> Int {
    if reader == nil { try execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    return try Self.size(of: files)
  }

  private func prepared(_ text: String) throws -> OpaquePointer {
    if let statement = statements[text] { return statement }
    var made: OpaquePointer?
    guard sqlite3_prepare_v2(connection, text, -1, &made, nil) == SQLITE_OK, let made else {
      throw failure()
    }
    statements[text] = made
    return made
  }

  private func step(_ statement: OpaquePointer, _ expected: Int32) throws {
    if sqlite3_step(statement) != expected { throw failure() }
  }

  private func execute(_ text: String) throws {
    if sqlite3_exec(connection, text, nil, nil, nil) != SQLITE_OK { throw failure() }
  }

  private func failure() -> StoreError {
    StoreError("sqlite: \(String(cString: sqlite3_errmsg(connection)))")
  }
}
