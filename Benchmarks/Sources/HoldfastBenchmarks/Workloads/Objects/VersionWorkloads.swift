import Clibc
import Foundation
import RealmSwift
import Synchronization

extension Workload {
  static let freezeRealm = "freeze a realm"
  static let freezeObject = "freeze an object"
  static let accessor = "make an accessor"
  static let accessorBytes = "memory of it"
  static let sharedReads = "2 readers beside a writer: reads"
  static let sharedCommits = "its commits"
  static let pinnedFirst = "commits with one reader pinned: the first tenth"
  static let pinnedLast = "the last tenth"
}

/// Several versions at a time.
struct VersionWorkloads {
  let harness: Harness

  func run() throws {
    try freeze()
    try makeAccessors()
    try share()
    try pin()
  }

  private func freeze() throws {
    let times = harness.scale.of(20_000, smoke: 20)
    let freezing = Row(Workload.freezeRealm, .microseconds(each: times))
    let object = Row(Workload.freezeObject, .microseconds(each: times))
    try harness.compare(
      [freezing, object],
      [
        .holdfast { trial in
          let store = try RealmStore(folder: trial.folder, flushing: .none)
          try store.insert(0..<1000)
          trial.time(freezing) { for _ in 0..<times { use(store.realm.freeze()) } }
          let person = try RealmStore.person(500, store.realm)
          var ages = 0
          trial.time(object) { for _ in 0..<times { ages += person.freeze().age } }
          trial.cameOut(ages)
        }
      ])
  }

  private func makeAccessors() throws {
    let stores = try harness.filledStores()
    let count = min(100_000, harness.records.count)
    let making = Row(Workload.accessor, .nanoseconds(each: count))
    let bytes = Row(Workload.accessorBytes, .amount("bytes"))
    try harness.compare(
      [making, bytes],
      [
        .holdfast { trial in
          let all = stores.realm.realm.objects(Person.self)
          var made: [Person] = []
          made.reserveCapacity(count)
          use(all[count - 1].age)
          let before = mallinfo2().uordblks
          trial.time(making) { for index in 0..<count { made.append(all[index]) } }
          trial.add(bytes, Double(mallinfo2().uordblks - before) / Double(count))
          use(made)
        }
      ])
  }

  // MARK: Beside each other

  private func share() throws {
    let seconds = harness.scale == .full ? 1 : harness.scale == .quick ? 0.3 : 0.02
    let reads = Row(Workload.sharedReads, .rate("reads/s", of: 1))
    let commits = Row(Workload.sharedCommits, .rate("commits/s", of: 1))
    func add(_ counts: (reads: Int, commits: Int), _ trial: Trial) {
      trial.add(reads, Double(counts.reads) / seconds)
      trial.add(commits, Double(counts.commits) / seconds)
    }
    let rows = min(100_000, harness.records.count)
    try harness.compare(
      [reads, commits],
      [
        .holdfast { trial in
          let store = try RealmStore(folder: trial.folder, flushing: .none)
          try store.insert(0..<rows)
          let folder = trial.folder
          add(
            try SharedWork(seconds: seconds, rows: rows).run(
              read: { identifiers in
                let file = RealmStore.file(in: folder)
                let realm = try Realm(configuration: RealmStore.configuration(file, .none))
                return {
                  realm.refresh()
                  for _ in 0..<100 {
                    use(try RealmStore.person(identifiers.next(), realm).age)
                  }
                }
              }, write: { try store.update([$0]) }), trial)
        },
        .sqlite { trial in
          let store = try SQLiteStore(folder: trial.folder, flushing: .none)
          try store.insert(0..<rows)
          let folder = trial.folder
          add(
            try SharedWork(seconds: seconds, rows: rows).run(
              read: { identifiers in
                let reader = try SQLiteStore(existing: folder)
                let lookup = try reader.statement("SELECT age FROM person WHERE id = ?")
                return {
                  try reader.read {
                    for _ in 0..<100 { use(try lookup.int(identifiers.next())) }
                  }
                }
              }, write: { try store.update([$0]) }), trial)
        },
        .lmdb { trial in
          let store = try LMDBStore(folder: trial.folder, flushing: .none)
          try store.insert(0..<rows)
          // An environment serves all threads; each transaction stays on its own.
          nonisolated(unsafe) let shared = store
          add(
            try SharedWork(seconds: seconds, rows: rows).run(
              read: { identifiers in
                return {
                  try shared.read { transaction in
                    for _ in 0..<100 {
                      use(try transaction.record(identifiers.next(), in: shared.database).age)
                    }
                  }
                }
              }, write: { try store.update([$0]) }), trial)
        },
      ])
  }

  /// How fast commits are right after a reader has pinned a version, and later.
  private func pin() throws {
    let commits = harness.scale.of(20_000, smoke: 40)
    let part = commits / 10
    let first = Row(Workload.pinnedFirst, .rate("commits/s", of: part))
    let last = Row(Workload.pinnedLast, .rate("commits/s", of: part))
    let updated = (0..<commits).map { $0 &* 7919 % 10_000 }
    let stores: [any Store.Type] = [RealmStore.self, SQLiteStore.self, LMDBStore.self]
    try harness.compare(
      [first, last],
      stores.map { type in
        Contender(name: type.name) { trial in
          let store = try type.init(folder: trial.folder, flushing: .none)
          try store.insert(0..<10_000)
          try store.pin()
          try trial.time(first) { try store.update(Array(updated[..<part])) }
          try store.update(Array(updated[part..<(commits - part)]))
          try trial.time(last) { try store.update(Array(updated[(commits - part)...])) }
          trial.cameOut(try store.count(age: 42))
        }
      })
  }
}

/// Two threads that read and one that writes, for some time.
private struct SharedWork {
  let seconds: Double
  let rows: Int

  /// Goes through all identifiers in an order of its own.
  final class Identifiers {
    private var last: Int
    private let rows: Int

    init(start: Int, rows: Int) {
      last = start
      self.rows = rows
    }

    func next() -> Int {
      last = (last &+ 7919) % rows
      return last
    }
  }

  private final class Counts: Sendable {
    let reads = Atomic(0)
    let failures = Atomic(0)
    let isOver = Atomic(false)
  }

  /// `read` is called on each reader's thread, and makes what reads a hundred there.
  func run(
    read: @escaping @Sendable (Identifiers) throws -> () throws -> Void,
    write: (Int) throws -> Void
  ) throws -> (reads: Int, commits: Int) {
    let counts = Counts()
    let threads = Threads()
    for reader in 0..<2 {
      threads.start { [rows] in
        do {
          let readHundred = try read(Identifiers(start: reader, rows: rows))
          while !counts.isOver.load(ordering: .relaxed) {
            try readHundred()
            counts.reads.add(100, ordering: .relaxed)
          }
        } catch { counts.failures.add(1, ordering: .relaxed) }
      }
    }
    defer { threads.join() }
    defer { counts.isOver.store(true, ordering: .relaxed) }
    let identifiers = Identifiers(start: 2, rows: rows)
    let end = ContinuousClock.now + .seconds(seconds)
    var commits = 0
    while ContinuousClock.now < end {
      try write(identifiers.next())
      commits += 1
    }
    if counts.failures.load(ordering: .relaxed) > 0 { throw StoreError("a reader failed") }
    return (counts.reads.load(ordering: .relaxed), commits)
  }
}
