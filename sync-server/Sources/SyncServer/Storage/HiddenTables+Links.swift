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
    for target in targets { try putLink(from: source, to: target, in: transaction) }
  }

  /// The objects that link to one that was not there; they are forgotten.
  func links(
    to target: ObjectID, in transaction: ObjectTransaction
  ) throws(StorageError) -> Set<ObjectID> {
    try takeLinks("target", target, "source", in: transaction)
  }

  /// The same, in what was committed; they stay.
  func links(to target: ObjectID, _ snapshot: Snapshot) throws(StorageError) -> [ObjectID] {
    let table = try link.table(snapshot)
    var found: [ObjectID] = []
    for row in try link.keys("target", equal: .string(target.storedKey), table) {
      guard let position = try table.find(row),
        let id = ObjectID(storedKey: try table.string(link.column("source"), at: position))
      else { continue }
      found.append(id)
    }
    return found
  }

  private func takeLinks(
    _ property: String, _ id: ObjectID, _ other: String, in transaction: ObjectTransaction
  ) throws(StorageError) -> Set<ObjectID> {
    let table = try transaction.table(link.tableKey)
    if table.count == 0 { return [] }
    let rows = try link.keys(property, equal: .string(id.storedKey), table)
    var found: Set<ObjectID> = []
    for row in rows {
      guard let position = try table.find(row),
        let id = ObjectID(storedKey: try table.string(link.column(other), at: position))
      else { continue }
      found.insert(id)
    }
    for row in rows { try transaction.deleteObject(row, in: link.tableKey) }
    return found
  }
}
