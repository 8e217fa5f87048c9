import Foundation
import LoopThread
import RealmSwift

extension Workload {
  static let observeObject = "observer of an object: call of write to its callback"
  static let observeAll = "observer of all, one change"
  static let observeFilter = "observer of a filter of half of them, one change"
  static let observeSorted = "observer of all, sorted, one change"
  static let firstDelivery = "first delivery of all, sorted"
}

/// Observers of large collections, in one process. The others have none.
struct ObserveWorkloads {
  let harness: Harness

  func run() throws {
    let observing = [Workload.observeAll, Workload.observeFilter, Workload.observeSorted]
      .map { Row($0, .milliseconds) }
    let first = Row(
      Workload.firstDelivery, .millisecondsPerMillion(rows: harness.records.count))
    let one = Row(Workload.observeObject, .milliseconds)
    let rows = [one] + observing + [first]
    guard rows.contains(where: { harness.wants($0.name) }) else { return }
    let folder = try harness.filledStores().folder
    try harness.compare(
      rows,
      [
        .holdfast { trial in
          // The loop that the observers live on is this thread's.
          try onOwnThread {
            let loop = UVLoop()
            defer { loop.close() }
            let realm = try Realm(
              configuration: RealmStore.configuration(RealmStore.file(in: folder), .none))
            let all = realm.objects(Person.self)
            try observe(all[all.count / 2], loop, trial, one)
            try observe(all, loop, trial, rows: (observing[0], nil))
            try observe(all.where { $0.flag == true }, loop, trial, rows: (observing[1], nil))
            try observe(all.sorted(by: \.score), loop, trial, rows: (observing[2], first))
          }
        }
      ])
  }

  private func observe(_ person: Person, _ loop: UVLoop, _ trial: Trial, _ row: Row) throws {
    var calls = 0
    let token = person.observe { (_: ObjectChange<Person>) in calls += 1 }
    defer { token.invalidate() }
    trial.add(
      row,
      try medianDelay(loop, { calls }) { _ in
        try person.realm!.write { person.age = (person.age + 1) % 100 }
      })
  }

  /// Each change is of an object that the results hold.
  private func observe(
    _ results: Results<Person>, _ loop: UVLoop, _ trial: Trial, rows: (change: Row, first: Row?)
  ) throws {
    var calls = 0
    let start = monotonicNanoseconds()
    let token = results.observe { _ in calls += 1 }
    defer { token.invalidate() }
    loop.run(until: { calls == 1 })
    if let first = rows.first {
      let taken = Double(monotonicNanoseconds() - start) / 1e9
      trial.add(first, first.measure.value(seconds: taken))
    }
    trial.add(
      rows.change,
      try medianDelay(loop, { calls }) { change in
        let person = results[(change &* 7919) % results.count]
        try results.realm!.write { person.age = (person.age + 1) % 100 }
      })
  }

  /// Milliseconds from the call of what changes something until the observer has been called.
  private func medianDelay(
    _ loop: UVLoop, _ calls: @escaping () -> Int, _ change: (Int) throws -> Void
  ) throws -> Double {
    median(
      try (0..<harness.scale.of(250, smoke: 3)).map { index in
        let calledAt = monotonicNanoseconds()
        let before = calls()
        try change(index)
        loop.run(until: { calls() > before })
        return Double(monotonicNanoseconds() - calledAt) / 1e6
      })
  }
}
