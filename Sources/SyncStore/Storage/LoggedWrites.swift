import ObjectStore
import SyncProtocol

/// What the log says, by object: that it was made, and the newest write of each place. What was
/// written again and again is noted once.
struct LoggedWrites {
  private(set) var tables: [TableKey: [Int64: Object]] = [:]
  private var room: Int

  init(objectsAtMost limit: Int) { room = limit }

  var hasRoom: Bool { room > 0 }

  /// Takes as many as there is room for; gives back the others.
  mutating func take(_ entries: [LogEntry]) -> [LogEntry] {
    for (index, entry) in entries.enumerated() {
      var objects = entry.objects
      while let row = objects.first {
        if room <= 0 {
          var rest = Array(entries[index...])
          rest[0].objects = objects
          return rest
        }
        take(row, entry)
        objects = objects.dropFirst()
      }
    }
    return []
  }

  private mutating func take(_ row: Int64, _ entry: LogEntry) {
    // In place: what is known of the object may be long.
    let isKnown = tables[entry.table, default: [:]][
      row, default: Object(since: entry.time)
    ].take(entry)
    room -= isKnown ? entry.cost - 1 : max(1, entry.cost)
  }
}

extension LoggedWrites {
  /// What was written of one object.
  struct Object {
    /// The first write of it, which may have been written over since: batches end where commits do,
    /// and that of this one may have written to others.
    let since: UInt64
    private(set) var created: UInt64?
    private(set) var columns: [(ColumnKey, UInt64)] = []
    /// What was done to collections, in its order.
    private(set) var collections: [LogEntry] = []
    /// Where in that is what was written last to a place that may be written to again.
    private var newest: [Place: Int] = [:]

    /// A place in a collection. An element has its index until another one is inserted, removed or
    /// moved.
    private enum Place: Hashable {
      case cell(ColumnKey, StoredValue)
      case element(ColumnKey, Int)
    }

    init(since time: UInt64) { since = time }

    /// Whether something was known before.
    mutating func take(_ entry: LogEntry) -> Bool {
      let isKnown = created != nil || !columns.isEmpty || !collections.isEmpty
      switch entry.write {
      case .creation: created = entry.time
      case .property(let column): write(column, at: entry.time)
      case .cell(let column, let value, _): write(entry, to: .cell(column, value))
      case .list(let column, let operations):
        if operations.count == 1, case .set(let index)? = operations.first {
          write(entry, to: .element(column, index))
        } else {
          forgetElements(of: column)
          collections.append(entry)
        }
      }
      return isKnown
    }

    private mutating func write(_ column: ColumnKey, at time: UInt64) {
      if let known = columns.firstIndex(where: { $0.0 == column }) {
        columns[known].1 = time
      } else {
        columns.append((column, time))
      }
    }

    /// What was written to a place before is written over, unless its name is another one that only
    /// compares as equal.
    private mutating func write(_ entry: LogEntry, to place: Place) {
      if let index = newest[place], collections[index].isToTheSamePlace(as: entry) {
        collections[index] = entry
      } else {
        newest[place] = collections.count
        collections.append(entry)
      }
    }

    private mutating func forgetElements(of list: ColumnKey) {
      for case .element(list, let index) in newest.keys {
        newest[.element(list, index)] = nil
      }
    }
  }
}

extension LogEntry {
  fileprivate func isToTheSamePlace(as other: LogEntry) -> Bool {
    guard case .cell(_, let value, _) = write, case .cell(_, let own, _) = other.write else {
      return true
    }
    return value.isIdentical(to: own)
  }
}
