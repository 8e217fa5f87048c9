import Storage

/// A query on the elements of a list of scalars, made ready to run.
///
/// In its predicate the empty path is the element. There are no other paths, but those into
/// elements that are lists or maps.
public struct ListQuery: Sendable {
  private let predicate: ElementPredicate
  private let stages: [QueryStage]

  /// - Parameters:
  ///   - kind: of the elements of the lists that it will run on.
  ///   - stages: the elements themselves are sorted and told apart, whatever the paths.
  /// - Throws: `QueryError` if the predicate does not fit.
  public init(
    kind: ValueKind, where predicate: QueryPredicate = .constant(true), stages: [QueryStage] = []
  ) throws(QueryError) {
    self.predicate = try ElementPredicate(predicate, kind)
    self.stages = stages
  }

  /// The places of the results in the list, in order.
  ///
  /// - Parameter view: the version that the list is of.
  public func evaluate(_ list: ListView, _ view: StoreView) throws(StorageError) -> [Int] {
    let context = EvaluationContext(view)
    var places: [Int] = []
    var values: [RowValue] = []
    let column = ColumnInfo(list)
    var leaves = list.leaves()
    while let (vector, start) = try leaves.next() {
      for row in 0..<vector.count {
        let value = try context.read(vector, row, column)
        guard try predicate.holds(value, context) else { continue }
        places.append(start + row)
        values.append(value)
      }
    }
    return withExtendedLifetime(context) { order(of: values).map { places[$0] } }
  }

  private func order(of values: [RowValue]) -> [Int] {
    var order = Array(values.indices)
    for stage in stages {
      switch stage {
      case .sort(let keys):
        order = ranked(order, by: values, isAscending: keys[0].ascending).map { order[$0] }
      case .distinct:
        var firsts: [Int] = []
        var last: RowValue?
        for place in ranked(order, by: values, isAscending: true) {
          let value = values[order[place]]
          if let last, SortOrder.compare(last, value) == .equal { continue }
          firsts.append(place)
          last = value
        }
        order = firsts.sorted().map { order[$0] }
      case .limit(let count): order = Array(order.prefix(count))
      }
    }
    return order
  }

