import Storage

/// A predicate that looks at one row after the other.
protocol RowNode: PredicateNode {
  func holds(_ context: EvaluationContext, _ place: PathPlace) throws(StorageError) -> Bool
}

extension RowNode {
  var cost: Int { 256 }

  func select(
    _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    var found = Selection.none
    try candidates.forEach { (row) throws(StorageError) in
      if try holds(rows.context, rows.place(row)) { found.insert(row) }
    }
    return found
  }

  func holds(_ rows: ClusterRows, _ row: Int) throws(StorageError) -> Bool {
    try holds(rows.context, rows.place(row))
  }
}

/// Any value (or each) of one expression compared with any value of another.
final class RowCompareNode: RowNode {
  private let left: CompiledExpression
  private let right: CompiledExpression
  private let comparison: QueryComparison
  private let isForAll: Bool
  let probe: IndexProbe?
  let probedColumn: ColumnKey?

  /// - Parameter column: the column of values of any kind that is compared with a constant, if one
  ///   is.
  init(
    _ left: CompiledExpression, _ comparison: QueryComparison, _ right: CompiledExpression,
    isForAll: Bool = false, column: ColumnKey? = nil
  ) {
    self.left = left
    self.right = right
    self.comparison = comparison
    self.isForAll = isForAll
    probedColumn = column
    if column != nil, case .value(let constant) = right {
      probe = .any(comparison, constant.stored)
    } else {
      probe = nil
    }
  }

  func holds(
    _ context: EvaluationContext, _ place: PathPlace
  ) throws(StorageError) -> Bool {
    let comparison = self.comparison
    let right = self.right
    if isForAll {
      return try !left.any(context, place) { (left) throws(StorageError) in
        try !right.any(context, place) { (right) throws(StorageError) in
          Self.holds(left, comparison, right)
        }
      }
    }
    if case .value(let constant) = right {
      let value = constant.row
      return try left.any(context, place) { (left) throws(StorageError) in
        Self.holds(left, comparison, value)
      }
    }
    return try left.any(context, place) { (left) throws(StorageError) in
      try right.any(context, place) { (right) throws(StorageError) in
        Self.holds(left, comparison, right)
      }
    }
  }

  @inline(__always)
  static func holds(_ left: RowValue, _ comparison: QueryComparison, _ right: RowValue) -> Bool {
    RowValue.compare(left, right).satisfies(comparison)
  }
}

/// Any string or data (or each) of an expression against a constant of the same kind.
final class RowTextNode: RowNode {
  private let left: CompiledExpression
  private let matcher: TextMatcher
  private let isData: Bool
  /// What values of other kinds give: true for "not equal".
  private let holdsForOthers: Bool
  private let isForAll: Bool

  init(_ left: CompiledExpression, _ matcher: TextMatcher, isData: Bool, isForAll: Bool) {
    self.isForAll = isForAll
    self.left = left
    self.matcher = matcher
    self.isData = isData
    holdsForOthers = matcher.test == .compare(.notEqual)
  }

  func holds(
    _ context: EvaluationContext, _ place: PathPlace
  ) throws(StorageError) -> Bool {
    let matcher = self.matcher
    let (isData, holdsForOthers, isForAll) = (self.isData, self.holdsForOthers, self.isForAll)
    let isFound = try left.any(context, place) { (value) throws(StorageError) in
      switch value {
      case .string(let bytes) where !isData, .data(let bytes) where isData:
        return unsafe matcher.matches(bytes, scratch: &context.scratch) != isForAll
      default: return holdsForOthers != isForAll
      }
    }
    return isFound != isForAll
  }
}

/// Strings of one expression against strings of another, so the pattern changes from row to row.
final class RowTextPairNode: RowNode {
  private let left: CompiledExpression
  private let right: CompiledExpression
  private let test: TextMatcher.Test
  private let options: TextOptions
  private let isForAll: Bool

