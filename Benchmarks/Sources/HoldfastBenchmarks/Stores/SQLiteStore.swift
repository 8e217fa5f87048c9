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

  /// Another connection, to a store that is there already; nothing it writes is flushed.
  convenience init(existing folder: URL) throws {
    try self.init(opened: Self.files(in: folder))
    try execute("PRAGMA synchronous = OFF")
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
    // Connections beside each other wait for a moment instead of failing.
    sqlite3_busy_timeout(opened, 10_000)
    return opened
  }

  func insert(_ identifiers: Range<Int>) throws {
    let insertion = try SQLiteInsertion(self)
    try write { for identifier in identifiers { try insertion.insert(Record(identifier)) } }
  }

  func insertOneByOne(_ identifiers: Range<Int>) throws {
    let insertion = try SQLiteInsertion(self)
    for identifier in identifiers { try insertion.insert(Record(identifier)) }
  }

  /// Does it all in one transaction.
  func write(_ body: () throws -> Void) throws {
    try execute("BEGIN IMMEDIATE")
    try body()
    try execute("COMMIT")
  }

  /// Reads in one transaction.
  func read(_ body: () throws -> Void) throws {
    try execute("BEGIN")
    defer { try? execute("COMMIT") }
    try body()
  }

  func update(_ identifiers: [Int]) throws {
    let update = try statement("UPDATE person SET age = (age + 1) % 100 WHERE id = ?")
    for identifier in identifiers { try update.run(identifier) }
  }

  func pinAndUnpin(times: Int) throws {
    // A deferred transaction pins at its first read.
    let begin = try statement("BEGIN")
    let read = try statement("SELECT 1 FROM person LIMIT 1")
    let commit = try statement("COMMIT")
    for _ in 0..<times {
      try begin.run()
      use(try read.int())
      try commit.run()
    }
  }

  func pin() throws {
    let reader = try Self.open(files[0])
    self.reader = reader
    guard sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM person", nil, nil, nil) == SQLITE_OK
    else { throw StoreError("sqlite: \(String(cString: sqlite3_errmsg(reader)))") }
  }

  func readAge(of identifier: Int, times: Int) throws -> Int {
    let lookup = try statement("SELECT age FROM person WHERE id = ?")
    try execute("BEGIN")
    defer { try? execute("COMMIT") }
    var sum = 0
    for _ in 0..<times { sum += try lookup.int(identifier) }
    return sum
  }

  func count(age: Int) throws -> Int {
    try statement("SELECT count(*) FROM person WHERE age = ?").int(age)
  }

  func sizeBytes() throws -> Int {
    if reader == nil { try execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    return try Self.size(of: files)
  }

  /// Prepared once.
  func statement(_ text: String) throws -> SQLiteStatement {
    if let statement = statements[text] { return SQLiteStatement(statement) }
    var made: OpaquePointer?
    guard sqlite3_prepare_v2(connection, text, -1, &made, nil) == SQLITE_OK, let made else {
      throw StoreError("sqlite: \(String(cString: sqlite3_errmsg(connection)))")
    }
    statements[text] = made
    return SQLiteStatement(made)
  }

  func execute(_ text: String) throws {
    if sqlite3_exec(connection, text, nil, nil, nil) != SQLITE_OK {
      throw StoreError("sqlite: \(String(cString: sqlite3_errmsg(connection)))")
    }
  }
}
