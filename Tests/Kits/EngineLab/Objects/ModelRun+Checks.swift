import Foundation
import ObjectStore
import Storage
import Synchronization

// What is looked at between transactions.
extension ModelRun {
  func view(_ snapshot: Snapshot) throws -> StoreView {
    StoreView(
      source: snapshot.source, root: snapshot.root,
      schema: try schemas.schema(snapshot.root, in: snapshot.source).description)
  }

  /// The transaction sees what it has done.
  func checkWithin(_ objects: ObjectTransaction) throws {
    let view = objects.view
    try StoreComparison.requireEqual(operations.model, view)
    try QueryCheck.run(1, operations.model, view, &chance)
    counts.queries += 1
  }

  func pin() throws {
    let snapshot = try database.pinNewest()
    noteVersions(upTo: snapshot.version)
    let view = try view(snapshot)
    var generator = QueryGenerator(random: chance, model: operations.model)
    let watched = try (0..<2).map { _ in
      try WatchedResults(generator.query(), operations.model, view)
    }
    chance = generator.random
    pins.append(Pinned(snapshot: snapshot, model: operations.model, watched: watched))
  }

  func checkNewest() throws {
    let snapshot = try database.pinNewest()
    try checkWhole(snapshot, operations.model)
    try QueryCheck.run(settings.queries, operations.model, try view(snapshot), &chance)
    counts.queries += settings.queries
  }

  private func checkWhole(_ snapshot: Snapshot, _ model: StoreModel) throws {
    do {
      try StoreComparison.requireEqual(model, try view(snapshot))
    } catch let disagreement as Disagreement {
      throw Disagreement("version \(snapshot.version): \(disagreement.description)")
    }
  }

  /// An old version is as it was, and the history leads from it to the newest one.
  func check(pin: Pinned) throws {
    counts.pinsChecked += 1
    try checkWhole(pin.snapshot, pin.model)
    let old = try view(pin.snapshot)
    try QueryCheck.run(1, pin.model, old, &chance)
    counts.queries += 1
    let newest = try database.pinNewest()
    noteVersions(upTo: newest.version)
    let touched = touched(after: pin.snapshot.version, upTo: newest.version)
    try HistoryComparison.requireEqual(
      from: (pin.snapshot, pin.model), to: (newest, operations.model), touched: touched)
    counts.histories += 1
    let changes = try HistoryComparison.changes(from: pin.snapshot, to: newest)
    let new = try view(newest)
    try ObservedComparison(
      old: (old, pin.model), new: (new, operations.model), changes: changes, touched: touched
    ).run(&chance)
    for var watched in pin.watched {
      try watched.advance(from: old, to: new, changes, operations.model)
    }
    forgetTouches()
  }

  private func touched(after older: Version, upTo newer: Version) -> Set<StoreModel.Touch> {
    var all: Set<StoreModel.Touch> = []
    var version = older.next
    while version <= newer {
      all.formUnion(touched[version] ?? [])
      version = version.next
    }
    return all
  }

  private func forgetTouches() {
    let oldest = pins.map(\.snapshot.version).min() ?? database.newestVersion
    for version in touched.keys where version < oldest { touched[version] = nil }
  }

  /// Several threads read the pinned versions at once, also while a transaction is open.
  func checkAllPins(removing: Bool = true) throws {
    let failure = Mutex<(any Error)?>(nil)
    let jobs = try pins.map { ($0.model, try view($0.snapshot)) }
    DispatchQueue.concurrentPerform(iterations: jobs.count) { index in
      do { try StoreComparison.requireEqual(jobs[index].0, jobs[index].1) } catch {
        failure.withLock { $0 = error }
      }
    }
    counts.pinsChecked += jobs.count
    if let error = failure.withLock({ $0 }) { throw error }
    guard removing else { return }
    while let pin = pins.popLast() { try check(pin: pin) }
  }

  /// Every byte accounted for, every table sound.
  func verify() throws {
    counts.verifications += 1
    let report = try database.verify()
    try require(report.isSound, "verify: \(report.findings.prefix(5))")
    let snapshot = try database.pinNewest()
    let findings = StoreCheck.findings(root: snapshot.root, in: snapshot.source)
    try require(findings.isEmpty, "check of version \(snapshot.version): \(findings.prefix(5))")
  }

  func compact() throws {
    _ = try database.compactStep(force: true)
    noteVersions(upTo: database.newestVersion)
    try checkNewest()
  }

  /// Closes the file and opens it again: everything is there, or nothing where that is the promise.
  func reopen() throws {
    try checkAllPins()
    let version = database.newestVersion
    counts.reopenings += 1
    if settings.hasBackgroundWork { database.drainMaintenance() }
    close()
    try open()
    touched = [:]
    // A thread in the background may have kept the file open a moment longer.
    if settings.durability == .inMemory, database.newestVersion == 1 {
      operations.model = StoreModel()
      return try run(operations: 0)
    }
    try require(database.newestVersion >= version, "version \(database.newestVersion) came back")
    try checkNewest()
  }
}
