/// Turns a predicate into nodes, for the objects of one table.
///
/// It also notes every path that the outcome depends on (`dependencies`), so that changes can be
/// traced back to the objects whose outcome they may change.
struct PredicateCompiler {
  let paths: PathCompiler
  let root: TableKey
  /// How the objects are reached from those that the whole query is about: not empty in a subquery.
  let prefix: [CompiledPath.Hop]
  /// The classes of the objects whose subquery this is, outermost first, and how they are reached.
  let outers: [(root: TableKey, prefix: [CompiledPath.Hop])]
  var dependencies: [TrackedPath] = []
  let notesDependencies: Bool
  /// Whether the comparison that is being compiled is to hold for all values of its left side.
  private var isForAll = false

  init(schema: SchemaDescription, root: TableKey, notesDependencies: Bool) {
    paths = PathCompiler(schema)
    self.root = root
    prefix = []
    outers = []
    self.notesDependencies = notesDependencies
  }

  init(
    _ paths: PathCompiler, root: TableKey, prefix: [CompiledPath.Hop],
    outers: [(root: TableKey, prefix: [CompiledPath.Hop])], notesDependencies: Bool
  ) {
    self.paths = paths
    self.root = root
    self.prefix = prefix
    self.outers = outers
    self.notesDependencies = notesDependencies
  }

  mutating func compile(_ predicate: QueryPredicate) throws(QueryError) -> any PredicateNode {
    switch predicate {
    case .constant(let value): return ConstantNode(value)
    case .and(let parts): return try conjunction(parts)
    case .or(let parts): return try disjunction(parts)
    case .not(let part):
      let node = try compile(part)
      if let constant = node as? ConstantNode { return ConstantNode(!constant.value) }
      return NegationNode(node)
    case .compare(let left, let comparison, let right, let options):
      return try compare(left, comparison, right, options)
    case .text(let left, let operation, let right, let options):
      return try text(left, .text(operation), right, options)
    case .isIn(let left, let values): return try isIn(left, values)
    case .between(let left, let lower, let upper):
      return try between(left, lower, upper)
    case .isOfKind(let left, let kinds):
      let compiled = try expression(left)
      let isForAll = isForAll && compiled.isMultiple
      return RowKindNode(compiled, kinds, isForAll: isForAll)
    case .search(let left, let text): return try search(left, text)
    case .geoWithin(let path, let shape): return try geoWithin(path, shape)
    case .all(let part):
      isForAll = true
      defer { isForAll = false }
      return try compile(part)
    }
  }

  // MARK: Logic

  private mutating func conjunction(_ parts: [QueryPredicate]) throws(QueryError)
    -> any PredicateNode
  {
    var nodes: [any PredicateNode] = []
    for part in parts {
      let node = try compile(part)
      if let constant = node as? ConstantNode {
        if constant.value { continue }
        return constant
      }
      if let inner = node as? ConjunctionNode {
        nodes.append(contentsOf: inner.parts)
      } else {
        nodes.append(node)
      }
    }
    return Self.joined(RangeMerging.merge(nodes), whenEmpty: true) { ConjunctionNode($0) }
  }

  private mutating func disjunction(_ parts: [QueryPredicate]) throws(QueryError)
    -> any PredicateNode
  {
    var nodes: [any PredicateNode] = []
    for part in parts {
      let node = try compile(part)
      if let constant = node as? ConstantNode {
        if !constant.value { continue }
        return constant
      }
      nodes.append(node)
    }
    return Self.joined(nodes, whenEmpty: false) { DisjunctionNode($0) }
  }

  static func joined(
    _ nodes: [any PredicateNode], whenEmpty: Bool,
    _ join: ([any PredicateNode]) -> any PredicateNode
  ) -> any PredicateNode {
    nodes.isEmpty ? ConstantNode(whenEmpty) : nodes.count == 1 ? nodes[0] : join(nodes)
  }

  // MARK: Comparisons

  private mutating func compare(
    _ left: QueryExpression, _ comparison: QueryComparison, _ right: QueryExpression,
    _ options: TextOptions
  ) throws(QueryError) -> any PredicateNode {
    if case .value = left {
      guard case .value = right else {
        return try compare(right, comparison.swapped, left, options)
      }
    }
    if !options.isEmpty { return try text(left, .compare(comparison), right, options) }
    let compiledLeft = try expression(left)
    let isForAll = isForAll && compiledLeft.isMultiple
    if compiledLeft.kind == .object, comparison != .equal, comparison != .notEqual {
      throw QueryError("Objects have no order, but '\(left.words)' is compared by \(comparison).")
    }
    guard case .value(let value) = right else {
      let compiledRight = try expression(right)
      try checkComparable(compiledLeft, comparison, compiledRight, left, right)
      let byRow = RowCompareNode(compiledLeft, comparison, compiledRight, isForAll: isForAll)
      if let (links, first) = columnAtEnd(compiledLeft), links.isEmpty,
        let (others, second) = columnAtEnd(compiledRight), others.isEmpty,
        let pair = ColumnPairNode(first, comparison, second, byRow: byRow)
      {
        return pair
      }
      return byRow
    }
    if case .value(let constant) = compiledLeft {
      let other = ConstantValue(value)
      return ConstantNode(RowCompareNode.holds(constant.row, comparison, other.row))
    }
    let wanted = try coerced(value, to: compiledLeft, left)
    if isLikeNoNumber(wanted, compiledLeft) { return ConstantNode(comparison == .notEqual) }
    if let (links, column) = columnAtEnd(compiledLeft),
      let node = ColumnCompiler.compare(column, comparison, wanted, isDirect: links.isEmpty)
    {
      let null = RowCompareNode.holds(.null, comparison, ConstantValue(wanted).row)
      return Self.linked(links, node, holdsForNull: null)
    }
    let byRow = RowCompareNode(
      compiledLeft, comparison, .value(ConstantValue(wanted)), isForAll: isForAll,
      column: anyColumn(compiledLeft))
    return comparison == .notEqual ? byRow : ofNumbers(compiledLeft, byRow)
  }

