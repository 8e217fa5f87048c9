import ObjectStore

// Queries on a model, evaluated in the plainest way.
extension StoreModel {
  private typealias Step = QueryPath.Step

  /// Whether a step may lead to any number of values.
  private func isMultiple(_ step: QueryPath.Step, _ table: TableKey) -> Bool {
    guard case .property(let name) = step else { return true }
    return description(table).property(named: name)?.isCollection == true
  }

  /// The table that a step leads to.
  private func target(_ step: QueryPath.Step, _ table: TableKey) -> TableKey? {
    switch step {
    case .property(let name): description(table).property(named: name)?.targetTable
    case .backlinks(let className, _): schema.description(of: className)?.tableKey
    case .links, .element, .keys, .inside: preconditionFailure("the generator makes no such steps")
    }
  }

  /// What is at the end of a path. A link to nothing gives null, or nothing if there is a
  /// collection on the path.
  func values(
    _ steps: ArraySlice<QueryPath.Step>, _ key: ObjectKey, in table: TableKey
  ) -> [StoredValue] {
    let found = reached(steps, key, in: table)
    return found.isEmpty && !hasCollection(steps, table) ? [.null] : found
  }

  /// What is at the end of a path; nothing behind a link to nothing.
  private func reached(
    _ steps: ArraySlice<QueryPath.Step>, _ key: ObjectKey, in table: TableKey
  ) -> [StoredValue] {
    guard let step = steps.first else { return [.link(table, key)] }
    let rest = steps.dropFirst()
    switch step {
    case .property(let name):
      let property = description(table).property(named: name)!
      let content = object(key, in: table)![property.columnKey]!
      return content.values.flatMap { follow($0, rest, property.targetTable) }
    case .links, .element, .keys, .inside: preconditionFailure("the generator makes no such steps")
    case .backlinks(let className, let name):
      let origin = schema.description(of: className)!
      let column = origin.property(named: name)!.columnKey
      let link = StoredValue.link(table, key)
      return self[origin.tableKey].keys.flatMap { source -> [StoredValue] in
        let content = object(source, in: origin.tableKey)![column]!
        let count = content.values.count { $0 == link }
        let found = [StoredValue](repeating: .link(origin.tableKey, source), count: count)
        return found.flatMap { follow($0, rest, origin.tableKey) }
      }
    }
  }

  private func follow(
    _ value: StoredValue, _ rest: ArraySlice<QueryPath.Step>, _ table: TableKey
  ) -> [StoredValue] {
    if rest.isEmpty { return [value] }
    if case .link(let target, let key) = value { return reached(rest, key, in: target) }
    return []
  }

  private func hasCollection(_ steps: ArraySlice<QueryPath.Step>, _ table: TableKey) -> Bool {
    var table = table
    for step in steps {
      if isMultiple(step, table) { return true }
      guard let next = target(step, table), next != .unassigned else { return false }
      table = next
    }
    return false
  }

  // MARK: Expressions

  private func values(
    _ expression: QueryExpression, _ key: ObjectKey, in table: TableKey
  ) -> [StoredValue] {
    switch expression {
    case .value(let value): return [value]
    case .values(let values): return values
    case .outer, .arithmetic: preconditionFailure("the generator makes no such expressions")
    case .path(let path): return values(path.steps[...], key, in: table)
    case .count(let path): return counts(path.steps[...], key, in: table)
    case .aggregate(let operation, let path, let property):
      let steps = path.steps + (property.map { [.property($0)] } ?? [])
      let kind = kind(of: steps[...], in: table)
      return [Self.aggregate(operation, values(steps[...], key, in: table), kind)]
    case .subqueryCount(let path, let predicate):
      let found = values(path.steps[...], key, in: table).filter {
        if case .link(let table, let key) = $0 { holds(predicate, key, in: table) } else { false }
      }
      return [.int(Int64(found.count))]
    }
  }

  /// The size of each collection that the path leads to.
  private func counts(
    _ steps: ArraySlice<QueryPath.Step>, _ key: ObjectKey, in table: TableKey
  ) -> [StoredValue] {
    let owners = reached(steps.dropLast(), key, in: table)
    if owners.isEmpty, !hasCollection(steps.dropLast(), table) { return [.int(0)] }
    return owners.map { .int(Int64(follow($0, steps.suffix(1), table).count)) }
  }

