import Coordination
import Platform

/// Looks at the pins of old versions while there are any: after a commit, and then by a timer until
/// they are gone. In a file without writes nothing happens; readers retain nothing new there.
final class SlowReaderWatch: Sendable {
  private struct Key: Hashable {
    var slot: Int
    var version: Version
    var participant: Int
  }

  /// What is known of one pin of an old version.
  private struct Known {
    var since: UInt64
    var wasTold = false
    var wasEnded = false
  }

  private struct State {
    var isScheduled = false
    var known: [Key: Known] = [:]
  }

  private let ageLimit: UInt64?
  private let endingAge: UInt64?
  private let retainedLimit: UInt64?
  private let tell: (@Sendable (SlowReader) -> Void)?
  private let system: any System
  private let queue: any BackgroundQueue
  private let interval: UInt64
  private let state = LockedValue(State())

  private static let intervalMax: UInt64 = 1_000_000_000
  private static let intervalMin: UInt64 = 2_000_000

  /// Nil if the options ask for nothing.
  init?(options: DatabaseOptions, path: String, system: any System) {
    tell = options.whenReaderIsSlow
    ageLimit = tell == nil ? nil : options.slowReaderAgeMilliseconds.map(Self.nanoseconds)
    retainedLimit = tell == nil ? nil : options.slowReaderRetainedBytes
    endingAge = options.readerAgeMaxMilliseconds.map(Self.nanoseconds)
    if ageLimit == nil, retainedLimit == nil, endingAge == nil { return nil }
    let shortest = min(ageLimit ?? .max, endingAge ?? .max)
    interval = min(Self.intervalMax, max(Self.intervalMin, shortest / 4))
    self.system = system
    queue = system.makeQueue(label: "holdfast.readers \(path)")
  }

  private static func nanoseconds(_ milliseconds: Int) -> UInt64 {
    let (product, overflow) = UInt64(clamping: milliseconds).multipliedReportingOverflow(
      by: 1_000_000)
    return overflow ? .max : product
  }

  /// A version has ceased to be the newest.
  func committed(_ database: Database) { schedule(database) }

  private func schedule(_ database: Database) {
    let isNew = state.withLock { state in
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    guard isNew else { return }
    queue.run(afterNanoseconds: interval) { [self, weakHandle = database.weakHandle] in
      state.withLock { $0.isScheduled = false }
      guard let database = weakHandle.object else { return }
      if look(at: database) { schedule(database) }
    }
  }

  /// Returns whether old versions are pinned.
  private func look(at database: Database) -> Bool {
    let newest = database.newestVersion
    let pins = database.pins().filter { $0.version < newest && $0.isAlive }
    let retained = pins.isEmpty ? nil : retainedBytes(database)
    let now = system.now()
    var known = state.withLock { $0.known }
    var present: [Key: Known] = [:]
    for pin in pins {
      let key = Key(slot: pin.slot, version: pin.version, participant: pin.participant)
      // It has been old since the last look at the earliest.
      var entry = known.removeValue(forKey: key) ?? Known(since: now - min(now, interval))
      consider(pin, &entry, age: now - entry.since, retained?[pin.version], database)
      present[key] = entry
    }
    state.withLock { $0.known = present }
    return !pins.isEmpty
  }

  /// Nil if no limit asks for it, or the file is damaged, of which others hear.
  private func retainedBytes(_ database: Database) -> [Version: UInt64]? {
    retainedLimit == nil ? nil : try? database.space().retainedBytes
  }

  private func consider(
    _ pin: PinDescription, _ entry: inout Known, age: UInt64, _ retained: UInt64?,
    _ database: Database
  ) {
    let mustEnd = endingAge.map { age >= $0 } ?? false
    if mustEnd, !entry.wasEnded {
      database.lockFile.expire(pin)
      database.lockFile.wakeOthers()
    }
    let isSlow =
      ageLimit.map { age >= $0 } ?? false
      || retainedLimit.map { (retained ?? 0) > $0 } ?? false
    let isNews = mustEnd && !entry.wasEnded || isSlow && !entry.wasTold
    entry.wasEnded = entry.wasEnded || mustEnd
    entry.wasTold = entry.wasTold || isSlow
    guard isNews else { return }
    tell?(
      SlowReader(
        version: pin.version, age: .nanoseconds(Int64(clamping: age)), retainedBytes: retained,
        process: pin.process, processName: pin.processName, label: pin.label, isEnded: mustEnd))
  }
}
