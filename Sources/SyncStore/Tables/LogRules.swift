import ObjectStore
import Storage

/// Which changes of a file the log can take: those of which it is enough to say where, when, and
/// what was done to a collection. The values are read when they are sent.
///
/// These are properties and collections of objects with primary keys, and of their embedded
/// objects, that lead neither to other containers nor to objects that are not synchronised; and new
/// objects with nothing in their collections. What makes or deletes rows of containers is not among
/// them, and what deletes objects is not, so all that the log names is there until the states say
/// what it says.
final class LogRules: Sendable {
  /// More writes of elements are not for the log: whoever reads it has as much to do at once.
  static let writesMax = 100
  /// Neither are longer members and keys.
  private static let valueBytesMax = 1024

  private enum Column {
    /// Embedded objects, links to what is not synchronised.
    case refused
    case value
    /// A value of any kind, which may be a container.
    case any(PropertyDescription)
    case collection(PropertyDescription)
    /// The keys of a map, of which the values tell.
    case keys
  }

  private struct Table {
    var isEmbedded: Bool
    var columns: [Column]
    /// What must be empty in a new object.
    var containers: [PropertyDescription]
  }

  private enum Rule {
    /// Not synchronised.
    case ignored
    /// Collections among values of any kind.
    case refused
    case logged(Table)
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
    if known.isNestedCollection { return .refused }
    guard known.isSynced else { return .ignored }
    var table = Table(isEmbedded: known.primaryKey == nil, columns: [], containers: [])
    func set(_ column: ColumnKey, _ rule: Column) {
      while table.columns.count <= column.slot { table.columns.append(.refused) }
      table.columns[column.slot] = rule
    }
    for property in known.properties where !property.isPrimaryKey {
      let leadsToObject = property.kind == .object
      let isSynced =
        !leadsToObject || schema.description(of: property.targetTable)?.primaryKey != nil
      if property.isCollection || property.kind == .any || !isSynced {
        table.containers.append(property)
      }
      if !isSynced { continue }
      if property.isCollection {
        set(property.columnKey, .collection(property))
        if property.collection == .map { set(property.mapKeys.columnKey, .keys) }
      } else {
        set(property.columnKey, property.kind == .any ? .any(property) : .value)
      }
    }
    return .logged(table)
  }

  /// The changes as the log has them; nil if it cannot take them.
  ///
  /// - Parameters:
  ///   - time: of the commit's first write.
  ///   - newest: of the log's newest write; nil if it is empty.
  func part(
    of changes: ChangeSet, in transaction: ObjectTransaction, at time: UInt64,
    after newest: UInt64?
  ) throws(StorageError) -> LogPart? {
    var part = LogPart(at: time, after: newest)
    for table in changes.tables {
      switch rules[Int(table.table.rawValue)] {
      case .ignored: continue
      case .refused: return nil
      case .logged(let rule):
        guard table.deletions.isEmpty, try take(table.insertions, table.table, rule, transaction)
        else { return nil }
        part.append(.creation, table.insertions, table.table)
        for (column, objects) in table.modifications {
          guard column.slot < rule.columns.count,
            try take(column, objects, rule.columns[column.slot], table, transaction, &part),
            part.cost <= Self.writesMax
          else { return nil }
        }
      }
    }
    part.finish()
    return part
  }

  /// Objects that are new: without containers, and without links waiting for them.
  private func take(
    _ insertions: KeySet, _ key: TableKey, _ rule: Table, _ transaction: ObjectTransaction
  ) throws(StorageError) -> Bool {
    if insertions.isEmpty { return true }
    guard !rule.isEmbedded, try transaction.table(tables.links.table).count == 0 else {
      return false
    }
    if rule.containers.isEmpty { return true }
    let table = try transaction.table(key)
    for object in insertions {
      guard let position = try transaction.find(object, in: key) else { return false }
      for property in rule.containers {
        if property.isCollection {
          if try table.list(of: property, at: position).count > 0 { return false }
        } else if case .link = try table.value(of: property, at: position) {
          return false
        }
      }
    }
    return true
  }

  /// What was modified in one column.
  private func take(
    _ column: ColumnKey, _ objects: KeySet, _ rule: Column, _ changes: TableChanges,
    _ transaction: ObjectTransaction, _ part: inout LogPart
  ) throws(StorageError) -> Bool {
    switch rule {
    case .refused: return false
    case .keys: return true
    case .value: part.append(.property(column), objects, changes.table)
    case .any(let property):
      let table = try transaction.table(changes.table)
      for object in objects {
        guard let position = try transaction.find(object, in: changes.table),
          isSynced(try table.value(of: property, at: position))
        else { return false }
      }
      part.append(.property(column), objects, changes.table)
    case .collection(let property):
      for object in objects {
        guard case .operations(let operations) = changes.listChange(of: object, column),
          let write = try write(operations, property, object, changes.table, transaction)
        else { return false }
        part.append(write, object, changes.table)
        if part.cost > Self.writesMax { return false }
      }
    }
    return true
  }

  private func write(
    _ operations: [ListOperation], _ property: PropertyDescription, _ object: ObjectKey,
    _ table: TableKey, _ transaction: ObjectTransaction
  ) throws(StorageError) -> LogEntry.Write? {
    if property.collection == .list { return .list(property.columnKey, operations) }
    guard operations.count == 1, let operation = operations.first else { return nil }
    // What a set has, or the keys of a map.
    let cells = property.collection == .map ? property.mapKeys : property
    let cell: StoredValue
    let isThere: Bool
    switch operation {
    case .insert(let index, 1), .set(let index):
      cell = try transaction.list(cells.columnKey, of: object, in: table).value(at: index)
      isThere = true
      if property.collection == .map, property.kind == .any {
        let values = try transaction.list(property.columnKey, of: object, in: table)
        guard isSynced(try values.value(at: index)) else { return nil }
      }
    case .remove, .clear:
      guard let before = try transaction.baseView.table(table),
        let position = try before.find(object)
      else { return nil }
      let known = try before.list(of: cells, at: position)
      if case .remove(let index, 1) = operation {
        cell = try known.value(at: index)
      } else if operation == .clear, known.count == 1,
        try !mayHideMembers(property, transaction)
      {
        cell = try known.value(at: 0)
      } else {
        return nil
      }
      isThere = false
    default: return nil
    }
    guard isSynced(cell), cell.byteCount <= Self.valueBytesMax else { return nil }
    return .cell(property.columnKey, cell, isThere: isThere)
  }

  /// Whether a set may have members that the program does not see: links to what is not there.
  private func mayHideMembers(
    _ property: PropertyDescription, _ transaction: ObjectTransaction
  ) throws(StorageError) -> Bool {
    guard property.collection == .set, property.kind == .object || property.kind == .any else {
      return false
    }
    return try transaction.table(tables.links.table).count > 0
  }

  /// Neither a container nor a link to what is not synchronised.
  private func isSynced(_ value: StoredValue) -> Bool {
    guard case .link(let table, _) = value else { return true }
    return schema.description.description(of: table)?.primaryKey != nil
  }
}

extension StoredValue {
  /// About as many bytes as it takes.
  fileprivate var byteCount: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .data(let bytes): bytes.count
    default: 16
    }
  }
}