  /// The kind of values at the end of a path that ends in a property.
  func kind(of steps: ArraySlice<QueryPath.Step>, in table: TableKey) -> ValueKind {
    var table = table
    var kind = ValueKind.object
    for step in steps {
      if case .property(let name) = step {
        kind = description(table).property(named: name)!.kind
      }
      table = target(step, table) ?? table
    }
    return kind
  }

  static func aggregate(
    _ operation: AggregateOperation, _ values: [StoredValue], _ kind: ValueKind
  ) -> StoredValue {
    let present = values.filter { $0 != .null }
    switch operation {
    case .minimum: return present.min { ModelOrder.compare($0, $1)! < 0 } ?? .null
    case .maximum: return present.max { ModelOrder.compare($0, $1)! < 0 } ?? .null
    case .sum, .average:
      let isAverage = operation == .average
      if isAverage, present.isEmpty { return .null }
      if kind == .int {
        let total = present.reduce(Int128(0)) { sum, value in
          if case .int(let value) = value { sum + Int128(value) } else { sum }
        }
        return isAverage
          ? .double(Double(total) / Double(present.count))
          : .int(Int64(truncatingIfNeeded: total))
      }
      let total = present.reduce(0) { $0 + (ModelOrder.number($1) ?? 0) }
      return .double(isAverage ? total / Double(present.count) : total)
    }
  }

  // MARK: Predicates

  func holds(_ predicate: QueryPredicate, _ key: ObjectKey, in table: TableKey) -> Bool {
    switch predicate {
    case .constant(let value): return value
    case .and(let parts): return parts.allSatisfy { holds($0, key, in: table) }
    case .or(let parts): return parts.contains { holds($0, key, in: table) }
    case .not(let part): return !holds(part, key, in: table)
    case .all, .isOfKind, .geoWithin:
      preconditionFailure("the generator makes no such predicates")
    case .search(let left, let text):
      return values(left, key, in: table).contains {
        if case .string(let value) = $0 { ModelWords.holds(value, text) } else { false }
      }
    case .compare(let left, let comparison, let right, _):
      let rights = values(right, key, in: table)
      let isNullLeast = isString(left, in: table)
      return values(left, key, in: table).contains { left in
        rights.contains { ModelOrder.holds(left, comparison, $0, isNullLeast: isNullLeast) }
      }
    case .isIn(let left, let wanted):
      return values(left, key, in: table).contains { left in
        wanted.contains { ModelOrder.holds(left, .equal, $0) }
      }
    case .between(let left, let lower, let upper):
      let found = values(left, key, in: table)
      let isNullLeast = isString(left, in: table)
      return found.contains {
        ModelOrder.holds($0, .greaterOrEqual, lower, isNullLeast: isNullLeast)
      } && found.contains { ModelOrder.holds($0, .lessOrEqual, upper, isNullLeast: isNullLeast) }
    case .text(let left, let operation, let right, _):
      guard let pattern = values(right, key, in: table).first.flatMap(ModelOrder.bytes),
        !pattern.isEmpty
      else { return false }
      return values(left, key, in: table).contains {
        ModelOrder.bytes($0).map { ModelOrder.matches($0, operation, pattern) } ?? false
      }
    }
  }

  /// Whether it is a property of the object itself that holds a string: null is the least there.
  private func isString(_ expression: QueryExpression, in table: TableKey) -> Bool {
    guard case .path(let path) = expression, path.steps.count == 1,
      case .property(let name) = path.steps[0]
    else { return false }
    let property = description(table).property(named: name)!
    return property.kind == .string && property.collection == .none
  }

  // MARK: Results

  /// The objects of a query's source, in its order.
  private func candidates(_ source: QuerySource) -> (TableKey, [ObjectKey]) {
    switch source {
    case .table(let table): return (table, self[table].keys)
    case .list(let owner, let object, let column):
      let property = description(owner).property(at: column)!
      return (
        property.targetTable,
        list(column, of: object, in: owner).compactMap {
          if case .link(_, let key) = $0 { key } else { nil }
        }
      )
    case .backlinks(let origin, let column, let target):
      let property = description(origin).property(at: column)!
      let link = StoredValue.link(property.targetTable, target)
      let keys = self[origin].keys.flatMap { key in
        let count = object(key, in: origin)![column]!.values.count { $0 == link }
        return [ObjectKey](repeating: key, count: count)
      }
      return (origin, keys)
    }
  }

