import Csqlite3

/// A prepared statement of a store, which owns it.
struct SQLiteStatement {
  private let handle: OpaquePointer

  init(_ handle: OpaquePointer) { self.handle = handle }

  func bind(_ value: Int, at index: Int32) { sqlite3_bind_int64(handle, index, Int64(value)) }
  func bind(_ value: Double, at index: Int32) { sqlite3_bind_double(handle, index, value) }

  /// The text has to be there until the statement is done.
  func bindWithoutCopy(_ text: UnsafeBufferPointer<UInt8>, at index: Int32) {
    _ = text.withMemoryRebound(to: CChar.self) {
      sqlite3_bind_text(handle, index, $0.baseAddress, Int32($0.count), nil)
    }
  }

  /// Copied by SQLite: the string may go before the statement is done.
  func bind(_ value: String, at index: Int32) {
    var value = value
    value.withUTF8 { utf8 in
      _ = utf8.withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text(
          handle, index, $0.baseAddress, Int32($0.count),
          unsafeBitCast(-1, to: sqlite3_destructor_type.self))
      }
    }
  }

  /// Steps to the next row; false, and ready for another time, if there is none.
  func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      sqlite3_reset(handle)
      return false
    default:
      let message = String(cString: sqlite3_errmsg(sqlite3_db_handle(handle)))
      sqlite3_reset(handle)
      throw StoreError("sqlite: \(message)")
    }
  }

  func reset() { sqlite3_reset(handle) }

  func intColumn(_ index: Int32) -> Int { Int(sqlite3_column_int64(handle, index)) }
  func doubleColumn(_ index: Int32) -> Double { sqlite3_column_double(handle, index) }
  func textColumn(_ index: Int32) -> String { String(cString: sqlite3_column_text(handle, index)) }

  // MARK: All at once

  /// Runs to the end; rows are left alone.
  func run() throws { while try step() {} }

  func run(_ first: Int) throws {
    bind(first, at: 1)
    try run()
  }

  /// The integer in the only row.
  func int() throws -> Int {
    guard try step() else { throw StoreError("sqlite: no row") }
    defer { reset() }
    return intColumn(0)
  }

  func int(_ first: Int) throws -> Int {
    bind(first, at: 1)
    return try int()
  }
}

/// Puts records into the table `person`, or another of its form.
struct SQLiteInsertion {
  private let statement: SQLiteStatement

  init(_ store: SQLiteStore, table: String = "person") throws {
    statement = try store.statement("INSERT INTO \(table) VALUES (?, ?, ?, ?, ?, ?)")
  }

  func insert(_ record: Record) throws {
    statement.bind(record.identifier, at: 1)
    statement.bind(record.age, at: 3)
    statement.bind(record.score, at: 4)
    statement.bind(record.date, at: 5)
    statement.bind(record.flag ? 1 : 0, at: 6)
    var name = record.name
    try name.withUTF8 {
      statement.bindWithoutCopy($0, at: 2)
      try statement.run()
    }
  }
}
