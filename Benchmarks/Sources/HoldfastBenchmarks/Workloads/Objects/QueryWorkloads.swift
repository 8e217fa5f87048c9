import Clibc
import Foundation
import RealmSwift

extension Workload {
  static let countIntEqual = "count, Int =="
  static let countIntGreater = "count, Int >"
  static let countDouble = "count, Double >"
  static let countDoubleAndBool = "count, Double > and Bool =="
  static let countDate = "count, Date >"
  static let countString = "count, String =="
  static let countContains = "count, String contains"
  static let countBegins = "count, String begins with"
  static let countContainsAnyCase = "count, String contains[c]"
  static let countProperties = "count, property against property"
}

/// Counts over all records, where no index helps.
struct QueryWorkloads {
  let harness: Harness

  func run() throws {
    let name = harness.records[harness.records.count / 3].name
    let date = 600_000_000 + Double(harness.records.count / 2)
    try count(Workload.countIntEqual, "age = 42", { $0.age == 42 }) { $0.age == 42 }
    try count(Workload.countIntGreater, "age > 42", { $0.age > 42 }) { $0.age > 42 }
    try count(Workload.countDouble, "score > 0.5", { $0.score > 0.5 }) { $0.score > 0.5 }
    try count(
      Workload.countDoubleAndBool, "score > 0.5 AND flag = 1",
      { $0.score > 0.5 && $0.flag == true }
    ) { $0.score > 0.5 && $0.flag }
    let day = Date(timeIntervalSinceReferenceDate: date)
    try count(Workload.countDate, "date > \(date)", { $0.date > day }) { $0.date > date }
    let bytes = Array(name.utf8)
    try count(Workload.countString, "name = '\(name)'", { $0.name == name }) { record in
      record.name.count == bytes.count && memcmp(record.name.baseAddress!, bytes, bytes.count) == 0
    }
    try count(Workload.countContains, "instr(name, '77') > 0", { $0.name.contains("77") }) {
      memmem($0.name.baseAddress!, $0.name.count, "77", 2) != nil
    }
    // SQLite compares by bytes only with GLOB; LIKE ignores the case.
    try count(
      Workload.countBegins, "name GLOB 'Person 77*'", { $0.name.starts(with: "Person 77") }
    ) { $0.name.count >= 9 && memcmp($0.name.baseAddress!, "Person 77", 9) == 0 }
    try count(
      Workload.countContainsAnyCase, "name LIKE '%SON 77%'",
      { $0.name.contains("SON 77", options: .caseInsensitive) }, nil)
    try count(Workload.countProperties, "age > id", { $0.age > $0.id }, keyed: { $1.age > $0 })
  }

  private func count(
    _ name: String, _ condition: String,
    _ query: @escaping (Query<Person>) -> Query<Bool>,
    _ isIncluded: ((LMDBRecord) -> Bool)? = nil,
    keyed: ((Int, LMDBRecord) -> Bool)? = nil
  ) throws {
    let stores = try harness.filledStores()
    let row = Row(name, .rate("rows/s", of: harness.records.count))
    var contenders: [Contender] = [
      .holdfast { trial in
        trial.timeRepeatedly(row) {
          stores.realm.realm.objects(Person.self).where(query).count
        }
      },
      .sqlite { trial in
        let count = try stores.sqlite.statement("SELECT count(*) FROM person WHERE \(condition)")
        try trial.timeRepeatedly(row) { try count.int() }
      },
    ]
    let table = stores.lmdb.database
    if let isIncluded {
      contenders.append(
        .lmdb { trial in
          try stores.lmdb.read { transaction in
            try trial.timeRepeatedly(row) { try transaction.count(in: table, isIncluded) }
          }
        })
    }
    if let keyed {
      contenders.append(
        .lmdb { trial in
          try stores.lmdb.read { transaction in
            try trial.timeRepeatedly(row) {
              var found = 0
              try transaction.forEach(in: table) { if keyed($0, $1) { found += 1 } }
              return found
            }
          }
        })
    }
    try harness.compare([row], contenders)
  }
}
