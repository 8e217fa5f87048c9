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
  let clockJump: ClockJump

  /// Nothing is remembered yet of the file at a path but how far its clock goes ahead.
  public init(path: String) { clockJump = .of(path) }

  /// Nothing is remembered yet.
  ///
  /// - Parameter jump: by how much the clock goes ahead at the first use, see `HybridClock.jump`.
  public init(jump: UInt64) { clockJump = ClockJump { jump } }

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
