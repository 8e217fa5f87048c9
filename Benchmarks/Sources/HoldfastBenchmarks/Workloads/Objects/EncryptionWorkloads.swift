import Foundation
import RealmSwift

/// What an encrypted file costs beside a plain one. The other stores have no encryption.
struct EncryptionWorkloads {
  let harness: Harness

  private static let key = Data((0..<64).map { UInt8($0) })
  private var rows: Int { harness.records.count }
  private var commits: Int { harness.scale.of(50_000, smoke: 100) }
  private var durableCommits: Int { harness.scale.of(500, smoke: 20) }

  /// The rows of one kind of file.
  private struct Rows {
    let insert, unflushed, durable, firstRead, lookup, iterate, size: Row
    let key: Data?

    var all: [Row] { [insert, unflushed, durable, firstRead, lookup, iterate, size] }
  }

  func run() throws {
    let kinds = [rows("plain", nil), rows("encrypted", Self.key)]
    try harness.compare(
      kinds.flatMap(\.all),
      [
        .holdfast { trial in
          for kind in kinds {
            let folder = trial.folder.appending(path: kind.key == nil ? "plain" : "encrypted")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try write(trial, kind, folder)
            try read(trial, kind, folder)
          }
        }
      ])
  }

  private func rows(_ kind: String, _ key: Data?) -> Rows {
    Rows(
      insert: Row("\(kind): insert 1 M in one transaction", .rate("objects/s", of: rows)),
      unflushed: Row(
        "\(kind): insert 1 object a commit, unflushed", .rate("commits/s", of: commits)),
      durable: Row(
        "\(kind): insert 1 object a commit, flushed", .rate("commits/s", of: durableCommits)),
      firstRead: Row("\(kind): first read of all objects", .millisecondsPerMillion(rows: rows)),
      lookup: Row("\(kind): look up by primary key and read an Int", .rate("ops/s", of: rows / 2)),
      iterate: Row("\(kind): iterate results and read an Int", .nanoseconds(each: rows)),
      size: Row("\(kind): file size of an object", .amount("bytes")), key: key)
  }

  private func write(_ trial: Trial, _ kind: Rows, _ folder: URL) throws {
    let store = try RealmStore(folder: folder, key: kind.key)
    try trial.time(kind.insert) { try store.insert(0..<rows) }
    trial.add(kind.size, Double(try store.sizeBytes()) / Double(rows))
    try trial.time(kind.unflushed) { try store.insertOneByOne(rows..<rows + commits) }
    let other = folder.appending(path: "flushed")
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
    let flushed = try RealmStore(folder: other, flushing: .everyCommit, key: kind.key)
    try trial.time(kind.durable) { try flushed.insertOneByOne(0..<durableCommits) }
  }

  /// In a realm that is opened anew, so that nothing has been verified or decrypted.
  private func read(_ trial: Trial, _ kind: Rows, _ folder: URL) throws {
    let store = try RealmStore(folder: folder, key: kind.key)
    func sum() -> Int {
      var sum = 0
      for person in store.realm.objects(Person.self) { sum &+= person.age }
      return sum
    }
    trial.cameOut(trial.time(kind.firstRead, sum))
    trial.cameOut(trial.time(kind.iterate, sum))
    var found = 0
    try trial.time(kind.lookup) {
      for index in 0..<rows / 2 {
        found &+= try RealmStore.person(index &* 7919 % rows, store.realm).age
      }
    }
    trial.cameOut(found)
  }
}
