import ObjectStore
import Storage

/// A write transaction of a realm that is open.
final class OpenWrite {
  let objects: ObjectTransaction
  /// The generation at its start, and the first key that each table could hand out since.
  let startGeneration: UInt64
  var firstNewKeys: [TableKey: ObjectKey] {
    guard let first else { return [:] }
    return others.merging([first.table: first.key], uniquingKeysWith: min)
  }
  private var lastTable: TableKey?
  // Most transactions make objects of one class, and then the dictionary needs no memory.
  private var first: (table: TableKey, key: ObjectKey)?
  private var others: [TableKey: ObjectKey] = [:]
  /// For references that were made within it; nil if there are none.
  var outcome: WriteOutcome?
  /// The classes before the transaction gave the file classes of its own.
  var earlier: BoundClasses?
  /// Lists and dictionaries that are being written, each inside of the one before.
  var nestingDepth = 0

  init(objects: ObjectTransaction, startGeneration: UInt64) {
    self.objects = objects
    self.startGeneration = startGeneration
  }

  func didCreate(_ key: ObjectKey, in table: TableKey) {
    if lastTable == table { return }
    lastTable = table
    guard let first else { return first = (table, key) }
    if first.table != table, others[table] == nil { others[table] = key }
  }

  /// Gives the transaction back, changes undone.
  func cancel() {
    outcome?.cancel(firstNewKeys: firstNewKeys)
    objects.cancel()
  }
}
