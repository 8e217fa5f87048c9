/// What a transaction did to one table, written down as it happens.
///
/// Objects made by the transaction are known by their keys (they are at or above `firstNew`), so
/// neither making nor changing them costs anything here.
struct TableHistory {
  struct Modification {
    var column: UInt32
    var object: Int64
  }

  struct ListName: Hashable {
    var column: UInt32
    var object: Int64
  }

  /// More operations on a list than this are told as `compare`.
  static let listOperationsMax = 1000
  private static let firstCompaction = 1 << 16
  /// In the column of a modification: a link was cut because its target was deleted.
  private static let cut: UInt32 = 1 << 31

  /// The key that the transaction's first new object got or would get.
  var firstNew: Int64 = 0
  /// Not yet among `settled`.
  private var modifications: [Modification] = []
  private var settled: [(column: UInt32, objects: KeySet)] = []
  private(set) var deleted: [Int64] = []
  private(set) var lists: [ListName: ListChange] = [:]
  private var compactionSize = firstCompaction
  // What a commit asks first, as plain values beside the arrays.
  private var first: Modification?
  /// Whether more happened than new objects and one modification.
  private var hasMore = false

  @inline(__always)
  mutating func modified(_ object: Int64, _ column: UInt32) {
    if object >= firstNew { return }
    if let last = modifications.last, last.object == object, last.column == column { return }
    let modification = Modification(column: column, object: object)
    if first == nil { first = modification } else { hasMore = true }
    modifications.append(modification)
    if modifications.count >= compactionSize { compact() }
  }

  /// A property became null because the object that it led to was deleted: told apart from what the
  /// program writes.
  mutating func linkCut(_ object: Int64, _ column: UInt32) {
    if object >= firstNew { return }
    modified(object, column | Self.cut)
    hasMore = true
  }

  /// `deleted` may hold objects that the transaction made itself.
  mutating func deleted(_ object: Int64) {
    hasMore = true
    deleted.append(object)
  }

  mutating func list(_ object: Int64, _ column: UInt32, _ operation: ListOperation) {
    if object >= firstNew { return }
    modified(object, column)
    hasMore = true
    let name = ListName(column: column, object: object)
    lists[name, default: .operations([])].append(operation)
  }

  /// Takes over what has been noted as ranges of keys: neither repeated modifications of the same
  /// objects nor one of every object of a large table must use up memory.
  private mutating func compact() {
    settled = modifiedObjects()
    modifications.removeAll(keepingCapacity: true)
    let ranges = settled.reduce(0) { $0 + $1.objects.ranges.count }
    compactionSize = max(TableHistory.firstCompaction, ranges)
  }

  /// By column.
  private func modifiedObjects() -> [(column: UInt32, objects: KeySet)] {
    if settled.isEmpty, modifications.count <= 1 {
      return modifications.map { ($0.column, KeySet(ranges: [$0.object..<$0.object + 1])) }
    }
    let sorted = modifications.sorted {
      $0.column < $1.column || ($0.column == $1.column && $0.object < $1.object)
    }
    var newer: [(column: UInt32, objects: KeySet)] = []
    for entry in sorted {
      if newer.last?.column != entry.column { newer.append((entry.column, KeySet())) }
      newer[newer.count - 1].objects.append(entry.object)
    }
    var merged = settled
    for (column, objects) in newer {
      if let place = merged.firstIndex(where: { $0.column == column }) {
        merged[place].objects = merged[place].objects.union(objects)
      } else {
        merged.append((column, objects))
      }
    }
    return merged.sorted { $0.column < $1.column }
  }

  // MARK: Little of it

  /// Whether all that happened are new objects, and one modification at the most.
  @inline(__always)
  var isSimple: Bool { !hasMore }

  /// Of a simple history.
  @inline(__always)
  func isEmpty(nextKey: Int64) -> Bool { nextKey <= firstNew && first == nil }