  /// The rows in which a property of the object itself holds a number, of those that a condition
  /// finds row by row: not-a-number, which is below all numbers there, is not found by comparing
  /// the column with a constant.
  ///
  /// - Parameter orNull: those in which it holds nothing are found as well.
  private func ofNumbers(
    _ expression: CompiledExpression, _ byRow: any PredicateNode, orNull: Bool = false
  ) -> any PredicateNode {
    guard let (links, column) = columnAtEnd(expression), links.isEmpty else { return byRow }
    let largest: StoredValue
    switch column.kind {
    case .float: largest = .float(.infinity)
    case .double: largest = .double(.infinity)
    default: return byRow
    }
    guard let numbers = ColumnCompiler.compare(column, .lessOrEqual, largest) else { return byRow }
    let found = ConjunctionNode([numbers, byRow])
    return orNull ? DisjunctionNode([NullNode(column, isNull: true), found]) : found
  }

  /// Whether the value is not-a-number, which is like no number that a property of the object
  /// itself holds, of whatever kinds the two are.
  private func isLikeNoNumber(_ value: StoredValue, _ expression: CompiledExpression) -> Bool {
    guard let (links, column) = columnAtEnd(expression), links.isEmpty,
      [.int, .float, .double, .date].contains(column.kind)
    else { return false }
    return switch value {
    case .float(let real): real.isNaN
    case .double(let real), .date(let real): real.isNaN
    case .decimal128(let bits): DecimalNumber(bits).isNaN
    default: false
    }
  }

  private mutating func text(
    _ left: QueryExpression, _ test: TextMatcher.Test, _ right: QueryExpression,
    _ options: TextOptions
  ) throws(QueryError) -> any PredicateNode {
    let compiledLeft = try expression(left)
    let isForAll = isForAll && compiledLeft.isMultiple
    try checkText(compiledLeft, left)
    guard case .value(let value) = right else {
      let compiledRight = try expression(right)
      try checkText(compiledRight, right)
      return RowTextPairNode(compiledLeft, test, compiledRight, options, isForAll: isForAll)
    }
    let bytes: [UInt8]
    var isData = false
    switch try coerced(value, to: compiledLeft, left) {
    case .string(let text): bytes = Array(text.utf8)
    case .data(let data): (bytes, isData) = (data, true)
    case .null: return try textAgainstNull(left, compiledLeft, test)
    default: throw mismatch(value, left)
    }
    if bytes.isEmpty, test.isInside {
      // Where there is nothing to look into, it holds for all of it.
      return isForAll ? NegationNode(RowExistsNode(compiledLeft)) : ConstantNode(false)
    }
    if let (links, column) = columnAtEnd(compiledLeft),
      let node = ColumnCompiler.text(column, test, bytes, options)
    {
      return Self.linked(links, node, holdsForNull: test == .compare(.notEqual))
    }
    let matcher = unsafe bytes.withUnsafeBytes { unsafe TextMatcher(test, $0, options) }
    return RowTextNode(compiledLeft, matcher, isData: isData, isForAll: isForAll)
  }

  private mutating func search(
    _ left: QueryExpression, _ text: String
  ) throws(QueryError) -> any PredicateNode {
    let compiled = try expression(left)
    guard compiled.kind == .string || compiled.kind == .any else {
      throw QueryError("'\(left.words)' is no string to search in.")
    }
    let search = TextSearch(text)
    if let (links, column) = columnAtEnd(compiled), links.isEmpty, column.kind == .string {
      return TextSearchNode(column, search)
    }
    return RowSearchNode(compiled, search)
  }

  /// Everything contains null; what is like null is null.
  private mutating func textAgainstNull(
    _ left: QueryExpression, _ compiled: CompiledExpression, _ test: TextMatcher.Test
  ) throws(QueryError) -> any PredicateNode {
    if test.isInside {
      return compiled.isMultiple && !isForAll ? RowExistsNode(compiled) : ConstantNode(true)
    }
    guard case .compare(let comparison) = test else {
      return try compare(left, .equal, .value(.null), [])
    }
    return try compare(left, comparison, .value(.null), [])
  }

