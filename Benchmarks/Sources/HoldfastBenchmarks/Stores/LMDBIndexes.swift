import Clmdb

/// Two tables that lead from a property's values to identifiers.
struct LMDBIndexes {
  let byAge, byName: MDB_dbi

  init(_ store: LMDBStore) throws {
    byAge = try store.open(
      "by_age", flags: MDB_INTEGERKEY | MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)
    byName = try store.open("by_name", flags: MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)
  }

  func insert(_ record: Record, _ transaction: LMDBTransaction) throws {
    try insertAge(record, transaction)
    try insertName(record, transaction)
  }

  func insertAge(_ record: Record, _ transaction: LMDBTransaction) throws {
    try withUnsafeBytes(of: record.identifier) { identifier in
      try transaction.put(identifier, at: record.age, in: byAge)
    }
  }

  func insertName(_ record: Record, _ transaction: LMDBTransaction) throws {
    var name = record.name
    try name.withUTF8 { name in
      try withUnsafeBytes(of: record.identifier) { identifier in
        try transaction.put(identifier, at: UnsafeRawBufferPointer(name), in: byName)
      }
    }
  }

  func count(age: Int, _ cursor: OpaquePointer) throws -> Int {
    guard try move(cursor, to: age) != nil else { return 0 }
    var count = 0
    try check(mdb_cursor_count(cursor, &count))
    return count
  }

  func forEach(age: Int, _ cursor: OpaquePointer, _ body: (Int) throws -> Void) throws {
    guard let first = try move(cursor, to: age) else { return }
    try body(first)
    var key = MDB_val()
    var value = MDB_val()
    while mdb_cursor_get(cursor, &key, &value, MDB_NEXT_DUP) == 0 {
      try body(value.bytes.loadUnaligned(as: Int.self))
    }
  }

  /// The first identifier of that age.
  private func move(_ cursor: OpaquePointer, to age: Int) throws -> Int? {
    try withUnsafeBytes(of: age) { bytes in
      var key = MDB_val(bytes)
      var value = MDB_val()
      let status = mdb_cursor_get(cursor, &key, &value, MDB_SET_KEY)
      if status == MDB_NOTFOUND { return nil }
      try check(status)
      return value.bytes.loadUnaligned(as: Int.self)
    }
  }

  func find(name: String, _ transaction: LMDBTransaction) throws -> Int {
    var name = name
    return try name.withUTF8 { name in
      var key = MDB_val(UnsafeRawBufferPointer(name))
      var value = MDB_val()
      try check(mdb_get(transaction.handle, byName, &key, &value))
      return value.bytes.loadUnaligned(as: Int.self)
    }
  }
}

// MARK: Of what is stored already

extension LMDBIndexes {
  /// Sorted first, so that each goes to the end.
  func buildAges(_ store: LMDBStore) throws {
    try store.write { transaction in
      var entries: [(age: Int, identifier: Int)] = []
      try transaction.forEach(in: store.database) { entries.append(($1.age, $0)) }
      entries.sort { $0 < $1 }
      for (age, identifier) in entries {
        try withUnsafeBytes(of: identifier) {
          try transaction.put($0, at: age, in: byAge, flags: MDB_APPENDDUP)
        }
      }
    }
  }

  func buildNames(_ store: LMDBStore) throws {
    try store.write { transaction in
      var entries: [(name: UnsafeRawBufferPointer, identifier: Int)] = []
      // Records stay where they are while another table grows.
      try transaction.forEach(in: store.database) { entries.append(($1.name, $0)) }
      entries.sort { BytewiseOrder($0.name) < BytewiseOrder($1.name) }
      for (name, identifier) in entries {
        try withUnsafeBytes(of: identifier) {
          try transaction.put($0, at: name, in: byName, flags: MDB_APPENDDUP)
        }
      }
    }
  }

  func count(name: String, _ transaction: LMDBTransaction) throws -> Int {
    try transaction.withCursor(in: byName) { cursor in
      var name = name
      return try name.withUTF8 { name in
        var key = MDB_val(UnsafeRawBufferPointer(name))
        var value = MDB_val()
        try check(mdb_cursor_get(cursor, &key, &value, MDB_SET_KEY))
        var count = 0
        try check(mdb_cursor_count(cursor, &count))
        return count
      }
    }
  }
}
