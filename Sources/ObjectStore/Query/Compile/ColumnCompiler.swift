/// Nodes for comparisons of a plain column with constants that fit it (`KindRules.coerce`).
///
/// Nil where there is no vector form; the row-by-row form does then.
enum ColumnCompiler {
  /// - Parameter isDirect: whether the column is one of the objects themselves rather than of those
  ///   that they link to. Null is below all strings there, and only there, as in Realm's core.
  static func compare(
    _ column: ColumnInfo, _ comparison: QueryComparison, _ value: StoredValue,
    isDirect: Bool = true
  ) -> (any PredicateNode)? {
    let isNullLeast = isDirect && column.kind == .string
    if value == .null { return null(column, comparison, isLeast: isNullLeast) }
    switch (column.kind, value) {
    case (.int, _), (.bool, _): return integers(column, comparison, value)
    case (.float, .float(let value)): return floats(column, comparison, value)
    case (.float, .int(let value)) where value.magnitude <= 1 << 24:
      return floats(column, comparison, Float(value))
    case (.double, .double(let value)), (.date, .date(let value)):
      return doubles(column, comparison, value)
    case (.double, .float(let value)): return doubles(column, comparison, Double(value))
    case (.double, .int(let value)) where value.magnitude <= 1 << 53:
      return doubles(column, comparison, Double(value))
    case (.string, .string(let text)):
      return bytes(column, comparison, Array(text.utf8), isNullLeast: isNullLeast)
    case (.data, .data(let data)): return bytes(column, comparison, data, isNullLeast: false)
    case (.objectId, .objectId(let value)):
      return unsafe fixed(
        column, comparison, withUnsafeBytes(of: value) { unsafe Array($0.prefix(12)) })
    case (.uuid, .uuid(let value)):
      return unsafe fixed(
        column, comparison, withUnsafeBytes(of: value) { unsafe Array($0.prefix(16)) })
    case (.object, .link(let table, let key)): return link(column, comparison, table, key)
    default: return nil
    }
  }

  private static func null(
    _ column: ColumnInfo, _ comparison: QueryComparison, isLeast: Bool
  ) -> any PredicateNode {
    switch comparison {
    case .equal, .lessOrEqual: return NullNode(column, isNull: true)
    case .notEqual: return NullNode(column, isNull: false)
    case .greaterOrEqual: return isLeast ? ConstantNode(true) : NullNode(column, isNull: true)
    case .greater: return isLeast ? NullNode(column, isNull: false) : ConstantNode(false)
    case .less: return ConstantNode(false)
    }
  }

  private static func integers(
    _ column: ColumnInfo, _ comparison: QueryComparison, _ value: StoredValue
  ) -> (any PredicateNode)? {
    let range: ClosedRange<Int64>?
    var isInverted = false
    switch value {
    case .int(let value): (range, isInverted) = integerRange(comparison, value)
    case .bool(let value): (range, isInverted) = integerRange(comparison, value ? 1 : 0)
    case .double(let value): (range, isInverted) = NumberOrder.integers(comparison, value)
    case .float(let value): (range, isInverted) = NumberOrder.integers(comparison, Double(value))
    default: return nil
    }
    guard let range else { return ConstantNode(isInverted) }
    return IntegerRangeNode(column, range, isInverted: isInverted)
  }

  private static func integerRange(
    _ comparison: QueryComparison, _ value: Int64
  ) -> (ClosedRange<Int64>?, Bool) {
    switch comparison {
    case .equal: (value...value, false)
    case .notEqual: (value...value, true)
    case .less: (value == .min ? nil : Int64.min...(value - 1), false)
    case .lessOrEqual: (Int64.min...value, false)
    case .greater: (value == .max ? nil : (value + 1)...Int64.max, false)
    case .greaterOrEqual: (value...Int64.max, false)
    }
  }

  private static func doubles(
    _ column: ColumnInfo, _ comparison: QueryComparison, _ value: Double
  ) -> any PredicateNode {
    if value.isNaN { return ConstantNode(comparison == .notEqual) }
    let all = -Double.infinity...Double.infinity
    switch comparison {
    case .equal: return DoubleRangeNode(column, value, value)
    case .notEqual: return DoubleRangeNode(column, value, value, isInverted: true)
    case .lessOrEqual: return DoubleRangeNode(column, all.lowerBound, value)
    case .greaterOrEqual: return DoubleRangeNode(column, value, all.upperBound)
    case .less where value == all.lowerBound, .greater where value == all.upperBound:
      return ConstantNode(false)
    case .less: return DoubleRangeNode(column, all.lowerBound, value.nextDown)
    case .greater: return DoubleRangeNode(column, value.nextUp, all.upperBound)
    }
  }