  private mutating func isIn(
    _ left: QueryExpression, _ values: [StoredValue]
  ) throws(QueryError) -> any PredicateNode {
    let compiled = try expression(left)
    var wanted: [StoredValue] = []
    for value in values {
      // What is of another kind equals nothing.
      guard let value = coerced(value, to: compiled), !isLikeNoNumber(value, compiled) else {
        continue
      }
      wanted.append(value)
    }
    let isForAll = isForAll && compiled.isMultiple
    if wanted.isEmpty && !isForAll { return ConstantNode(false) }
    if let (links, column) = columnAtEnd(compiled),
      let node = ColumnCompiler.isIn(column, wanted)
    {
      return Self.linked(links, node, holdsForNull: wanted.contains(.null))
    }
    let byRow = RowSetNode(
      compiled, wanted.map { ConstantValue($0) }, isForAll: isForAll, column: anyColumn(compiled))
    return ofNumbers(compiled, byRow, orNull: wanted.contains(.null))
  }

  private mutating func between(
    _ left: QueryExpression, _ lower: StoredValue, _ upper: StoredValue
  ) throws(QueryError) -> any PredicateNode {
    let compiled = try expression(left)
    let low = try coerced(lower, to: compiled, left)
    let high = try coerced(upper, to: compiled, left)
    if isLikeNoNumber(low, compiled) || isLikeNoNumber(high, compiled) {
      return ConstantNode(false)
    }
    if let (links, column) = columnAtEnd(compiled),
      let above = ColumnCompiler.compare(
        column, .greaterOrEqual, low, isDirect: links.isEmpty),
      let below = ColumnCompiler.compare(column, .lessOrEqual, high, isDirect: links.isEmpty)
    {
      let both = Self.joined(RangeMerging.merge([above, below]), whenEmpty: true) {
        ConjunctionNode($0)
      }
      return Self.linked(links, both, holdsForNull: low == .null && high == .null)
    }
    // Of several values one may be above the first bound and another one below the second.
    let isForAll = isForAll && compiled.isMultiple
    let column = anyColumn(compiled)
    let both = ConjunctionNode([
      RowCompareNode(
        compiled, .greaterOrEqual, .value(ConstantValue(low)), isForAll: isForAll, column: column),
      RowCompareNode(
        compiled, .lessOrEqual, .value(ConstantValue(high)), isForAll: isForAll, column: column),
    ])
    return ofNumbers(compiled, both)
  }

  /// The column, if the expression is a property of the object itself with values of any kind.
  private func anyColumn(_ expression: CompiledExpression) -> ColumnKey? {
    guard let (links, column) = columnAtEnd(expression), links.isEmpty, column.kind == .any else {
      return nil
    }
    return column.key
  }

  /// The column, if the expression is a property that is no collection, of the object itself or of
  /// one at the end of links to one object each.
  private func columnAtEnd(
    _ expression: CompiledExpression
  ) -> (links: [ColumnInfo], column: ColumnInfo)? {
    guard case .path(let path) = expression, case .value(let column) = path.end else { return nil }
    var links: [ColumnInfo] = []
    for hop in path.hops {
      guard case .link(let link) = hop else { return nil }
      links.append(link)
    }
    return (links, column)
  }

  private static func linked(
    _ links: [ColumnInfo], _ node: any PredicateNode, holdsForNull: Bool
  ) -> any PredicateNode {
    links.isEmpty ? node : LinkedNode(links, node, holdsForNull: holdsForNull)
  }

  // MARK: Kinds

  private func coerced(
    _ value: StoredValue, to expression: CompiledExpression, _ source: QueryExpression
  ) throws(QueryError) -> StoredValue {
    guard let coerced = coerced(value, to: expression) else { throw mismatch(value, source) }
    return coerced
  }

  /// Nil for a value of a kind that values of the expression are not compared with.
  private func coerced(
    _ value: StoredValue, to expression: CompiledExpression
  ) -> StoredValue? {
    guard let kind = expression.kind else { return value }
    return KindRules.coerce(value, to: kind)
  }

  private func checkText(
    _ expression: CompiledExpression, _ source: QueryExpression
  ) throws(QueryError) {
    switch expression.kind {
    case nil, .string, .data, .any: return
    default: throw QueryError("'\(source.words)' is neither a string nor data.")
    }
  }

  private func checkComparable(
    _ left: CompiledExpression, _ comparison: QueryComparison, _ right: CompiledExpression,
    _ leftSource: QueryExpression, _ rightSource: QueryExpression
  ) throws(QueryError) {
    guard let leftKind = left.kind, let rightKind = right.kind,
      !KindRules.areComparable(leftKind, rightKind)
    else { return }
    throw QueryError(
      "Comparison between properties of different types is not possible: "
        + "'\(leftSource.words)' is \(leftKind), '\(rightSource.words)' is \(rightKind).")
  }

  private func mismatch(_ value: StoredValue, _ source: QueryExpression) -> QueryError {
    QueryError("'\(source.words)' cannot be compared with a value such as \(value).")
  }
}
