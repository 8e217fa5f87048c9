import ObjectStore
import Platform
import Storage

/// Carrying what observers of one realm instance know to a version, on any thread.
///
/// It works on copies and pins what it reads; what comes of it is used if the observers are then
/// still where it began.
struct ChangeComputation: Sendable {
  /// One observer's part. Whoever drops the token in the meantime need not wait.
  struct Part: Sendable {
    weak let observer: Observer?
    var tracker: any ChangeTracker
    /// Where the tracker is; nil before its start.
    let origin: Snapshot?
    /// A version on the way up to which nothing is to be told.
    let suppressedThrough: Snapshot?
    /// How often the handler had been called.
    let deliveryCount: Int
  }

  let target: Snapshot
  var parts: [Part]

  init(_ observers: [Observer], to target: Snapshot) {
    self.target = target
    parts = observers.compactMap { observer in
      observer.tracker.map { tracker in
        Part(
          observer: observer, tracker: tracker, origin: observer.tracked,
          suppressedThrough: observer.suppressedThrough, deliveryCount: observer.deliveryCount)
      }
    }
  }

  /// Whether somebody is still interested.
  var isWanted: Bool { parts.contains { $0.observer != nil } }

  /// The same, made by the file's worker.
  func made(_ shared: SharedRealm) async -> ChangeComputation {
    await withCheckedContinuation { continuation in
      shared.computations.async {
        var computation = self
        computation.run(shared)
        continuation.resume(returning: computation)
      }
    }
  }

  mutating func run(_ shared: SharedRealm) {
    ChangeComputations.onStart.withLock { $0 }?.call(shared.path)
    var reader = VersionReader(shared: shared)
    for index in parts.indices where parts[index].observer != nil {
      engine { () throws(StorageError) in try parts[index].run(to: target, &reader) }
    }
  }
}

extension ChangeComputation.Part {
  fileprivate mutating func run(
    to target: Snapshot, _ reader: inout VersionReader
  ) throws(StorageError) {
    guard let origin else { return try tracker.start(at: reader.view(of: target)) }
    var position = origin
    if let suppressedThrough {
      try advance(from: position, to: suppressedThrough, &reader)
      tracker.discardPendingChanges()
      position = suppressedThrough
    }
    try advance(from: position, to: target, &reader)
  }

  private mutating func advance(
    from old: Snapshot, to new: Snapshot, _ reader: inout VersionReader
  ) throws(StorageError) {
    if old.version == new.version { return }
    let changes = try reader.changes(from: old, to: new)
    try tracker.advance(changes, from: reader.view(of: old), to: reader.view(of: new))
  }
}

/// Reads versions, and what happened between them, once for all observers.
private struct VersionReader {
  let shared: SharedRealm
  private var known: [ClosedRange<UInt64>: ChangeSet] = [:]

  init(shared: SharedRealm) { self.shared = shared }

  func view(of snapshot: Snapshot) throws(StorageError) -> StoreView {
    try shared.view(of: snapshot)
  }

  mutating func changes(
    from old: Snapshot, to new: Snapshot
  ) throws(StorageError) -> ChangeSet {
    if let changes = known[old.version...new.version] { return changes }
    var changes = ChangeSet()
    for entry in try new.historyEntries(after: old.version) {
      changes.merge(try decoded(entry))
    }
    try changes.check(against: new.root, in: new.source)
    known[old.version...new.version] = changes
    return changes
  }

  private func decoded(_ entry: HistoryEntry) throws(StorageError) -> ChangeSet {
    let result = entry.bytes.withUnsafeBytes { bytes -> Result<ChangeSet, StorageError> in
      do throws(StorageError) {
        return .success(try ChangeSet(decoding: bytes, path: shared.path))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

extension SharedRealm {
  /// A version as queries see it.
  func view(of snapshot: Snapshot) throws(StorageError) -> StoreView {
    let schema = try schemas.schema(snapshot.root, in: snapshot.source)
    return StoreView(
      source: snapshot.source, root: snapshot.root, schema: schema.description)
  }
}

/// What decides where change sets are made.
package enum ChangeComputations {
  /// An observer that looks at no more objects than this may be served on its own turn...
  static let turnObjectsMax = 1000
  /// ...if what was committed is written down in so many bytes.
  static let turnHistorySizeMax = 4096
  /// A realm whose own thread has written during this many comparisons makes the next itself, so
  /// that its observers hear of something.
  static let missedComputationsMax = 8

  /// For tests: called where comparisons are made, with the file's path.
  package static let onStart = LockedValue<StartHook?>(nil)

  /// A closure by itself would be wrapped anew each time that a generic value lends it out.
  package struct StartHook: Sendable {
    let call: @Sendable (String) -> Void
    package init(_ call: @escaping @Sendable (String) -> Void) { self.call = call }
  }
}

extension Realm {
  /// For tests: how many objects an observer of this realm may look at on its own turn.
  package var turnObjectsMax: Int {
    get { instance.turnObjectsMax }
    nonmutating set { instance.turnObjectsMax = newValue }
  }
}
