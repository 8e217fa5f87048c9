import ObjectStore
import Storage

/// Which changes of a file the log can take: those of which it is enough to say where and when. The
/// values are read when they are sent.
///
/// These are properties of objects with primary keys that hold neither containers nor links to
/// objects that are not synchronised, and new objects with nothing in their collections. What
/// deletes is not among them, so all that the log names is there until the states say what it says.
final class LogRules: Sendable {
  private enum Rule {
    /// Not synchronised.
    case ignored
    /// Embedded objects, and collections among values of any kind.
    case contained
    /// By column: whether writing it can be logged; and the properties that must be empty in a new
    /// object.
    case logged(columns: [Bool], containers: [PropertyDescription])
  }

  let schema: StoredSchema
  let tables: SyncTables
  /// By table.
  private let rules: [Rule]

  /// Nil for a file that is not synced.
  init?(_ schema: StoredSchema) {
    guard let tables = SyncTables(schema.description) else { return nil }
    self.schema = schema
    self.tables = tables
    rules = schema.description.classes.map { Self.rule($0, in: schema.description) }
  }

  private static func rule(_ known: ClassDescription, in schema: SchemaDescription) -> Rule {
    if known.isNestedCollection { return .contained }
    guard known.isSynced else { return .ignored }
    if known.primaryKey == nil { return .contained }
    var columns: [Bool] = []
    var containers: [PropertyDescription] = []
    for property in known.properties where !property.isPrimaryKey {
      let isPlain = isPlain(property, in: schema)
      if !isPlain { containers.append(property) }
      let slot = property.columnKey.slot
      while columns.count <= slot { columns.append(false) }
      columns[slot] = isPlain
    }
    return .logged(columns: columns, containers: containers)
  }

  private static func isPlain(
    _ property: PropertyDescription, in schema: SchemaDescription
  ) -> Bool {
    if property.isCollection || property.kind == .any { return false }
    guard property.kind == .object else { return true }
    return schema.description(of: property.targetTable)?.primaryKey != nil
  }

  /// Whether the log can take them.
  func take(_ changes: ChangeSet, in transaction: ObjectTransaction) throws(StorageError) -> Bool {
    for table in changes.tables {
      switch rules[Int(table.table.rawValue)] {
      case .ignored: continue
      case .contained: return false
      case .logged(let columns, let containers):
        guard table.deletions.isEmpty, table.lists.isEmpty,
          table.modifications.allSatisfy({
            $0.column.slot < columns.count && columns[$0.column.slot]
          }),
          try take(table.insertions, table.table, containers, transaction)
        else { return false }
      }
    }
    return true
  }

  /// Objects that are new: without containers, and without links waiting for them.
  private func take(
    _ insertions: KeySet, _ key: TableKey, _ containers: [PropertyDescription],
    _ transaction: ObjectTransaction
  ) throws(StorageError) -> Bool {
    if insertions.isEmpty { return true }
    guard try transaction.table(tables.links.table).count == 0 else { return false }
    if containers.isEmpty { return true }
    let table = try transaction.table(key)
    for object in insertions {
      guard let position = try transaction.find(object, in: key) else { return false }
      for property in containers {
        if property.isCollection {
          if try table.list(of: property, at: position).count > 0 { return false }
        } else if case .link = try table.value(of: property, at: position) {
          return false
        }
      }
    }
    return true
  }

  /// The changes as the log has them, the first counted from the time `before`.
  func entries(of changes: ChangeSet, at time: UInt64, after before: UInt64) -> [UInt8] {
    var encoder = ByteEncoder(reserving: 32)
    var before = before
    for table in changes.tables {
      guard case .logged = rules[Int(table.table.rawValue)] else { continue }
      func note(_ objects: KeySet, _ column: ColumnKey?) {
        for range in objects.ranges {
          let entry = WriteLog.Entry(
            time: time, table: table.table, column: column, objects: range)
          WriteLog.append(entry, after: before, to: &encoder)
          before = time
        }
      }
      note(table.insertions, nil)
      for (column, objects) in table.modifications { note(objects, column) }
    }
    return encoder.bytes
  }
}
