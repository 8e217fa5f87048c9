import ObjectStore
import Storage
import SyncProtocol

/// Objects that were made, or of which one property or collection was written, in one commit.
struct LogEntry: Equatable {
  enum Write: Equatable {
    /// The objects were made.
    case creation
    /// A property got a value.
    case property(ColumnKey)
    /// What was done to a list, in its order.
    case list(ColumnKey, [ListOperation])
    /// A member of a set, or a key of a map, is there, or was taken out.
    case cell(ColumnKey, StoredValue, isThere: Bool)
  }

  /// The time of its first write, of the client's clock.
  var time: UInt64
  var table: TableKey
  var write: Write
  /// One object, unless they were made or got values of a property.
  var objects: Range<Int64>

  /// The time of its last write: each element of a list has one of its own.
  var last: UInt64 {
    guard case .list(_, let operations) = write else { return time }
    return HybridClock.last(of: operations.writes, from: time)
  }

  /// How much there is to do when it is read.
  var cost: Int {
    if case .list(_, let operations) = write { max(1, operations.writes) } else { 1 }
  }
}

extension [ListOperation] {
  /// How many writes of elements, or of the whole list, these are for the client's core.
  var writes: Int {
    reduce(0) { sum, operation in
      switch operation {
      case .insert(_, let count), .remove(_, let count): sum + count
      case .set, .move, .clear: sum + 1
      case .swap(let left, let right): sum + Swift.min(abs(left - right), 2)
      }
    }
  }
}

// In bytes. Every entry begins with its time, counted from the last write of the one before, and
// the table and a bit; without it the column of the property follows, and then in any case the
// first object and how many there are. No objects at all is a collection of the one object: then
// come the kind, the column, and what was done.
extension LogEntry {
  private enum Kind: Int {
    case list = 0
    case present = 1
    case absent = 2
  }

  func append(after before: UInt64, to encoder: inout ByteEncoder) {
    encoder.append(time &- before)
    let number = UInt64(table.rawValue) << 1
    let first = UInt64(bitPattern: objects.lowerBound)
    switch write {
    case .creation:
      encoder.append(number | 1)
      encoder.append(first)
      encoder.append(objects.count)
    case .property(let column):
      encoder.append(number)
      encoder.append(UInt64(column.rawValue))
      encoder.append(first)
      encoder.append(objects.count)
    case .list(let column, let operations):
      encoder.append(number | 1)
      encoder.append(first)
      append(.list, column, to: &encoder)
      encoder.append(.operations(operations))
    case .cell(let column, let value, let isThere):
      encoder.append(number | 1)
      encoder.append(first)
      append(isThere ? .present : .absent, column, to: &encoder)
      encoder.append(data: ValueCodec.encode(value))
    }
  }

  private func append(_ kind: Kind, _ column: ColumnKey, to encoder: inout ByteEncoder) {
    encoder.append(0)
    encoder.append(kind.rawValue)
    encoder.append(UInt64(column.rawValue))
  }

  /// Nil if the bytes make no sense.
  init?(_ decoder: inout ByteDecoder, after before: UInt64) {
    guard let passed = decoder.unsigned(), let number = decoder.unsigned(),
      let table = UInt32(exactly: number >> 1)
    else { return nil }
    var column: ColumnKey?
    if number & 1 == 0 {
      guard let known = decoder.column() else { return nil }
      column = known
    }
    guard let first = decoder.unsigned(), let low = Int64(exactly: first),
      let count = decoder.integer()
    else { return nil }
    if count == 0, column == nil {
      guard let write = Self.collection(&decoder), low < Int64.max else { return nil }
      self.write = write
    } else {
      write = column.map { .property($0) } ?? .creation
    }
    let (high, overflow) = low.addingReportingOverflow(Int64(max(count, 1)))
    if overflow || (count == 0 && column != nil) { return nil }
    time = before &+ passed
    self.table = TableKey(rawValue: table)
    objects = low..<high
  }

  private static func collection(_ decoder: inout ByteDecoder) -> Write? {
    guard let kind = decoder.integer().flatMap({ Kind(rawValue: $0) }),
      let column = decoder.column()
    else { return nil }
    if kind == .list {
      guard case .operations(let operations) = decoder.listChange(),
        operations.allSatisfy(\.isModest), operations.writes <= LogRules.writesMax
      else { return nil }
      return .list(column, operations)
    }
    guard let bytes = decoder.data() else { return nil }
    let value = unsafe bytes.withUnsafeBytes { unsafe ValueCodec.decode($0) }
    return .cell(column, value, isThere: kind == .present)
  }
}

extension ListOperation {
  /// Whether it is no more than the log takes.
  fileprivate var isModest: Bool {
    switch self {
    case .insert(_, let count), .remove(_, let count): count <= LogRules.writesMax
    default: true
    }
  }
}

extension ByteDecoder {
  fileprivate mutating func column() -> ColumnKey? {
    unsigned().flatMap { UInt32(exactly: $0) }.map { ColumnKey(rawValue: $0) }
  }
}
