import Storage

/// The total order that results are sorted in.
///
/// Null comes first, then numbers (not-a-number before all others), strings, data, dates, ids,
/// links. Equal values are told apart by nothing: the sort is stable.
enum SortOrder {
  static func compare(_ left: RowValue, _ right: RowValue) -> Ordering {
    let ranks = (rank(left), rank(right))
    if ranks.0 != ranks.1 { return .of(ranks.0, ranks.1) }
    let order = RowValue.compare(left, right)
    if order != .different { return order }
    if case .link(let tableA, let a) = left, case .link(let tableB, let b) = right {
      return tableA == tableB ? .of(a, b) : .of(tableA, tableB)
    }
    // Numbers that do not compare: at least one of them is not a number.
    return .of(isNumber(left) ? 1 : 0, isNumber(right) ? 1 : 0)
  }

  private static func rank(_ value: RowValue) -> Int {
    switch value {
    case .null: 0
    case .int, .bool, .float, .double, .decimal128: 1
    case .string: 2
    case .data: 3
    case .date: 4
    case .objectId: 5
    case .uuid: 6
    case .link: 7
    }
  }

  private static func isNumber(_ value: RowValue) -> Bool {
    switch value {
    case .float(let value): !value.isNaN
    case .double(let value), .date(let value): !value.isNaN
    case .decimal128(let bits): DecimalNumber(bits).kind != .notANumber
    default: true
    }
  }
}

/// A sort key resolved against a schema.
struct CompiledSortKey: Sendable {
  var path: CompiledPath
  var ascending: Bool

  /// What the object is sorted by.
  func value(
    _ context: EvaluationContext, _ place: PathPlace
  ) throws(StorageError) -> RowValue {
    var value = RowValue.null
    _ = try path.any(context, from: place) { (found) throws(StorageError) in
      value = found
      return true
    }
    return value
  }
}

extension [CompiledSortKey] {
  /// How two objects, given by their values at the sort keys, compare; equal if none tells them
  /// apart.
  func compare(_ left: [RowValue], _ right: [RowValue]) -> Ordering {
    for index in indices {
      let order = SortOrder.compare(left[index], right[index])
      if order != .equal { return self[index].ascending ? order : order.reversed }
    }
    return .equal
  }
}
