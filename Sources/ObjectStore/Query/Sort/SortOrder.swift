import Storage

/// The total order that results are sorted in.
///
/// Null comes first, then booleans, numbers (not-a-number before all others), strings, data, dates,
/// ids, links. Equal values are told apart by nothing: the sort is stable.
enum SortOrder {
  /// The same of values that may not be there, because a link on the way to them leads to nothing:
  /// those come last.
  static func compare(_ left: RowValue?, _ right: RowValue?) -> Ordering {
    guard let left, let right else { return .of(left == nil ? 1 : 0, right == nil ? 1 : 0) }
    return compare(left, right)
  }

  static func compare(_ left: RowValue, _ right: RowValue) -> Ordering {
    let ranks = (rank(left), rank(right))
    if ranks.0 != ranks.1 { return .of(ranks.0, ranks.1) }
    return RowValue.compare(left, right)
  }

  private static func rank(_ value: RowValue) -> Int {
    switch value {
    case .null: 0
    case .bool: 1
    case .int, .float, .double, .decimal128: 2
    case .string: 3
    case .data: 4
    case .date: 5
    case .objectId: 6
    case .uuid: 7
    case .link: 8
    }
  }
}

/// A sort key resolved against a schema.
struct CompiledSortKey: Sendable {
  var path: CompiledPath
  var ascending: Bool

  /// What the object is sorted by; nil where a link on the way leads to nothing.
  func value(
    _ context: EvaluationContext, _ place: PathPlace
  ) throws(StorageError) -> RowValue? {
    try path.single(context, from: place)
  }
}

extension [CompiledSortKey] {
  /// How two objects, given by their values at the sort keys, compare; equal if none tells them
  /// apart.
  func compare(_ left: [RowValue?], _ right: [RowValue?]) -> Ordering {
    for index in indices {
      let order = SortOrder.compare(left[index], right[index])
      if order != .equal { return self[index].ascending ? order : order.reversed }
    }
    return .equal
  }
}
