import ObjectStore
import Platform
import SyncProtocol

/// What a process remembers of a synced file between transactions, so that a commit need not decode
/// the record and the schema again. One per file.
public final class SyncCache: Sendable {
  struct Entry {
    /// Which record this is: `SyncTables.File.version`.
    var version: Int64
    var record: ClientRecord
  }

  struct Layout {
    var schema: StoredSchema
    var names: Names
    var tables: SyncTables
    var classes: SyncedClasses
  }

  private let rules = LockedValue<LogRules?>(nil)
  private let entry = LockedValue<Entry?>(nil)
  private let layout = LockedValue<Layout?>(nil)
  /// By how much the clock goes ahead at the first use.
  let jump: UInt64
  /// The times between which the clock was when the file was opened, and where it jumps to.
  private let jumped = LockedValue<Range<UInt64>?>(nil)

  /// Nothing is remembered yet.
  ///
  /// - Parameter jump: by how much the clock goes ahead at the first use, see `HybridClock.jump`.
  public init(jump: UInt64 = .random(in: 1...HybridClock.jumpMax)) { self.jump = jump }

  /// The clock with which a transaction writes, by what the file has.
  func clock(latest: UInt64) -> HybridClock {
    let range = jumped.withLock { jumped in
      if let jumped { return jumped }
      var clock = HybridClock(latest: latest)
      clock.jump(by: jump)
      jumped = latest..<clock.latest
      return latest..<clock.latest
    }
    // Until a transaction has been committed that jumped. A clock that was put right is earlier.
    return HybridClock(latest: range.contains(latest) ? range.upperBound : latest)
  }

  func entry(version: Int64) -> Entry? {
    entry.withLock { $0?.version == version ? $0 : nil }
  }

  /// Of the record that has this number; nil if that is not known.
  func millisecondsAhead(version: Int64) -> UInt64? {
    entry.withLock { $0?.version == version ? $0?.record.millisecondsAhead : nil }
  }

  /// Nil if the schema is not that of a synced file.
  func logRules(_ schema: StoredSchema) -> LogRules? {
    rules.withLock { rules in
      if let known = rules, known.schema === schema { return known }
      rules = LogRules(schema)
      return rules
    }
  }

  /// To be called with what was read, or committed.
  func remember(_ new: Entry) { entry.withLock { $0 = new } }

  /// Nil if the schema is not that of a synced file. Names that are new are added.
  func layout(_ schema: StoredSchema, _ names: inout Names) -> Layout? {
    if let known = layout.withLock({ $0 }), known.schema === schema, known.names == names {
      return known
    }
    guard let tables = SyncTables(schema.description) else { return nil }
    let classes = SyncedClasses(schema.description, &names)
    let made = Layout(schema: schema, names: names, tables: tables, classes: classes)
    layout.withLock { $0 = made }
    return made
  }
}
