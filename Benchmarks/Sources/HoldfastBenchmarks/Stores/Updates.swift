import Clmdb
import Foundation
import RealmSwift

extension SQLiteStore {
  static let increaseAge = "UPDATE person SET age = (age + 1) % 100"
}

extension RealmStore {
  /// Updates objects in one transaction.
  func update(together identifiers: [Int]) throws {
    try realm.write {
      for identifier in identifiers {
        let person = try Self.person(identifier, realm)
        person.age = (person.age + 1) % 100
      }
    }
  }

  func updateAll() throws {
    try realm.write {
      for person in realm.objects(Person.self) { person.age = (person.age + 1) % 100 }
    }
  }
}

extension LMDBStore {
  func updateAll() throws {
    try write { transaction in
      try transaction.withCursor(in: database) { cursor in
        var key = MDB_val()
        var value = MDB_val()
        while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0 {
          try withUnsafeTemporaryAllocation(byteCount: value.mv_size, alignment: 8) { copy in
            copy.copyMemory(from: value.bytes)
            let age = copy.loadUnaligned(as: Int64.self)
            copy.storeBytes(of: (age + 1) % 100, as: Int64.self)
            var changed = MDB_val(UnsafeRawBufferPointer(copy))
            try check(mdb_cursor_put(cursor, &key, &changed, UInt32(MDB_CURRENT)))
          }
        }
      }
    }
  }
}
