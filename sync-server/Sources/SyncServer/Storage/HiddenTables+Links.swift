import ObjectStore
import Storage
import SyncProtocol

// Links to objects that are not there.
extension HiddenTables {
  func putLink(
    from source: ObjectID, to target: ObjectID, in transaction: ObjectTransaction
  ) throws(StorageError) {
    let row = try transaction.createObject(in: link.tableKey)
    let values = [
      ("source", StoredValue.string(source.storedKey)), ("target", .string(target.storedKey)),
    ]
    try link.set(values, row, in: transaction)
  }

  func removeLinks(
    from source: ObjectID, in transaction: ObjectTransaction
  ) throws(StorageError) {
    _ = try takeLinks("source", source, "target", in: transaction)
  }

  /// Notes what an object links to and is not there. If all of it was written, what was noted
  /// before goes.
  func setLinks(
    from source: ObjectID, to targets: Set<ObjectID>, since: ServerVersion,
    in transaction: ObjectTransaction
  ) throws(StorageError) {
    if since == .zero { try removeLinks(from: source, in: transaction) }
    if targets.isEmpty { return }
    let known = try transaction.table(link.tableKey)
    for target in try targets.subtracting(links("source", source, "target", known).ids) {
      try putLink(from: source, to: target, in: transaction)
    }
  }

  /// The objects that link to one that was not there; they are forgotten.
  func links(
    to target: ObjectID, in transaction: ObjectTransaction
  ) throws(StorageError) -> Set<ObjectID> {
    try takeLinks("target", target, "source", in: transaction)
  }

  /// The same, in what was committed; they stay.
  func links(to target: ObjectID, _ snapshot: Snapshot) throws(StorageError) -> [ObjectID] {
    try links("target", target, "source", link.table(snapshot)).ids
  }

  private func takeLinks(
    _ property: String, _ id: ObjectID, _ other: String, in transaction: ObjectTransaction
  ) throws(StorageError) -> Set<ObjectID> {
    let table = try transaction.table(link.tableKey)
    let found = try links(property, id, other, table)
    for row in found.rows { try transaction.deleteObject(row, in: link.tableKey) }
    return Set(found.ids)
  }

  /// The other ends of the links that have an object at one end, and the links' rows.
  private func links(
    _ property: String, _ id: ObjectID, _ other: String, _ table: Table
  ) throws(StorageError) -> (ids: [ObjectID], rows: [RowKey]) {
    if table.count == 0 { return ([], []) }
    let rows = try link.keys(property, equal: .string(id.storedKey), table)
    var found: [ObjectID] = []
    for row in rows {
      guard let position = try table.find(row),
        let id = ObjectID(storedKey: try table.string(link.column(other), at: position))
      else { continue }
      found.append(id)
    }
    return (found, rows)
  }
}