  private static func floats(
    _ column: ColumnInfo, _ comparison: QueryComparison, _ value: Float
  ) -> any PredicateNode {
    if value.isNaN { return ConstantNode(comparison == .notEqual) }
    let all = -Float.infinity...Float.infinity
    switch comparison {
    case .equal: return FloatRangeNode(column, value, value)
    case .notEqual: return FloatRangeNode(column, value, value, isInverted: true)
    case .lessOrEqual: return FloatRangeNode(column, all.lowerBound, value)
    case .greaterOrEqual: return FloatRangeNode(column, value, all.upperBound)
    case .less where value == all.lowerBound, .greater where value == all.upperBound:
      return ConstantNode(false)
    case .less: return FloatRangeNode(column, all.lowerBound, value.nextDown)
    case .greater: return FloatRangeNode(column, value.nextUp, all.upperBound)
    }
  }

  private static func bytes(
    _ column: ColumnInfo, _ comparison: QueryComparison, _ value: [UInt8], isNullLeast: Bool
  ) -> any PredicateNode {
    // Null is not in what is greater, and so it is in the inverse.
    let takesNull = isNullLeast && column.isOptional
    let (scan, test, isInverted): (ColumnScan.BytesTest, QueryComparison, Bool) =
      switch comparison {
      case .equal: (.equal, .equal, false)
      case .notEqual: (.equal, .equal, true)
      case .less where takesNull: (.greaterOrEqual, .greaterOrEqual, true)
      case .less: (.less, .less, false)
      case .lessOrEqual where takesNull: (.greater, .greater, true)
      case .lessOrEqual: (.lessOrEqual, .lessOrEqual, false)
      case .greater: (.greater, .greater, false)
      case .greaterOrEqual: (.greaterOrEqual, .greaterOrEqual, false)
      }
    return BytesNode(column, scan, .compare(test), value, isInverted: isInverted)
  }

  private static func fixed(
    _ column: ColumnInfo, _ comparison: QueryComparison, _ value: [UInt8]
  ) -> (any PredicateNode)? {
    switch comparison {
    case .equal: FixedEqualNode(column, value, isInverted: false)
    case .notEqual: FixedEqualNode(column, value, isInverted: true)
    default: nil
    }
  }

  private static func link(
    _ column: ColumnInfo, _ comparison: QueryComparison, _ table: TableKey, _ key: ObjectKey
  ) -> any PredicateNode {
    let isEqual = comparison == .equal
    guard table == column.target, isEqual || comparison == .notEqual else {
      return ConstantNode(comparison == .notEqual)
    }
    let stored = key.rawValue + 1
    return IntegerRangeNode(column, stored...stored, isInverted: !isEqual)
  }

  /// Strings with folding, and parts of strings or data.
  static func text(
    _ column: ColumnInfo, _ test: TextMatcher.Test, _ value: [UInt8], _ options: TextOptions
  ) -> (any PredicateNode)? {
    guard column.kind == .string || column.kind == .data else { return nil }
    if options.isEmpty {
      switch test {
      case .text(.begins): return BytesNode(column, .begins, test, value, isInverted: false)
      case .text(.ends): return BytesNode(column, .ends, test, value, isInverted: false)
      case .text(.contains): return BytesNode(column, .contains, test, value, isInverted: false)
      case .text(.like), .compare: break
      }
    }
    let isInverted = test == .compare(.notEqual)
    let matcher = unsafe value.withUnsafeBytes {
      unsafe TextMatcher(isInverted ? .compare(.equal) : test, $0, options)
    }
    return TextNode(column, matcher, isInverted: isInverted)
  }

  static func isIn(_ column: ColumnInfo, _ values: [StoredValue]) -> (any PredicateNode)? {
    var nodes: [any PredicateNode] = []
    var rest = values
    if let null = rest.firstIndex(of: .null) {
      nodes.append(NullNode(column, isNull: true))
      rest.remove(at: null)
      rest.removeAll { $0 == .null }
    }
    if let set = setNode(column, rest) {
      nodes.append(set)
    } else {
      for value in rest {
        guard nodes.count < 16, let node = compare(column, .equal, value) else { return nil }
        nodes.append(node)
      }
    }
    return PredicateCompiler.joined(nodes, whenEmpty: false) { DisjunctionNode($0) }
  }

  private static func setNode(_ column: ColumnInfo, _ values: [StoredValue]) -> (any PredicateNode)?
  {
    guard values.count > 2 else { return nil }
    switch column.kind {
    case .int:
      let integers = values.compactMap { value -> Int64? in
        if case .int(let value) = value { value } else { nil }
      }
      return integers.count == values.count ? IntegerSetNode(column, Set(integers)) : nil
    case .string, .data:
      return BytesSetNode(
        column,
        Set(
          values.map { value in
            switch value {
            case .string(let text): Array(text.utf8)
            case .data(let data): data
            default: []
            }
          }))
    default: return nil
    }
  }
}
