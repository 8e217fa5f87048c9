import Clmdb
import Foundation

/// A record as LMDB keeps it: age, score, date, flag, name, one after another. Good until the
/// transaction ends, or writes.
struct LMDBRecord {
  let bytes: UnsafeRawBufferPointer

  var age: Int { Int(bytes.loadUnaligned(as: Int64.self)) }
  var score: Double { bytes.loadUnaligned(fromByteOffset: 8, as: Double.self) }
  var date: Double { bytes.loadUnaligned(fromByteOffset: 16, as: Double.self) }
  var flag: Bool { bytes[24] != 0 }
  /// The name in UTF-8.
  var name: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[25...]) }
}

/// A transaction. Keys are integers unless said otherwise.
struct LMDBTransaction {
  let handle: OpaquePointer

  init(_ environment: OpaquePointer, isReading: Bool) throws {
    var made: OpaquePointer?
    try check(mdb_txn_begin(environment, nil, isReading ? UInt32(MDB_RDONLY) : 0, &made))
    guard let made else { throw StoreError("lmdb: no transaction") }
    handle = made
  }

  func commit() throws { try check(mdb_txn_commit(handle)) }
  func end() { mdb_txn_abort(handle) }

  func record(_ identifier: Int, in table: MDB_dbi) throws -> LMDBRecord {
    var number = identifier
    return try withUnsafeMutableBytes(of: &number) { bytes in
      var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
      var value = MDB_val()
      try check(mdb_get(handle, table, &key, &value))
      return LMDBRecord(bytes: value.bytes)
    }
  }

  func put(_ record: Record, in table: MDB_dbi, flags: Int32 = 0) throws {
    var record = record
    let identifier = record.identifier
    try record.name.withUTF8 { [record] name in
      try withUnsafeTemporaryAllocation(byteCount: 25 + name.count, alignment: 8) { content in
        content.storeBytes(of: Int64(record.age), as: Int64.self)
        content.storeBytes(of: record.score, toByteOffset: 8, as: Double.self)
        content.storeBytes(of: record.date, toByteOffset: 16, as: Double.self)
        content.storeBytes(of: record.flag, toByteOffset: 24, as: Bool.self)
        content[25...].copyBytes(from: name)
        try put(UnsafeRawBufferPointer(content), at: identifier, in: table, flags: flags)
      }
    }
  }

  func put(
    _ content: UnsafeRawBufferPointer, at identifier: Int, in table: MDB_dbi, flags: Int32 = 0
  ) throws {
    var number = identifier
    try withUnsafeBytes(of: &number) { try put(content, at: $0, in: table, flags: flags) }
  }

  func put(
    _ content: UnsafeRawBufferPointer, at key: UnsafeRawBufferPointer, in table: MDB_dbi,
    flags: Int32 = 0
  ) throws {
    var key = MDB_val(key)
    var value = MDB_val(content)
    try check(mdb_put(handle, table, &key, &value, UInt32(bitPattern: flags)))
  }

  /// Calls `body` with each record, in the order of keys.
  @inline(__always)
  func forEach(in table: MDB_dbi, _ body: (Int, LMDBRecord) throws -> Void) throws {
    try withCursor(in: table) { cursor in
      var key = MDB_val()
      var value = MDB_val()
      while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0 {
        try body(key.bytes.loadUnaligned(as: Int.self), LMDBRecord(bytes: value.bytes))
      }
    }
  }

  @inline(__always)
  func count(in table: MDB_dbi, _ isIncluded: (LMDBRecord) -> Bool) throws -> Int {
    var found = 0
    try forEach(in: table) { _, record in if isIncluded(record) { found += 1 } }
    return found
  }

  func withCursor<R>(in table: MDB_dbi, _ body: (OpaquePointer) throws -> R) throws -> R {
    var made: OpaquePointer?
    try check(mdb_cursor_open(handle, table, &made))
    guard let cursor = made else { throw StoreError("lmdb: no cursor") }
    defer { mdb_cursor_close(cursor) }
    return try body(cursor)
  }
}

extension MDB_val {
  init(_ bytes: UnsafeRawBufferPointer) {
    self.init(
      mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
}

func check(_ status: Int32) throws {
  if status != 0 { throw StoreError("lmdb: \(String(cString: mdb_strerror(status)))") }
}

/// Strings in the order of their bytes, where they are.
struct BytewiseOrder: Comparable {
  private let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  private static func order(_ left: Self, _ right: Self) -> Int {
    guard let first = left.bytes.baseAddress, let second = right.bytes.baseAddress else {
      return left.bytes.count - right.bytes.count
    }
    let order = memcmp(first, second, min(left.bytes.count, right.bytes.count))
    return order == 0 ? left.bytes.count - right.bytes.count : Int(order)
  }

  static func < (left: Self, right: Self) -> Bool { order(left, right) < 0 }
  static func == (left: Self, right: Self) -> Bool { order(left, right) == 0 }
}