  /// The places of `order` by the values there; of those that are equal the first comes first.
  private func ranked(_ order: [Int], by values: [RowValue], isAscending: Bool) -> [Int] {
    order.indices.sorted { left, right in
      switch SortOrder.compare(values[order[left]], values[order[right]]) {
      case .less: isAscending
      case .greater: !isAscending
      case .equal, .different: left < right
      }
    }
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
  case text(TextMatcher, isData: Bool)
  case search(TextSearch)
  case isIn([ConstantValue])
  case kinds(QueryKinds)
  case between(ConstantValue, ConstantValue)
  case and([ElementPredicate])
  case or([ElementPredicate])
  case not(ElementPredicate)
  /// Holds for any of the values that the steps into the element lead to.
  case inside([NestedStep], ElementPredicate)

  init(_ predicate: QueryPredicate, _ kind: ValueKind) throws(QueryError) {
    switch predicate {
    case .constant(let value): self = .constant(value)
    case .and(let parts): self = .and(try Self.all(parts, kind))
    case .or(let parts): self = .or(try Self.all(parts, kind))
    case .not(let part): self = .not(try ElementPredicate(part, kind))
    case .compare(let left, let comparison, let right, let options):
      self = try Self.compare(left, comparison, right, options, kind)
    case .isOfKind(let left, let kinds):
      self = try Self.element(left, kind) { (_) in .kinds(kinds) }
    case .search(let left, let text):
      self = try Self.element(left, kind) { (_) in .search(TextSearch(text)) }
    case .geoWithin(let path, _):
      throw QueryError("'\(path.description)' is no link to an object that has a place.")
    case .all(let part): self = try ElementPredicate(part, kind)
    case .text(let left, let operation, let right, let options):
      self = try Self.element(left, kind) { (kind) throws(QueryError) in
        try Self.text(.text(operation), try Self.constant(right, kind), options)
      }
    case .isIn(let left, let values):
      self = try Self.element(left, kind) { (kind) in
        // What is of another kind equals nothing.
        .isIn(values.compactMap { KindRules.coerce($0, to: kind) }.map { ConstantValue($0) })
      }
    case .between(let left, let lower, let upper):
      self = try Self.element(left, kind) { (kind) throws(QueryError) in
        .between(
          ConstantValue(try Self.coerced(lower, kind)),
          ConstantValue(try Self.coerced(upper, kind)))
      }
    }
  }

  /// What is asked of the element, or of what is inside of it.
  ///
  /// - Parameters:
  ///   - kind: of the element.
  ///   - make: gets the kind of what is asked about.
  private static func element(
    _ expression: QueryExpression, _ kind: ValueKind,
    _ make: (ValueKind) throws(QueryError) -> ElementPredicate
  ) throws(QueryError) -> ElementPredicate {
    guard case .path(let path) = expression else { throw unknown(expression) }
    if path.steps.isEmpty { return try make(kind) }
    let steps = path.steps.compactMap { step -> NestedStep? in
      if case .inside(let element) = step { NestedStep(element) } else { nil }
    }
    guard steps.count == path.steps.count, kind == .any else { throw unknown(expression) }
    return .inside(steps, try make(.any))
  }

  private static func unknown(_ expression: QueryExpression) -> QueryError {
    QueryError("The elements of the list have no '\(expression.words)'.")
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
    return try element(left, kind) { (kind) throws(QueryError) in
      let value = try constant(right, kind)
      if !options.isEmpty, value != .null { return try text(.compare(comparison), value, options) }
      return .compare(comparison, ConstantValue(value))
    }
  }

  private static func text(
    _ test: TextMatcher.Test, _ value: StoredValue, _ options: TextOptions
  ) throws(QueryError) -> ElementPredicate {
    let bytes: [UInt8]
    switch value {
    case .string(let text): bytes = Array(text.utf8)
    case .data(let data): bytes = data
    case .null: return test.isInside ? .constant(true) : .compare(.equal, ConstantValue(.null))
    default: throw QueryError("\(value) is neither a string nor data.")
    }
    if bytes.isEmpty, test.isInside { return .constant(false) }
    let isData = if case .data = value { true } else { false }
    return unsafe .text(
      bytes.withUnsafeBytes { unsafe TextMatcher(test, $0, options) }, isData: isData)
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

  func holds(_ value: RowValue, _ context: EvaluationContext) throws(StorageError) -> Bool {
    switch self {
    case .constant(let constant): return constant
    case .compare(let comparison, let constant):
      return RowCompareNode.holds(value, comparison, constant.row)
    case .text(let matcher, let isData):
      switch value {
      case .string(let bytes) where !isData, .data(let bytes) where isData:
        return unsafe matcher.matches(bytes, scratch: &context.scratch)
      default: return matcher.test == .compare(.notEqual)
      }
    case .search(let search):
      guard case .string(let text) = value else { return false }
      return unsafe search.matches(text)
    case .isIn(let wanted):
      return wanted.contains { RowValue.compare(value, $0.row) == .equal }
    case .kinds(let kinds): return kinds.contains(value, context)
    case .between(let lower, let upper):
      return RowCompareNode.holds(value, .greaterOrEqual, lower.row)
        && RowCompareNode.holds(value, .lessOrEqual, upper.row)
    case .and(let parts):
      for part in parts where try !part.holds(value, context) { return false }
      return true
    case .or(let parts):
      for part in parts where try part.holds(value, context) { return true }
      return false
    case .not(let part): return try !part.holds(value, context)
    case .inside(let steps, let part):
      return try context.any(
        inside: value, steps[...], isMultiple: steps.contains(.any)
      ) { (value) throws(StorageError) in try part.holds(value, context) }
    }
  }
}
