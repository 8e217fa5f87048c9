import Storage

/// The index of a column: which objects have a value, without looking at the objects.
///
/// Integers, booleans and dates are indexed in order and can be counted and walked by range;
/// strings, ObjectIds and UUIDs by a hash, for equality only (`isOrdered`); values of any kind by
/// an `AnyIndexKey`, in the order of which ranges of them are. Nulls stand apart.
///
/// Index node: reference 0 is the tree of values, 1 the tree of the objects that hold null (all
/// with value 0).
@frozen
public struct ColumnIndex: Sendable {
  public let table: Table
  public let column: ColumnKey
  public let kind: ValueKind
  let values: NodeReference
  let nulls: NodeReference

  /// Whether `count(from:through:)`, `keys(from:through:)` and `ordered` are of use.
  public var isOrdered: Bool {
    switch kind {
    case .int, .bool, .date: return true
    default: return false
    }
  }

  init?(
    table: Table, property: PropertyDescription
  ) throws(StorageError) {
    guard property.indexSlot != 0 else { return nil }
    let reference = try table.indexRoot(property.indexSlot)
    self.table = table
    column = property.columnKey
    kind = property.kind
    if reference.isNone {
      values = .none
      nulls = .none
    } else {
      let node = try table.source.node(reference, .index)
      values = node.reference(0)
      nulls = node.reference(1)
    }
  }

  /// The value as an ordered index keeps it: integers as they are, booleans as 0 and 1, dates in
  /// their order.
  public static func orderedKey(_ value: StoredValue) -> Int64? {
    switch value {
    case .int(let value): return value
    case .bool(let value): return value ? 1 : 0
    case .date(let value): return IndexValue.ordered(value)
    default: return nil
    }
  }

  /// How many objects have exactly that value; null counts nulls.
  public func count(equal value: StoredValue) throws(StorageError) -> Int {
    if value == .null { return try PairTree.count(nulls, in: table.source) }
    if kind != .any, let key = ColumnIndex.orderedKey(value) {
      return try PairTree.count(values, equal: key, in: table.source)
    }
    return try keys(equal: value).count
  }

  /// The objects that have exactly that value, or of values of any kind one that compares equal, by
  /// rising key, `limit` of them at most.
  public func keys(
    equal value: StoredValue, limit: Int = .max
  ) throws(StorageError) -> [ObjectKey] {
    if value == .null { return try keys(nulls, 0, 0, limit) }
    if kind == .any { return try keys(ofAny: value, limit) }
    if let key = ColumnIndex.orderedKey(value) { return try keys(values, key, key, limit) }
    return try PrimaryKeyLookup.candidates(
      value, column: column, values: values, table: table, limit: limit)
  }

  /// The first of those objects; nil for values of any kind.
  func firstKey(equal value: StoredValue) throws(StorageError) -> ObjectKey? {
    if let key = ColumnIndex.orderedKey(value) {
      return try PrimaryKeyLookup.first(key, values: values, table: table)
    }
    return try PrimaryKeyLookup.first(value, column: column, values: values, table: table)
  }

  private func keys(
    ofAny value: StoredValue, _ limit: Int
  ) throws(StorageError) -> [ObjectKey] {
    guard let range = AnyIndexKey.place(of: value)?.keys else { return [] }
    let found = try keys(values, range.lowerBound, range.upperBound, .max)
    var equal: [ObjectKey] = []
    for key in found.sorted() where equal.count < limit {
      guard let position = try table.find(key) else { continue }
      if SetOrder.areEqualInQueries(try table.any(column, at: position), value) {
        equal.append(key)
      }
    }
    return equal
  }

  /// How many objects have a value within the bounds (`orderedKey`); nulls do not.
  public func count(from lower: Int64, through upper: Int64) throws(StorageError) -> Int {
    try PairTree.count(values, from: lower, through: upper, in: table.source)
  }

  /// The objects with a value within the bounds, by rising value, then key, `limit` of them at
  /// most.
  public func keys(
    from lower: Int64, through upper: Int64, limit: Int = .max
  ) throws(StorageError) -> [ObjectKey] {
    try keys(values, lower, upper, limit)
  }

  private func keys(
    _ root: NodeReference, _ lower: Int64, _ upper: Int64, _ limit: Int
  ) throws(StorageError) -> [ObjectKey] {
    var keys: [ObjectKey] = []
    try PairTree.forEachKey(root, from: lower, through: upper, in: table.source) { key in
      if keys.count < limit { keys.append(ObjectKey(rawValue: key)) }
      return keys.count >= limit
    }
    return keys
  }

  /// How many objects hold null.
  public var nullCount: Int { get throws(StorageError) { try count(equal: .null) } }

  /// The entry at `index` of the order by value, then key; nulls are not among them.
  public func entry(at index: Int) throws(StorageError) -> IndexPair {
    try PairTree.pair(values, at: index, in: table.source)
  }

  /// How many entries have a smaller value (`orderedKey`).
  public func rank(of value: Int64) throws(StorageError) -> Int {
    try PairTree.rank(values, IndexPair(value, .min), in: table.source)
  }
}

extension Table {
  /// The index of a property, if it has one (primary keys have).
  public func index(of property: PropertyDescription) throws(StorageError) -> ColumnIndex? {
    try ColumnIndex(table: self, property: property)
  }
}
