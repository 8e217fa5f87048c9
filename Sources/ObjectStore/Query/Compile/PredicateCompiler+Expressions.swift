// What is compared: values, paths, and what is calculated from them.
extension PredicateCompiler {
  mutating func expression(
    _ expression: QueryExpression
  ) throws(QueryError) -> CompiledExpression {
    switch expression {
    case .value(let value): return .value(ConstantValue(value))
    case .values(let values): return .values(values.map { ConstantValue($0) })
    case .path(let path):
      let compiled = try paths.compile(path, from: root)
      note(compiled)
      return .path(compiled)
    case .count(let path): return .count(try counted(path))
    case .aggregate(let operation, let path, let property):
      return try aggregate(operation, path, property)
    case .subqueryCount(let path, let predicate): return try subquery(path, predicate)
    case .outer(let levels, let expression): return try outer(levels, expression)
    case .arithmetic(let left, let operation, let right):
      let (first, second) = (try number(left), try number(right))
      return .arithmetic(first, operation, second)
    }
  }

  private mutating func subquery(
    _ path: QueryPath, _ predicate: QueryPredicate
  ) throws(QueryError) -> CompiledExpression {
    let compiled = try collection(path)
    guard let table = compiled.objectTable, let hop = compiled.lastHop else {
      throw QueryError("SUBQUERY needs a collection of objects, not '\(path.description)'.")
    }
    var inner = PredicateCompiler(
      paths, root: table, prefix: prefix + compiled.hops.map(\.whole) + [hop],
      outers: outers + [(root, prefix)], notesDependencies: notesDependencies)
    let node = try inner.compile(predicate)
    dependencies.append(contentsOf: inner.dependencies)
    return .subqueryCount(compiled, node)
  }

  private mutating func outer(
    _ levels: Int, _ expression: QueryExpression
  ) throws(QueryError) -> CompiledExpression {
    guard levels > 0, levels <= outers.count else {
      throw QueryError("'\(expression.words)' belongs to an object outside of the query.")
    }
    let place = outers[outers.count - levels]
    var compiler = PredicateCompiler(
      paths, root: place.root, prefix: place.prefix, outers: Array(outers.dropLast(levels)),
      notesDependencies: notesDependencies)
    let compiled = try compiler.expression(expression)
    dependencies.append(contentsOf: compiler.dependencies)
    return .outer(levels, compiled)
  }

  private mutating func number(
    _ expression: QueryExpression
  ) throws(QueryError) -> CompiledExpression {
    let compiled = try self.expression(expression)
    let kind = compiled.resultKind
    guard kind == .any || KindRules.isNumber(kind) else {
      throw QueryError("Cannot calculate with '\(expression.words)', which is of kind \(kind).")
    }
    return compiled
  }

  /// A path to objects.
  mutating func objectPath(_ path: QueryPath) throws(QueryError) -> CompiledPath {
    let compiled = try paths.compile(path, from: root)
    note(compiled)
    // What is found depends on the objects at the end, too.
    if notesDependencies, let hop = compiled.lastHop {
      let hops = prefix + compiled.hops.map(\.whole) + [hop]
      dependencies.append(TrackedPath(hops: hops, column: nil))
    }
    return compiled
  }

  /// A collection, a string, data or a link.
  private mutating func counted(_ path: QueryPath) throws(QueryError) -> CompiledPath {
    let compiled = try paths.compile(path, from: root)
    if !compiled.isCollection {
      switch (compiled.end, compiled.kind) {
      case (.value, .string), (.value, .data), (.value, .object): break
      case (.value, .any), (.element, .any), (.inside, _): break
      default: throw QueryError("'\(path.description)' is not a collection.")
      }
    }
    note(compiled)
    return compiled
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
}
