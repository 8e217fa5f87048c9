import ObjectStore
import Storage

/// A table of an app's file that is the server's own.
struct HiddenTable {
  private let description: ClassDescription
  private var columns: [String: ColumnKey] = [:]

  init?(_ name: String, _ schema: SchemaDescription) {
    guard let description = schema.description(of: name) else { return nil }
    self.description = description
    for property in description.properties { columns[property.name] = property.columnKey }
  }

  var tableKey: TableKey { description.tableKey }

  /// The column of the primary key.
  var key: ColumnKey { column("_id") }

  func column(_ name: String) -> ColumnKey {
    guard let column = columns[name] else { preconditionFailure("no column is called \(name)") }
    return column
  }

  func table(_ snapshot: Snapshot) throws(StorageError) -> Table {
    try snapshot.table(tableKey) ?? Table(emptyWith: tableKey, in: snapshot.source)
  }

  /// The bytes in the column `row` of the row with that key.
  func row(_ key: StoredValue, _ snapshot: Snapshot) throws(StorageError) -> [UInt8]? {
    let table = try table(snapshot)
    guard let found = try find(key, table), let position = try table.find(found) else { return nil }
    return try table.data(column("row"), at: position)
  }

  func find(_ key: StoredValue, _ table: Table) throws(StorageError) -> RowKey? {
    guard let primary = description.primaryKey else { return nil }
    return try table.find(primaryKey: key, primary)
  }

  /// The rows with values of an indexed property within bounds, in the order of the values.
  func keys(
    _ property: String, _ from: Int64, _ through: Int64, _ table: Table
  ) throws(StorageError) -> [RowKey] {
    guard let property = description.property(named: property),
      let index = try table.index(of: property)
    else { return [] }
    return try index.keys(from: from, through: through)
  }

  /// The rows with a value of an indexed property.
  func keys(
    _ property: String, equal value: StoredValue, _ table: Table
  ) throws(StorageError) -> [RowKey] {
    guard let property = description.property(named: property),
      let index = try table.index(of: property)
    else { return [] }
    return try index.keys(equal: value)
  }

  func put(
    _ key: StoredValue, _ values: [(String, StoredValue)], in transaction: ObjectTransaction
  ) throws(StorageError) {
    let (object, _) = try transaction.createObject(in: tableKey, primaryKey: key)
    try set(values, object, in: transaction)
  }

  func set(
    _ values: [(String, StoredValue)], _ object: RowKey, in transaction: ObjectTransaction
  ) throws(StorageError) {
    for (name, value) in values {
      try transaction.set(value, column(name), of: object, in: tableKey)
    }
  }

  func remove(_ key: StoredValue, in transaction: ObjectTransaction) throws(StorageError) {
    guard let found = try find(key, transaction.table(tableKey)) else { return }
    try transaction.deleteObject(found, in: tableKey)
  }
}
