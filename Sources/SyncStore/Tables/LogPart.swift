import ObjectStore
import SyncProtocol

/// What one commit adds to the log.
///
/// What only says that a value was written has the time of the commit; changes of collections come
/// behind it, each with times of its own.
struct LogPart {
  /// The time that the first entry counts from.
  let base: UInt64
  /// The time of the newest write.
  private(set) var last: UInt64
  private let time: UInt64
  private var encoder = ByteEncoder(reserving: 32)
  private var collections: [LogEntry] = []

  /// - Parameters:
  ///   - time: of the commit's first write.
  ///   - newest: of the log's newest write; nil if it is empty.
  init(at time: UInt64, after newest: UInt64?) {
    self.time = time
    base = newest ?? time
    last = base
  }

  var bytes: [UInt8] { encoder.bytes }

  /// How many writes of collections there are.
  private(set) var cost = 0

  mutating func append(_ write: LogEntry.Write, _ objects: KeySet, _ table: TableKey) {
    for range in objects.ranges {
      append(LogEntry(time: time, table: table, write: write, objects: range))
    }
  }

  mutating func append(
    _ write: LogEntry.Write, _ object: ObjectStore.ObjectKey, _ table: TableKey
  ) {
    let row = object.rawValue
    let entry = LogEntry(time: time, table: table, write: write, objects: row..<row + 1)
    cost += entry.cost
    collections.append(entry)
  }

  /// To be called at the end.
  mutating func finish() {
    for var entry in collections {
      if !encoder.bytes.isEmpty { entry.time = HybridClock.last(of: 2, from: last) }
      append(entry)
    }
    collections = []
  }

  private mutating func append(_ entry: LogEntry) {
    entry.append(after: last, to: &encoder)
    last = entry.last
  }
}
