/// Turns a predicate into nodes, for the objects of one table.
///
/// It also notes every path that the outcome depends on (`dependencies`), so that changes can be
/// traced back to the objects whose outcome they may change.
struct PredicateCompiler {
  let paths: PathCompiler
  let root: TableKey
  /// How the objects are reached from those that the whole query is about: not empty in a subquery.
  private let prefix: [CompiledPath.Hop]
  private(set) var dependencies: [TrackedPath] = []
  private let notesDependencies: Bool

  init(schema: SchemaDescription, root: TableKey, notesDependencies: Bool) {
    paths = PathCompiler(schema)
    self.root = root
    prefix = []
    self.notesDependencies = notesDependencies
  }

  private init(
    _ paths: PathCompiler, root: TableKey, prefix: [CompiledPath.Hop], notesDependencies: Bool
  ) {
    self.paths = paths
    self.root = root
    self.prefix = prefix
    self.notesDependencies = notesDependencies
  }

  mutating func compile(_ predicate: QueryPredicate) throws(QueryError) -> PredicateNode {
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
    }
  }

  // MARK: Logic

  private mutating func conjunction(_ parts: [QueryPredicate]) throws(QueryError) -> PredicateNode {
    var nodes: [PredicateNode] = []
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

  private mutating func disjunction(_ parts: [QueryPredicate]) throws(QueryError) -> PredicateNode {
    var nodes: [PredicateNode] = []
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
    _ nodes: [PredicateNode], whenEmpty: Bool, _ join: ([PredicateNode]) -> PredicateNode
  ) -> PredicateNode {
    nodes.isEmpty ? ConstantNode(whenEmpty) : nodes.count == 1 ? nodes[0] : join(nodes)
  }

  // MARK: Comparisons

  private mutating func compare(
    _ left: QueryExpression, _ comparison: QueryComparison, _ right: QueryExpression,
    _ options: TextOptions
  ) throws(QueryError) -> PredicateNode {
    if case .value = left {
      guard case .value = right else {
        return try compare(right, comparison.swapped, left, options)
      }
    }
    if !options.isEmpty { return try text(left, .compare(comparison), right, options) }
    let compiledLeft = try expression(left)
    if compiledLeft.kind == .object, comparison != .equal, comparison != .notEqual {
      throw QueryError("Objects have no order, but '\(left.words)' is compared by \(comparison).")
    }
    guard case .value(let value) = right else {
      let compiledRight = try expression(right)
      try checkComparable(compiledLeft, comparison, compiledRight, left, right)
      let byRow = RowCompareNode(compiledLeft, comparison, compiledRight)
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
    if value == .null, comparison != .equal, comparison != .notEqual { return ConstantNode(false) }
    let wanted = try coerced(value, to: compiledLeft, left)
    if let (links, column) = columnAtEnd(compiledLeft),
      let node = ColumnCompiler.compare(column, comparison, wanted)
    {
      let null = RowCompareNode.holds(.null, comparison, ConstantValue(wanted).row)
      return Self.linked(links, node, holdsForNull: null)
    }
    return RowCompareNode(compiledLeft, comparison, .value(ConstantValue(wanted)))
  }

  private mutating func text(
    _ left: QueryExpression, _ test: TextMatcher.Test, _ right: QueryExpression,
    _ options: TextOptions
  ) throws(QueryError) -> PredicateNode {
    let compiledLeft = try expression(left)
    try checkText(compiledLeft, left)
    guard case .value(let value) = right else {
      let compiledRight = try expression(right)
      try checkText(compiledRight, right)
      return RowTextPairNode(compiledLeft, test, compiledRight, options)
    }
    let bytes: [UInt8]
    switch try coerced(value, to: compiledLeft, left) {
    case .string(let text): bytes = Array(text.utf8)
    case .data(let data): bytes = data
    case .null: return try textAgainstNull(left, test)
    default: throw mismatch(value, left)
    }
    if let (links, column) = columnAtEnd(compiledLeft),
      let node = ColumnCompiler.text(column, test, bytes, options)
    {
      return Self.linked(links, node, holdsForNull: test == .compare(.notEqual))
    }
    return RowTextNode(compiledLeft, bytes.withUnsafeBytes { TextMatcher(test, $0, options) })
  }

  /// Nothing contains null; equality is that of null without options.
  private mutating func textAgainstNull(
    _ left: QueryExpression, _ test: TextMatcher.Test
  ) throws(QueryError) -> PredicateNode {
    guard case .compare(let comparison) = test else { return ConstantNode(false) }
    return try compare(left, comparison, .value(.null), [])
  }

  private mutating func isIn(
    _ left: QueryExpression, _ values: [StoredValue]
  ) throws(QueryError) -> PredicateNode {
    let compiled = try expression(left)
    var wanted: [StoredValue] = []
    for value in values { wanted.append(try coerced(value, to: compiled, left)) }
    if wanted.isEmpty { return ConstantNode(false) }
    if let (links, column) = columnAtEnd(compiled),
      let node = ColumnCompiler.isIn(column, wanted)
    {
      return Self.linked(links, node, holdsForNull: wanted.contains(.null))
    }
    return RowSetNode(compiled, wanted.map { ConstantValue($0) })
  }

  private mutating func between(
    _ left: QueryExpression, _ lower: StoredValue, _ upper: StoredValue
  ) throws(QueryError) -> PredicateNode {
    let compiled = try expression(left)
    let low = try coerced(lower, to: compiled, left)
    let high = try coerced(upper, to: compiled, left)
    if let (links, column) = columnAtEnd(compiled),
      let above = ColumnCompiler.compare(column, .greaterOrEqual, low),
      let below = ColumnCompiler.compare(column, .lessOrEqual, high)
    {
      let both = Self.joined(RangeMerging.merge([above, below]), whenEmpty: true) {
        ConjunctionNode($0)
      }
      return Self.linked(links, both, holdsForNull: false)
    }
    return RowBetweenNode(compiled, ConstantValue(low), ConstantValue(high))
  }

  // MARK: Expressions

  private mutating func expression(
    _ expression: QueryExpression
  ) throws(QueryError) -> CompiledExpression {
    switch expression {
    case .value(let value): return .value(ConstantValue(value))
    case .path(let path):
      let compiled = try paths.compile(path, from: root)
      note(compiled)
      return .path(compiled)
    case .count(let path): return .count(try collection(path))
    case .aggregate(let operation, let path, let property):
      return try aggregate(operation, path, property)
    case .subqueryCount(let path, let predicate):
      let compiled = try collection(path)
      guard let table = compiled.objectTable, let hop = compiled.lastHop else {
        throw QueryError("SUBQUERY needs a collection of objects, not '\(path.description)'.")
      }
      var inner = PredicateCompiler(
        paths, root: table, prefix: prefix + compiled.hops + [hop],
        notesDependencies: notesDependencies)
      let node = try inner.compile(predicate)
      dependencies.append(contentsOf: inner.dependencies)
      return .subqueryCount(compiled, node)
    }
  }

  private mutating func collection(_ path: QueryPath) throws(QueryError) -> CompiledPath {
    let compiled = try paths.compile(path, from: root)
    guard compiled.isMultiple else {
      throw QueryError("'\(path.description)' is not a collection.")
    }
    note(compiled)
    return compiled
  }

  private mutating func aggregate(
    _ operation: AggregateOperation, _ path: QueryPath, _ property: String?
  ) throws(QueryError) -> CompiledExpression {
    var whole = path
    if let property { whole.steps.append(.property(property)) }
    let compiled = try collection(whole)
    guard AggregateRules.allow(operation, compiled.kind) else {
      throw QueryError("Cannot aggregate '\(whole.description)': it holds \(compiled.kind)s.")
    }
    return .aggregate(operation, compiled)
  }

  private mutating func note(_ path: CompiledPath) {
    if !notesDependencies { return }
    dependencies.append(contentsOf: TrackedPath.all(along: path, prefix: prefix))
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
    _ links: [ColumnInfo], _ node: PredicateNode, holdsForNull: Bool
  ) -> PredicateNode {
    links.isEmpty ? node : LinkedNode(links, node, holdsForNull: holdsForNull)
  }

  // MARK: Kinds

  private func coerced(
    _ value: StoredValue, to expression: CompiledExpression, _ source: QueryExpression
  ) throws(QueryError) -> StoredValue {
    guard let kind = expression.kind else { return value }
    guard let coerced = KindRules.coerce(value, to: kind) else { throw mismatch(value, source) }
    return coerced
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
