import Foundation

/// All stores, with the same records in them. Work that changes them changes all of them alike.
final class FilledStores {
  let folder: URL
  let realm: RealmStore
  let sqlite: SQLiteStore
  let lmdb: LMDBStore

  init(folder: URL, records: [Record]) throws {
    self.folder = folder
    realm = try RealmStore(folder: folder, flushing: .none)
    sqlite = try SQLiteStore(folder: folder, flushing: .none)
    lmdb = try LMDBStore(folder: folder, flushing: .none)
    try realm.insert(records)
    try sqlite.insert(records)
    try lmdb.insert(records)
  }
}

extension RealmStore {
  func insert(_ records: [Record]) throws {
    try realm.write { for record in records { realm.add(Person(record)) } }
  }
}

extension SQLiteStore {
  func insert(_ records: [Record]) throws {
    let insertion = try SQLiteInsertion(self)
    try write { for record in records { try insertion.insert(record) } }
  }
}

extension LMDBStore {
  func insert(_ records: [Record], flags: Int32 = 0) throws {
    try write { for record in records { try $0.put(record, in: database, flags: flags) } }
  }
}
