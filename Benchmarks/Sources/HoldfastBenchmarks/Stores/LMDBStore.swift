import Clmdb
import Foundation

/// LMDB with integer keys; `MDB_NOSYNC` where commits are not flushed. A value is the record's
/// fields one after another: age, score, date, flag, name.
final class LMDBStore: ReopenedStore {
  static let name = "LMDB"

  private let file: URL
  private let environment: OpaquePointer
  private let database: MDB_dbi
  private var reader: OpaquePointer?

  init(folder: URL, flushing: Flushing) throws {
    file = Self.file(in: folder)
    var made: OpaquePointer?
    try check(mdb_env_create(&made))
    guard let environment = made else { throw StoreError("lmdb: no environment") }
    self.environment = environment
    try check(mdb_env_set_mapsize(environment, 8 << 30))
    let flags = UInt32(MDB_NOSUBDIR) | (flushing == .none ? UInt32(MDB_NOSYNC) : 0)
    try check(mdb_env_open(environment, file.path(percentEncoded: false), flags, 0o644))
    var opening: OpaquePointer?
    try check(mdb_txn_begin(environment, nil, 0, &opening))
    var database = MDB_dbi()
    try check(mdb_dbi_open(opening, nil, UInt32(MDB_INTEGERKEY), &database))
    try check(mdb_txn_commit(opening))
    self.database = database
  }

  private static func file(in folder: URL) -> URL { folder.appending(path: "lmdb.db") }

  static func files(in folder: URL) -> [URL] { [file(in: folder)] }

  static func openAndRead(_ identifier: Int, in folder: URL) throws -> Int {
    try LMDBStore(folder: folder, flushing: .none).readAge(of: identifier, times: 1)
  }

  deinit {
    if let reader { mdb_txn_abort(reader) }
    mdb_env_close(environment)
  }

  func insert(_ identifiers: Range<Int>) throws {
    try write { transaction in
      for identifier in identifiers { try put(Record(identifier), transaction) }
    }
  }

  func insertOneByOne(_ identifiers: Range<Int>) throws {
    for identifier in identifiers {
      try write { transaction in try put(Record(identifier), transaction) }
    }
  }

  func update(_ identifiers: [Int]) throws {
    for identifier in identifiers {
      try write { transaction in
        let old = try get(identifier, transaction)
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: old.mv_size, alignment: 8)
        defer { copy.deallocate() }
        copy.copyMemory(from: UnsafeRawBufferPointer(start: old.mv_data, count: old.mv_size))
        let age = copy.loadUnaligned(as: Int64.self)
        copy.storeBytes(of: (age + 1) % 100, as: Int64.self)
        try put(identifier, copy, transaction)
      }
    }
  }

  func pinAndUnpin(times: Int) throws {
    var transaction: OpaquePointer?
    try check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction))
    defer { mdb_txn_abort(transaction) }
    for _ in 0..<times {
      mdb_txn_reset(transaction)
      try check(mdb_txn_renew(transaction))
    }
  }

  func pin() throws {
    try check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &reader))
  }

  func readAge(of identifier: Int, times: Int) throws -> Int {
    try read { transaction in
      var sum = 0
      for _ in 0..<times {
        let value = try get(identifier, transaction)
        sum += Int(value.mv_data.loadUnaligned(as: Int64.self))
      }
      return sum
    }
  }

  func count(age: Int) throws -> Int {
    try read { transaction in
      var cursor: OpaquePointer?
      try check(mdb_cursor_open(transaction, database, &cursor))
      defer { mdb_cursor_close(cursor) }
      var key = MDB_val()
      var value = MDB_val()
      var found = 0
      while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0 {
        if value.mv_data.loadUnaligned(as: Int64.self) == Int64(age) { found += 1 }
      }
      return found
    }
  }

  func sizeBytes() throws -> Int { try Self.size(of: [file]) }

  private func write(_ body: (OpaquePointer) throws -> Void) throws {
    var made: OpaquePointer?
    try check(mdb_txn_begin(environment, nil, 0, &made))
    guard let transaction = made else { throw StoreError("lmdb: no transaction") }
    do { try body(transaction) } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    try check(mdb_txn_commit(transaction))
  }

  private func read<R>(_ body: (OpaquePointer) throws -> R) throws -> R {
    var made: OpaquePointer?
    try check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &made))
    guard let transaction = made else { throw StoreError("lmdb: no transaction") }
    defer { mdb_txn_abort(transaction) }
    return try body(transaction)
  }

  private func get(_ identifier: Int, _ transaction: OpaquePointer) throws -> MDB_val {
    var number = identifier
    return try withUnsafeMutableBytes(of: &number) { bytes in
      var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
      var value = MDB_val()
      try check(mdb_get(transaction, database, &key, &value))
      return value
    }
  }

  private func put(_ record: Record, _ transaction: OpaquePointer) throws {
    try withUnsafeTemporaryAllocation(byteCount: 25 + record.name.utf8.count, alignment: 8) {
      $0.storeBytes(of: Int64(record.age), as: Int64.self)
      $0.storeBytes(of: record.score, toByteOffset: 8, as: Double.self)
      $0.storeBytes(of: record.date, toByteOffset: 16, as: Double.self)
      $0.storeBytes(of: record.flag, toByteOffset: 24, as: Bool.self)
      for (index, byte) in record.name.utf8.enumerated() { $0[25 + index] = byte }
      try put(record.identifier, $0, transaction)
    }
  }

  private func put(
    _ identifier: Int, _ content: UnsafeMutableRawBufferPointer, _ transaction: OpaquePointer
  ) throws {
    var number = identifier
    try withUnsafeMutableBytes(of: &number) { bytes in
      var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
      var value = MDB_val(mv_size: content.count, mv_data: content.baseAddress)
      try check(mdb_put(transaction, database, &key, &value, 0))
    }
  }
}

private func check(_ status: Int32) throws {
  if status != 0 { throw StoreError("lmdb: \(String(cString: mdb_strerror(status)))") }
}
