import Foundation
import LoopThread
import RealmSwift

extension Workload {
  static let observeAll = "observer of all: call of write to its callback, one change"
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
    let rows = observing + [first]
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
            try observe(all, loop, trial, rows: (observing[0], nil))
            try observe(all.where { $0.flag == true }, loop, trial, rows: (observing[1], nil))
            try observe(all.sorted(by: \.score), loop, trial, rows: (observing[2], first))
          }
        }
      ])
  }

  /// The median over some changes, each of an object that the results hold.
  private func observe(
    _ results: Results<Person>, _ loop: UVLoop, _ trial: Trial, rows: (change: Row, first: Row?)
  ) throws {
    let realm = results.realm!
    var calls = 0
    let start = monotonicNanoseconds()
    let token = results.observe { _ in calls += 1 }
    defer { token.invalidate() }
    loop.run(until: { calls == 1 })
    if let first = rows.first {
      let taken = Double(monotonicNanoseconds() - start) / 1e9
      trial.add(first, first.measure.value(seconds: taken))
    }
    var delays: [Double] = []
    for change in 0..<harness.scale.of(50, smoke: 3) {
      let person = results[(change &* 7919) % results.count]
      let calledAt = monotonicNanoseconds()
      let before = calls
      try realm.write { person.age = (person.age + 1) % 100 }
      loop.run(until: { calls > before })
      delays.append(Double(monotonicNanoseconds() - calledAt) / 1e6)
    }
    trial.add(rows.change, median(delays))
  }
}
