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
  /// Who writes the file since it was opened, see `ClientID.writer`.
  private let writer: UInt64
  private let draw: @Sendable (UInt64) -> UInt64
  /// The version of the record that has the writer; nil before there is one.
  private let renewal = LockedValue<Int64?>(nil)

  /// Nothing is remembered yet of a file that has just been opened.
  ///
  /// - Parameter draw: a number that is less than another one, random but in tests.
  public init(draw: @escaping @Sendable (UInt64) -> UInt64 = { .random(in: 0..<$0) }) {
    self.draw = draw
    writer = draw(ClientID.writerCount)
  }

  /// See `ClientStorage.numberStep`; at the most as much as the clock goes in 64 ms.
  func numberStep() -> UInt64 { 1 + draw(1 << 22) }

  /// Gives the record of a transaction another writer if this opening of the file has not done so:
  /// it has its own in its first transaction, and goes on with the newest one of all processes
  /// then. A record that is older than the one that it changed shows that it was cancelled.
  ///
  /// - Parameters:
  ///   - version: of the record, which has the next one when it is changed.
  ///   - isLogged: whether the log has writes that the states do not have.
  /// - Returns: false if there has to be another one and cannot, see `ClientRecord.renewWriter`.
  func renewWriter(of record: inout ClientRecord, version: Int64, isLogged: Bool) -> Bool {
    renewal.withLock { renewal in
      if let renewal, version >= renewal { return true }
      guard record.renewWriter(writer, isLogged: isLogged) else { return false }
      renewal = version + 1
      return true
    }
  }

  /// Whether that is to do.
  func wantsNewWriter(version: Int64) -> Bool { renewal.withLock { version < $0 ?? .max } }

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
