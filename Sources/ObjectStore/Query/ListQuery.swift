import Storage

/// A query on the elements of a list of scalars, made ready to run.
///
/// In its predicate the empty path is the element; there are no other paths.
public struct ListQuery: Sendable {
  private let predicate: ElementPredicate
  /// True, false, or nil for the order of the list.
  private let ascending: Bool?
  private let isDistinct: Bool
  private let limit: Int?

  /// - Parameters:
  ///   - kind: of the elements of the lists that it will run on.
  ///   - ascending: the order of the results; nil for that of the list. Null comes first in
  ///     ascending order, equal elements stay in the order of the list.
  ///   - isDistinct: whether only the first of equal elements is kept.
  /// - Throws: `QueryError` if the predicate does not fit.
  public init(
    kind: ValueKind, where predicate: QueryPredicate = .constant(true), ascending: Bool? = nil,
    isDistinct: Bool = false, limit: Int? = nil
  ) throws(QueryError) {
    self.predicate = try ElementPredicate(predicate, kind)
    self.ascending = ascending
    self.isDistinct = isDistinct
    self.limit = limit
  }

  /// The places of the results in the list, in order.
  public func evaluate(_ list: ListView) throws(StorageError) -> [Int] {
    let context = EvaluationContext(
      StoreView(source: list.source, root: .none, schema: SchemaDescription(classes: [])))
    var places: [Int] = []
    var values: [RowValue] = []
    let column = ColumnInfo(list)
    var leaves = list.leaves()
    while let (vector, start) = try leaves.next() {
      for row in 0..<vector.count {
        let value = try context.read(vector, row, column)
        guard predicate.holds(value, &context.scratch) else { continue }
        places.append(start + row)
        values.append(value)
      }
    }
    var order = Array(places.indices)
    if let ascending {
      order.sort { left, right in
        switch SortOrder.compare(values[left], values[right]) {
        case .less: ascending
        case .greater: !ascending
        case .equal, .different: left < right
        }
      }
    }
    if isDistinct {
      var seen: Set<StoredValue> = []
      order = order.filter { seen.insert(values[$0].stored).inserted }
    }
    return order.prefix(limit ?? .max).map { places[$0] }
  }
}

extension ColumnInfo {
  /// The elements of a list.
  init(_ list: ListView) {
    key = .unassigned
    kind = list.kind
    isOptional = list.isOptional
    target = list.target
  }
}

/// A predicate on single values.
private indirect enum ElementPredicate: Sendable {
  case constant(Bool)
  case compare(QueryComparison, ConstantValue)
  case text(TextMatcher, holdsForNull: Bool)
  case isIn([ConstantValue])
  case between(ConstantValue, ConstantValue)
  case and([ElementPredicate])
  case or([ElementPredicate])
  case not(ElementPredicate)

  init(_ predicate: QueryPredicate, _ kind: ValueKind) throws(QueryError) {
    switch predicate {
    case .constant(let value): self = .constant(value)
    case .and(let parts): self = .and(try Self.all(parts, kind))
    case .or(let parts): self = .or(try Self.all(parts, kind))
    case .not(let part): self = .not(try ElementPredicate(part, kind))
    case .compare(let left, let comparison, let right, let options):
      self = try Self.compare(left, comparison, right, options, kind)
    case .text(let left, let operation, let right, let options):
      try Self.checkElement(left)
      self = try Self.text(.text(operation), try Self.constant(right, kind), options)
    case .isIn(let left, let values):
      try Self.checkElement(left)
      var wanted: [ConstantValue] = []
      for value in values { wanted.append(ConstantValue(try Self.coerced(value, kind))) }
      self = .isIn(wanted)
    case .between(let left, let lower, let upper):
      try Self.checkElement(left)
      self = .between(
        ConstantValue(try Self.coerced(lower, kind)), ConstantValue(try Self.coerced(upper, kind)))
    }
  }

  private static func all(
    _ parts: [QueryPredicate], _ kind: ValueKind
  ) throws(QueryError) -> [ElementPredicate] {
    var all: [ElementPredicate] = []
    for part in parts { all.append(try ElementPredicate(part, kind)) }
    return all
  }

  private static func compare(
    _ left: QueryExpression, _ comparison: QueryComparison, _ right: QueryExpression,
    _ options: TextOptions, _ kind: ValueKind
  ) throws(QueryError) -> ElementPredicate {
    if case .value = left {
      guard case .value = right else {
        return try compare(right, comparison.swapped, left, options, kind)
      }
    }
    try checkElement(left)
    let value = try constant(right, kind)
    if !options.isEmpty, value != .null { return try text(.compare(comparison), value, options) }
    return .compare(comparison, ConstantValue(value))
  }

  private static func text(
    _ test: TextMatcher.Test, _ value: StoredValue, _ options: TextOptions
  ) throws(QueryError) -> ElementPredicate {
    let bytes: [UInt8]
    switch value {
    case .string(let text): bytes = Array(text.utf8)
    case .data(let data): bytes = data
    case .null: return .constant(false)
    default: throw QueryError("\(value) is neither a string nor data.")
    }
    return .text(
      bytes.withUnsafeBytes { TextMatcher(test, $0, options) },
      holdsForNull: test == .compare(.notEqual))
  }

  private static func checkElement(_ expression: QueryExpression) throws(QueryError) {
    guard case .path(let path) = expression, path.steps.isEmpty else {
      throw QueryError("The elements of the list have no '\(expression.words)'.")
    }
  }

  private static func constant(
    _ expression: QueryExpression, _ kind: ValueKind
  ) throws(QueryError) -> StoredValue {
    guard case .value(let value) = expression else {
      throw QueryError("Elements can be compared with constants only, not '\(expression.words)'.")
    }
    return try coerced(value, kind)
  }

  private static func coerced(
    _ value: StoredValue, _ kind: ValueKind
  ) throws(QueryError) -> StoredValue {
    guard let coerced = KindRules.coerce(value, to: kind) else {
      throw QueryError("Elements of kind \(kind) cannot be compared with \(value).")
    }
    return coerced
  }

  func holds(_ value: RowValue, _ scratch: inout [UInt8]) -> Bool {
    switch self {
    case .constant(let constant): return constant
    case .compare(let comparison, let constant):
      return RowCompareNode.holds(value, comparison, constant.row)
    case .text(let matcher, let holdsForNull):
      switch value {
      case .string(let bytes), .data(let bytes): return matcher.matches(bytes, scratch: &scratch)
      default: return holdsForNull
      }
    case .isIn(let wanted):
      return wanted.contains { RowValue.compare(value, $0.row) == .equal }
    case .between(let lower, let upper):
      return RowCompareNode.holds(value, .greaterOrEqual, lower.row)
        && RowCompareNode.holds(value, .lessOrEqual, upper.row)
    case .and(let parts):
      for part in parts where !part.holds(value, &scratch) { return false }
      return true
    case .or(let parts):
      for part in parts where part.holds(value, &scratch) { return true }
      return false
    case .not(let part): return !part.holds(value, &scratch)
    }
  }
}
