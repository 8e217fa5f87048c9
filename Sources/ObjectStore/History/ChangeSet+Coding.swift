import Storage

// The bytes of a history: what each commit did, or several commits together, one behind the other.
//
//     flags (bit 0: the schema changed) | table count | tables
//     table: key | insertions | deletions | column count | columns | list count | lists
//     column: key | objects
//     list: column | object | 0 (compare) or 1 + operation count | operations
//
// All numbers are `ByteEncoder`'s. A set of keys: range count, then per range the distance of its
// first key from the end of the range before, and its length.
extension ChangeSet {
  public func encoded() -> [UInt8] {
    if isEmpty { return [] }
    var encoder = ByteEncoder()
    encoder.append(schemaChanged ? 1 : 0)
    encoder.append(tables.count)
    for table in tables { table.encode(to: &encoder) }
    return encoder.bytes
  }

  /// - Parameter path: of the file, for the error's message.
  /// - Throws: `.corrupt` if the bytes make no sense.
  public init(decoding bytes: UnsafeRawBufferPointer, path: String) throws(StorageError) {
    guard let changes = unsafe ChangeSet(bytes) else {
      throw StorageError(
        .corrupt, path: path, "a commit's history of \(bytes.count) bytes cannot be read")
    }
    self = changes
  }

  /// Nil if the bytes make no sense. No bytes at all are no changes. Where what stands behind
  /// others cannot be read, that becomes a change of the schema, which makes every observer look
  /// at everything.
  init?(_ bytes: UnsafeRawBufferPointer) {
    if unsafe bytes.isEmpty { return }
    var decoder = unsafe ByteDecoder(bytes)
    guard let first = ChangeSet(&decoder) else { return nil }
    self = first
    if !decoder.isAtEnd { mergeRest(of: &decoder) }
  }

  private init?(_ decoder: inout ByteDecoder) {
    guard let flags = decoder.unsigned(), let count = decoder.count() else { return nil }
    schemaChanged = flags & 1 != 0
    for _ in 0..<count {
      guard let table = TableChanges(&decoder) else { return nil }
      tables.append(table)
    }
  }

  /// Neighbours that stand for equally many commits are merged, so that each change is gone through
  /// a logarithmic number of times.
  private mutating func mergeRest(of decoder: inout ByteDecoder) {
    var parts = [(changes: self, count: 1)]
    func mergeLast() {
      let last = parts.removeLast()
      parts[parts.count - 1].changes.merge(last.changes)
      parts[parts.count - 1].count += last.count
    }
    while !decoder.isAtEnd {
      guard let next = ChangeSet(&decoder) else {
        parts[0].changes.schemaChanged = true
        break
      }
      parts.append((next, 1))
      while parts.count > 1, parts[parts.count - 2].count <= parts[parts.count - 1].count {
        mergeLast()
      }
    }
    while parts.count > 1 { mergeLast() }
    self = parts[0].changes
  }

  /// Makes this the changes of both ranges of commits, `newer` following directly.
  public mutating func merge(_ newer: ChangeSet) {
    schemaChanged = schemaChanged || newer.schemaChanged
    for table in newer.tables {
      if let index = tables.firstIndex(where: { $0.table == table.table }) {
        tables[index].merge(table)
      } else {
        tables.append(table)
      }
    }
    tables.sort { $0.table < $1.table }
    tables.removeAll { $0.isEmpty }
  }

  /// Up to this many bytes changes are put one behind the other: what a pin separates from its
  /// predecessor for the length of a flush is mostly dropped before anybody reads it.
  private static let joinedSizeMax = 1 << 14

  /// What `DatabaseOptions.mergeHistory` wants. Bytes that cannot be read become a change of the
  /// schema.
  public static func mergeEncoded(
    _ older: UnsafeRawBufferPointer, _ newer: UnsafeRawBufferPointer
  ) -> [UInt8] {
    if older.count + newer.count <= joinedSizeMax, unsafe !older.isEmpty, unsafe !newer.isEmpty {
      return unsafe [UInt8](unsafeUninitializedCapacity: older.count + newer.count) {
        bytes, count in
        let place = UnsafeMutableRawBufferPointer(bytes)
        unsafe place.copyMemory(from: older)
        unsafe UnsafeMutableRawBufferPointer(rebasing: place[older.count...]).copyMemory(
          from: newer)
        count = place.count
      }
    }
    guard var changes = unsafe ChangeSet(older), let newer = unsafe ChangeSet(newer) else {
      var unknown = ChangeSet()
      unknown.schemaChanged = true
      return unknown.encoded()
    }
    changes.merge(newer)
    return changes.encoded()
  }
}

