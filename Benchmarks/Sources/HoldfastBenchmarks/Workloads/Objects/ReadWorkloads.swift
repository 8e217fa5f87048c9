import Foundation
import RealmSwift

extension Workload {
  static let lookup = "look up by primary key and read an Int"
  static let readInt = "read an Int of one object"
  static let readString = "read a String of one object"
  static let readIntHeld = "read an Int of 1,000 held objects"
  static let readStringHeld = "read a String of 1,000 held objects"
  static let iterate = "iterate results and read an Int"
  static let sumInt = "sum an Int"
  static let sumDouble = "sum a Double"
}

/// Reading objects that are known, and all of them. Where ours are held the others look up each
/// time: nothing of theirs stays current from one transaction to the next.
struct ReadWorkloads {
  let harness: Harness

  private var rows: Int { harness.records.count }

  func run() throws {
    try lookUp()
    let one = [rows / 2]
    let held = (0..<1000).map { $0 &* 7919 % rows }
    let times = harness.scale.of(2_000_000, smoke: 1000)
    try readInts(Workload.readInt, of: one, times: times)
    try readInts(Workload.readIntHeld, of: held, times: times)
    try readStrings(Workload.readString, of: one, times: times)
    try readStrings(Workload.readStringHeld, of: held, times: times)
    try iterate()
    try sum()
  }

  private func lookUp() throws {
    let stores = try harness.filledStores()
    let times = harness.scale.of(500_000, smoke: 1000)
    let row = Row(Workload.lookup, .rate("ops/s", of: times))
    let wanted = (0..<times).map { $0 &* 7919 % rows }
    try harness.compare(
      [row],
      [
        .holdfast { trial in
          var sum = 0
          try trial.time(row) {
            for id in wanted { sum += try RealmStore.person(id, stores.realm.realm).age }
          }
          trial.cameOut(sum)
        },
        .sqlite { trial in
          let lookup = try stores.sqlite.statement("SELECT age FROM person WHERE id = ?")
          var sum = 0
          try trial.time(row) {
            try stores.sqlite.read { for id in wanted { sum += try lookup.int(id) } }
          }
          trial.cameOut(sum)
        },
        .lmdb { trial in
          let table = stores.lmdb.database
          var sum = 0
          try trial.time(row) {
            try stores.lmdb.read { for id in wanted { sum += try $0.record(id, in: table).age } }
          }
          trial.cameOut(sum)
        },
      ])
  }

  private func readInts(_ name: String, of identifiers: [Int], times: Int) throws {
    let stores = try harness.filledStores()
    let row = Row(name, .nanoseconds(each: times))
    let rounds = times / identifiers.count
    try harness.compare(
      [row],
      [
        .holdfast { trial in
          let held = try identifiers.map { try RealmStore.person($0, stores.realm.realm) }
          var sum = 0
          trial.time(row) { for _ in 0..<rounds { for person in held { sum &+= person.age } } }
          trial.cameOut(sum)
        },
        .sqlite { trial in
          let lookup = try stores.sqlite.statement("SELECT age FROM person WHERE id = ?")
          var sum = 0
          try stores.sqlite.read {
            try trial.time(row) {
              for _ in 0..<rounds { for id in identifiers { sum &+= try lookup.int(id) } }
            }
          }
          trial.cameOut(sum)
        },
        .lmdb { trial in
          let table = stores.lmdb.database
          try stores.lmdb.read { transaction in
            var sum = 0
            try trial.time(row) {
              for _ in 0..<rounds {
                for id in identifiers { sum &+= try transaction.record(id, in: table).age }
              }
            }
            trial.cameOut(sum)
          }
        },
      ])
  }

  /// Each makes a string of its language.
  private func readStrings(_ name: String, of identifiers: [Int], times: Int) throws {
    let stores = try harness.filledStores()
    let row = Row(name, .nanoseconds(each: times))
    let rounds = times / identifiers.count
    try harness.compare(
      [row],
      [
        .holdfast { trial in
          let held = try identifiers.map { try RealmStore.person($0, stores.realm.realm) }
          var sum = 0
          trial.time(row) {
            for _ in 0..<rounds { for person in held { sum &+= person.name.utf8.count } }
          }
          trial.cameOut(sum)
        },
        .sqlite { trial in
          let lookup = try stores.sqlite.statement("SELECT name FROM person WHERE id = ?")
          var sum = 0
          try stores.sqlite.read {
            try trial.time(row) {
              for _ in 0..<rounds {
                for id in identifiers {
                  lookup.bind(id, at: 1)
                  _ = try lookup.step()
                  sum &+= lookup.textColumn(0).utf8.count
                  lookup.reset()
                }
              }
            }
          }
          trial.cameOut(sum)
        },
        .lmdb { trial in
          try stores.lmdb.read { transaction in
            let table = stores.lmdb.database
            var sum = 0
            try trial.time(row) {
              for _ in 0..<rounds {
                for id in identifiers {
                  let name = try transaction.record(id, in: table).name
                  sum &+= String(decoding: name, as: UTF8.self).utf8.count
                }
              }
            }
            trial.cameOut(sum)
          }
        },
      ])
  }

  private func iterate() throws {
    let stores = try harness.filledStores()
    let row = Row(Workload.iterate, .nanoseconds(each: rows))
    try harness.compare(
      [row],
      [
        .holdfast { trial in
          var sum = 0
          trial.time(row) {
            for person in stores.realm.realm.objects(Person.self) { sum &+= person.age }
          }
          trial.cameOut(sum)
        },
        .sqlite { trial in
          let all = try stores.sqlite.statement("SELECT age FROM person")
          var sum = 0
          try trial.time(row) { while try all.step() { sum &+= all.intColumn(0) } }
          trial.cameOut(sum)
        },
        .lmdb { trial in
          var sum = 0
          try trial.time(row) {
            try stores.lmdb.read {
              try $0.forEach(in: stores.lmdb.database) { _, record in sum &+= record.age }
            }
          }
          trial.cameOut(sum)
        },
      ])
  }

  private func sum() throws {
    let stores = try harness.filledStores()
    let ints = Row(Workload.sumInt, .millisecondsPerMillion(rows: rows))
    let doubles = Row(Workload.sumDouble, .millisecondsPerMillion(rows: rows))
    // Sums of doubles depend on the order in their last digits.
    try harness.compare(
      [ints, doubles],
      [
        .holdfast { trial in
          let all = stores.realm.realm.objects(Person.self)
          trial.timeRepeatedly(ints) { all.sum(of: \.age) }
          trial.timeRepeatedly(doubles) { Int((all.sum(of: \.score) as Double).rounded()) }
        },
        .sqlite { trial in
          let ages = try stores.sqlite.statement("SELECT sum(age) FROM person")
          let scores = try stores.sqlite.statement("SELECT sum(score) FROM person")
          try trial.timeRepeatedly(ints) { try ages.int() }
          try trial.timeRepeatedly(doubles) {
            _ = try scores.step()
            defer { scores.reset() }
            return Int(scores.doubleColumn(0).rounded())
          }
        },
        .lmdb { trial in
          let table = stores.lmdb.database
          try stores.lmdb.read { transaction in
            try trial.timeRepeatedly(ints) {
              var sum = 0
              try transaction.forEach(in: table) { _, record in sum += record.age }
              return sum
            }
            try trial.timeRepeatedly(doubles) {
              var sum = 0.0
              try transaction.forEach(in: table) { _, record in sum += record.score }
              return Int(sum.rounded())
            }
          }
        },
      ])
  }
}
