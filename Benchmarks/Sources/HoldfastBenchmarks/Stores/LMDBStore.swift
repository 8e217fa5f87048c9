import Clmdb
import Foundation

/// LMDB with integer keys; `MDB_NOSYNC` where commits are not flushed. A value is the record's
/// fields one after another: age, score, date, flag, name.
final class LMDBStore: ReopenedStore {
  static let name = "LMDB"

  private let file: URL
  let environment: OpaquePointer
  /// Records by their identifiers.
  let database: MDB_dbi
  private var reader: OpaquePointer?

  init(folder: URL, flushing: Flushing) throws {
    file = Self.file(in: folder)
    var made: OpaquePointer?
    try check(mdb_env_create(&made))
    guard let environment = made else { throw StoreError("lmdb: no environment") }
    self.environment = environment
    try check(mdb_env_set_mapsize(environment, 8 << 30))
    try check(mdb_env_set_maxdbs(environment, 8))
    // Without thread-local readers, so that one thread can keep a version while it reads another.
    let flags =
      UInt32(MDB_NOSUBDIR) | UInt32(MDB_NOTLS) | (flushing == .none ? UInt32(MDB_NOSYNC) : 0)
    try check(mdb_env_open(environment, file.path(percentEncoded: false), flags, 0o644))
    var opening: OpaquePointer?
    try check(mdb_txn_begin(environment, nil, 0, &opening))
    var database = MDB_dbi()
    try check(
      mdb_dbi_open(opening, "person", UInt32(MDB_INTEGERKEY) | UInt32(MDB_CREATE), &database))
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
      for identifier in identifiers { try transaction.put(Record(identifier), in: database) }
    }
  }

  func insertOneByOne(_ identifiers: Range<Int>) throws {
    for identifier in identifiers {
      try write { try $0.put(Record(identifier), in: database) }
    }
  }

  func update(_ identifiers: [Int]) throws {
    for identifier in identifiers { try write { try increaseAge(of: identifier, $0) } }
  }

  func increaseAge(of identifier: Int, _ transaction: LMDBTransaction) throws {
    let old = try transaction.record(identifier, in: database).bytes
    try withUnsafeTemporaryAllocation(byteCount: old.count, alignment: 8) { copy in
      copy.copyMemory(from: old)
      let age = copy.loadUnaligned(as: Int64.self)
      copy.storeBytes(of: (age + 1) % 100, as: Int64.self)
      try transaction.put(UnsafeRawBufferPointer(copy), at: identifier, in: database)
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
      for _ in 0..<times { sum += try transaction.record(identifier, in: database).age }
      return sum
    }
  }

  func count(age: Int) throws -> Int {
    try read { try $0.count(in: database) { $0.age == age } }
  }

  func sizeBytes() throws -> Int { try Self.size(of: [file]) }

  func write(_ body: (LMDBTransaction) throws -> Void) throws {
    let transaction = try LMDBTransaction(environment, isReading: false)
    do { try body(transaction) } catch {
      transaction.end()
      throw error
    }
    try transaction.commit()
  }

  func read<R>(_ body: (LMDBTransaction) throws -> R) throws -> R {
    let transaction = try LMDBTransaction(environment, isReading: true)
    defer { transaction.end() }
    return try body(transaction)
  }

  /// One more table of the store.
  func open(_ name: String, flags: Int32) throws -> MDB_dbi {
    var table = MDB_dbi()
    try write {
      try check(
        mdb_dbi_open($0.handle, name, UInt32(bitPattern: flags) | UInt32(MDB_CREATE), &table))
    }
    return table
  }
}