extension TableChanges {
  mutating func merge(_ newer: TableChanges) {
    let inserted = insertions
    insertions = inserted.union(newer.insertions).subtracting(newer.deletions)
    deletions = deletions.union(newer.deletions.subtracting(inserted))
    for (column, objects) in newer.modifications {
      let added = objects.subtracting(inserted)
      if added.isEmpty { continue }
      if let index = modifications.firstIndex(where: { $0.column == column }) {
        modifications[index].objects = modifications[index].objects.union(added)
      } else {
        modifications.append((column, added))
      }
    }
    for index in modifications.indices {
      modifications[index].objects = modifications[index].objects.subtracting(newer.deletions)
    }
    modifications.removeAll { $0.objects.isEmpty }
    modifications.sort { $0.column < $1.column }
    mergeLists(newer, inserted: inserted)
  }

  private mutating func mergeLists(_ newer: TableChanges, inserted: KeySet) {
    lists.removeAll { newer.deletions.contains($0.object) }
    var places: [TableHistory.ListName: Int] = [:]
    for (index, entry) in lists.enumerated() { places[entry.name] = index }
    for entry in newer.lists where !inserted.contains(entry.object) {
      if let index = places[entry.name] {
        lists[index].change.append(entry.change)
      } else {
        lists.append(entry)
      }
    }
    sortLists()
  }

  func encode(to encoder: inout ByteEncoder) {
    encoder.append(UInt64(table.rawValue))
    encoder.append(insertions)
    encoder.append(deletions)
    encoder.append(modifications.count)
    for (column, objects) in modifications {
      encoder.append(UInt64(column.rawValue))
      encoder.append(objects)
    }
    encoder.append(lists.count)
    for entry in lists {
      encoder.append(UInt64(entry.column.rawValue))
      encoder.append(signed: entry.object.rawValue)
      encoder.append(entry.change)
    }
  }

  init?(_ decoder: inout ByteDecoder) {
    guard let key = decoder.key(), let insertions = decoder.keySet(),
      let deletions = decoder.keySet(), let columns = decoder.count()
    else { return nil }
    table = TableKey(rawValue: key)
    self.insertions = insertions
    self.deletions = deletions
    for _ in 0..<columns {
      guard let column = decoder.key(), let objects = decoder.keySet() else { return nil }
      modifications.append((ColumnKey(rawValue: column), objects))
    }
    guard let listCount = decoder.count() else { return nil }
    for _ in 0..<listCount {
      guard let column = decoder.key(), let object = decoder.signed(),
        let change = decoder.listChange()
      else { return nil }
      lists.append(
        ListEntry(
          column: ColumnKey(rawValue: column), object: ObjectKey(rawValue: object),
          change: change))
    }
  }
}

extension TableChanges.ListEntry {
  fileprivate var name: TableHistory.ListName {
    TableHistory.ListName(column: column.rawValue, object: object.rawValue)
  }
}

extension ByteEncoder {
  fileprivate mutating func append(_ keys: KeySet) {
    append(keys.ranges.count)
    var end: Int64 = 0
    for range in keys.ranges {
      append(UInt64(bitPattern: range.lowerBound &- end))
      append(range.count)
      end = range.upperBound
    }
  }

  package mutating func append(_ change: ListChange) {
    guard case .operations(let operations) = change else { return append(0) }
    append(operations.count + 1)
    for operation in operations {
      switch operation {
      case .insert(let index, let count): append(0, index, count)
      case .remove(let index, let count): append(1, index, count)
      case .set(let index): append(2, index, nil)
      case .move(let from, let to): append(3, from, to)
      case .swap(let left, let right): append(4, left, right)
      case .clear: append(5, nil, nil)
      }
    }
  }

  private mutating func append(_ code: Int, _ first: Int?, _ second: Int?) {
    append(code)
    if let first { append(first) }
    if let second { append(second) }
  }
}

extension ByteDecoder {
  fileprivate mutating func keySet() -> KeySet? {
    guard let count = count() else { return nil }
    var ranges: [Range<Int64>] = []
    ranges.reserveCapacity(count)
    var end: Int64 = 0
    for _ in 0..<count {
      guard let distance = unsigned(), let length = unsigned() else { return nil }
      let start = end &+ Int64(bitPattern: distance)
      let (stop, overflow) = start.addingReportingOverflow(Int64(bitPattern: length))
      if overflow || stop <= start || start < end || stop > TableChanges.keyEnd { return nil }
      ranges.append(start..<stop)
      end = stop
    }
    return KeySet(ranges: ranges)
  }

  package mutating func listChange() -> ListChange? {
    guard let tag = integer() else { return nil }
    if tag == 0 { return .compare }
    var operations: [ListOperation] = []
    for _ in 0..<(tag - 1) {
      guard let operation = listOperation() else { return nil }
      operations.append(operation)
    }
    return .operations(operations)
  }

  private mutating func listOperation() -> ListOperation? {
    guard let code = integer() else { return nil }
    if code == 5 { return .clear }
    guard let first = integer(), first <= TableChanges.listIndexMax else { return nil }
    if code == 2 { return .set(index: first) }
    guard let second = integer(), second <= TableChanges.listIndexMax else { return nil }
    switch code {
    case 0: return .insert(index: first, count: second)
    case 1: return .remove(index: first, count: second)
    case 3: return .move(from: first, to: second)
    case 4: return .swap(first, second)
    default: return nil
    }
  }
}