  func evaluate(_ query: QueryDescription) -> [ObjectKey] {
    let (table, all) = candidates(query.source)
    var found = all.filter { holds(query.predicate, $0, in: table) }
    for stage in query.stages {
      switch stage {
      case .sort(let keys): found = sorted(found, keys, table)
      case .distinct(let paths):
        var seen: Set<[StoredValue]> = []
        found = found.filter { key in
          let values = paths.compactMap { reached($0.steps[...], key, in: table).first }
          return values.count == paths.count && seen.insert(values).inserted
        }
      case .limit(let count): found = Array(found.prefix(count))
      }
    }
    return found
  }

  private func sorted(
    _ found: [ObjectKey], _ keys: [SortKey], _ table: TableKey
  ) -> [ObjectKey] {
    let rows = found.enumerated().map { place, key in
      (place, key, keys.map { reached($0.path.steps[...], key, in: table).first })
    }
    return rows.sorted { left, right in
      for (index, sort) in keys.enumerated() {
        let order = ModelOrder.sorting(left.2[index], right.2[index])
        if order != 0 { return (order < 0) == sort.ascending }
      }
      return left.0 < right.0
    }.map(\.1)
  }
}

/// How values compare.
enum ModelOrder {
  static func number(_ value: StoredValue) -> Double? {
    switch value {
    case .int(let value): Double(value)
    case .float(let value): Double(value)
    case .double(let value): value
    case .decimal128(let bits): Double(bits.low) * (bits.high >> 63 == 1 ? -1 : 1)
    default: nil
    }
  }

  static func bytes(_ value: StoredValue) -> [UInt8]? {
    switch value {
    case .string(let text): Array(text.utf8)
    case .data(let bytes): bytes
    default: nil
    }
  }

  /// Below, equal to or above 0; nil if the two do not compare.
  static func compare(_ left: StoredValue, _ right: StoredValue) -> Int? {
    switch (left, right) {
    case (.int(let a), .int(let b)): return order(a, b)
    case (.string(let a), .string(let b)): return order(Array(a.utf8), Array(b.utf8))
    case (.data(let a), .data(let b)): return order(a, b)
    case (.date(let a), .date(let b)): return order(a, b)
    case (.uuid(let a), .uuid(let b)): return order(a, b)
    case (.objectId(let a), .objectId(let b)): return order(a, b)
    default: break
    }
    if case .bool(let a) = left, case .bool(let b) = right { return order(a ? 1 : 0, b ? 1 : 0) }
    if case .link(let tableA, let a) = left, case .link(let tableB, let b) = right {
      return tableA == tableB ? order(a, b) : order(tableA.rawValue, tableB.rawValue)
    }
    if let a = number(left), let b = number(right) { return order(a, b) }
    return left == right ? 0 : nil
  }

  private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    left < right ? -1 : left == right ? 0 : 1
  }

  private static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
  }

  /// - Parameter isNullLeast: whether null is below everything else.
  static func holds(
    _ left: StoredValue, _ comparison: QueryComparison, _ right: StoredValue,
    isNullLeast: Bool = false
  ) -> Bool {
    var order = compare(left, right)
    if isNullLeast, left == .null || right == .null {
      order = (left == .null ? 0 : 1) - (right == .null ? 0 : 1)
    }
    switch comparison {
    case .equal: return order == 0
    case .notEqual: return order != 0
    default: break
    }
    guard let order else { return false }
    switch comparison {
    case .less: return order < 0
    case .lessOrEqual: return order <= 0
    case .greater: return order > 0
    default: return order >= 0
    }
  }

  /// Null first, what is behind a link to nothing last.
  static func sorting(_ left: StoredValue?, _ right: StoredValue?) -> Int {
    func rank(_ value: StoredValue?) -> Int { value == nil ? 2 : value == .null ? 0 : 1 }
    if rank(left) != 1 || rank(right) != 1 { return rank(left) - rank(right) }
    return compare(left!, right!)!
  }

  static func matches(
    _ text: [UInt8], _ operation: TextOperation, _ pattern: [UInt8]
  ) -> Bool {
    switch operation {
    case .begins: return text.starts(with: pattern)
    case .ends: return text.reversed().starts(with: pattern.reversed())
    case .contains, .like:
      if pattern.count > text.count { return false }
      return (0...(text.count - pattern.count)).contains {
        text[$0..<($0 + pattern.count)].elementsEqual(pattern)
      }
    }
  }
}