  /// Bytes that a simple history takes at the most: nine numbers.
  static let simpleSizeMax = 90

  /// As `changes(table:nextKey:)` and then `encode(to:)`, for a simple history.
  func encodeSimply(to encoder: inout ByteEncoder, table: TableKey, nextKey: Int64) {
    encoder.append(UInt64(table.rawValue))
    encode(nextKey > firstNew ? firstNew..<nextKey : nil, to: &encoder)
    encode(nil, to: &encoder)
    encoder.append(first == nil ? 0 : 1)
    if let first {
      encoder.append(UInt64(first.column))
      encode(first.object..<first.object + 1, to: &encoder)
    }
    encoder.append(0)
  }

  /// A set of keys that is one range, or empty.
  private func encode(_ range: Range<Int64>?, to encoder: inout ByteEncoder) {
    guard let range else { return encoder.append(0) }
    encoder.append(1)
    encoder.append(UInt64(bitPattern: range.lowerBound))
    encoder.append(range.count)
  }

  /// - Parameter nextKey: of the table as it is now.
  func changes(table: TableKey, nextKey: Int64) -> TableChanges {
    var changes = TableChanges(table: table)
    let gone = deleted.isEmpty ? KeySet() : KeySet(unsorted: deleted)
    if nextKey > firstNew {
      changes.insertions = KeySet(ranges: [firstNew..<nextKey]).subtracting(gone)
    }
    if !gone.isEmpty {
      changes.deletions = gone.subtracting(KeySet(ranges: [firstNew..<Int64.max]))
    }
    for (column, objects) in modifiedObjects() {
      let left = gone.isEmpty ? objects : objects.subtracting(gone)
      if left.isEmpty { continue }
      if column & Self.cut == 0 {
        changes.modifications.append((ColumnKey(rawValue: column), left))
      } else {
        changes.noteCuts(ColumnKey(rawValue: column & ~Self.cut), left)
      }
    }
    if !changes.cuts.isEmpty { changes.modifications.sort { $0.column < $1.column } }
    if lists.isEmpty { return changes }
    changes.lists = lists.compactMap { name, change in
      if gone.contains(name.object) { return nil }
      return TableChanges.ListEntry(
        column: ColumnKey(rawValue: name.column), object: ObjectKey(rawValue: name.object),
        change: change)
    }
    if changes.lists.count > 1 { changes.sortLists() }
    return changes
  }
}

extension ListChange {
  /// Adds what happened next, joining it with what came before where that is simple.
  mutating func append(_ operation: ListOperation) {
    guard case .operations(var operations) = self else { return }
    self = .compare  // gives up the array, so that it is changed in place
    if case .insert(let index, let count) = operation,
      case .insert(let lastIndex, let lastCount) = operations.last,
      index >= lastIndex, index <= lastIndex + lastCount
    {
      operations[operations.count - 1] = .insert(index: lastIndex, count: lastCount + count)
    } else if operations.last == operation, case .set = operation {
      // Setting the same element again says nothing new.
    } else if case .clear = operation {
      operations = [.clear]
    } else {
      operations.append(operation)
    }
    if operations.count <= TableHistory.listOperationsMax { self = .operations(operations) }
  }

  mutating func append(_ newer: ListChange) {
    guard case .operations(let operations) = newer else {
      self = .compare
      return
    }
    for operation in operations { append(operation) }
  }
}

extension TableChanges {
  /// Adds links that were cut, once all that was written is known.
  fileprivate mutating func noteCuts(_ column: ColumnKey, _ objects: KeySet) {
    let place = modifications.firstIndex { $0.column == column }
    let written = place.map { modifications[$0].objects } ?? KeySet()
    cuts.append(Cuts(column: column, objects: objects, written: written))
    if let place {
      modifications[place].objects = written.union(objects)
    } else {
      modifications.append((column, objects))
    }
  }

  mutating func sortLists() {
    lists.sort { ($0.column, $0.object) < ($1.column, $1.object) }
  }
}