  init(
    _ left: CompiledExpression, _ test: TextMatcher.Test, _ right: CompiledExpression,
    _ options: TextOptions, isForAll: Bool
  ) {
    self.isForAll = isForAll
    self.left = left
    self.right = right
    self.test = test
    self.options = options
  }

  func holds(
    _ context: EvaluationContext, _ place: PathPlace
  ) throws(StorageError) -> Bool {
    let isForAll = self.isForAll
    let isFound = try left.any(context, place) { (value) throws(StorageError) in
      try right.any(context, place) { (pattern) throws(StorageError) in
        holds(context, value, pattern)
      } != isForAll
    }
    return isFound != isForAll
  }

  private func holds(
    _ context: EvaluationContext, _ value: RowValue, _ pattern: RowValue
  ) -> Bool {
    switch (value, pattern) {
    case (.string(let bytes), .string(let pattern)), (.data(let bytes), .data(let pattern)):
      if unsafe pattern.isEmpty, test.isInside { return false }
      return unsafe TextMatcher(test, pattern, options).matches(bytes, scratch: &context.scratch)
    case (.null, .null): return test != .compare(.notEqual)
    case (_, .null) where test.isInside: return true
    default: return test == .compare(.notEqual)
    }
  }
}

/// Any value (or each) of an expression equal to one of several constants.
final class RowSetNode: RowNode {
  private let left: CompiledExpression
  private let values: [ConstantValue]
  private let isForAll: Bool
  let probe: IndexProbe?
  let probedColumn: ColumnKey?

  /// - Parameter column: the column of values of any kind that these are looked for in, if it is
  ///   one.
  init(
    _ left: CompiledExpression, _ values: [ConstantValue], isForAll: Bool, column: ColumnKey?
  ) {
    self.isForAll = isForAll
    self.left = left
    self.values = values
    probedColumn = column
    probe = column == nil ? nil : .any(in: values.map(\.stored))
  }

  func holds(
    _ context: EvaluationContext, _ place: PathPlace
  ) throws(StorageError) -> Bool {
    let (values, isForAll) = (self.values, self.isForAll)
    let isFound = try left.any(context, place) { (value) throws(StorageError) in
      values.contains { RowValue.compare(value, $0.row) == .equal } != isForAll
    }
    return isFound != isForAll
  }
}

/// Whether an expression has any value at all.
final class RowExistsNode: RowNode {
  private let left: CompiledExpression

  init(_ left: CompiledExpression) { self.left = left }

  func holds(
    _ context: EvaluationContext, _ place: PathPlace
  ) throws(StorageError) -> Bool {
    try left.any(context, place) { (_) throws(StorageError) in true }
  }
}

/// Any value (or each) of an expression that is of one of several kinds.
final class RowKindNode: RowNode {
  private let left: CompiledExpression
  private let kinds: QueryKinds
  private let isForAll: Bool

  init(_ left: CompiledExpression, _ kinds: QueryKinds, isForAll: Bool) {
    self.left = left
    self.kinds = kinds
    self.isForAll = isForAll
  }

  func holds(
    _ context: EvaluationContext, _ place: PathPlace
  ) throws(StorageError) -> Bool {
    let (kinds, isForAll) = (self.kinds, self.isForAll)
    let isFound = try left.any(context, place) { (value) throws(StorageError) in
      kinds.contains(value, context) != isForAll
    }
    return isFound != isForAll
  }
}

extension QueryKinds {
  func contains(_ value: RowValue, _ context: EvaluationContext) -> Bool {
    guard let kind = value.kind else { return hasNull }
    if kind == .object, let nested = context.nestedKind(value) {
      return collections.contains(nested)
    }
    return values.contains(kind)
  }
}

extension RowValue {
  /// Nil for null.
  var kind: ValueKind? {
    switch self {
    case .null: nil
    case .int: .int
    case .bool: .bool
    case .float: .float
    case .double: .double
    case .string: .string
    case .data: .data
    case .date: .date
    case .objectId: .objectId
    case .uuid: .uuid
    case .decimal128: .decimal128
    case .link: .object
    }
  }
}
