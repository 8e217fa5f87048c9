@testable import ObjectStore
@testable import Storage

/// The same objects as in a store, as plain values, and queries on them in the plainest way.
struct KennelModel {
  struct Row {
    var values: [String: StoredValue] = [:]
    var lists: [String: [StoredValue]] = [:]
  }

  var tables: [TableKey: [ObjectKey: Row]] = [Kennel.dog: [:], Kennel.person: [:]]

  func keys(_ table: TableKey) -> [ObjectKey] { tables[table]!.keys.sorted() }

  func row(_ table: TableKey, _ key: ObjectKey) -> Row? { tables[table]![key] }

  mutating func delete(_ key: ObjectKey, _ table: TableKey) {
    tables[table]![key] = nil
    let link = StoredValue.link(table, key)
    for (other, rows) in tables {
      for (name, row) in rows {
        for (property, value) in row.values where value == link {
          tables[other]![name]!.values[property] = .null
        }
        for property in row.lists.keys {
          tables[other]![name]!.lists[property]!.removeAll { $0 == link }
        }
      }
    }
  }

  // MARK: Evaluation

  /// What is at the end of a path; a link to nothing gives null unless there is a list on the path.
  func values(_ steps: ArraySlice<QueryPath.Step>, _ table: TableKey, _ key: ObjectKey)
    -> [StoredValue]
  {
    let found = reached(steps, table, key)
    return found.isEmpty && !Self.isMultiple(steps) ? [.null] : found
  }

  private static func isMultiple(_ steps: ArraySlice<QueryPath.Step>) -> Bool {
    steps.contains { ["friends", "scores"].contains(name($0)) }
  }

  /// What is at the end of a path; nothing behind a link to nothing.
  func reached(_ steps: ArraySlice<QueryPath.Step>, _ table: TableKey, _ key: ObjectKey)
    -> [StoredValue]
  {
    guard let step = steps.first else { return [.link(table, key)] }
    let rest = steps.dropFirst()
    switch step {
    case .property(let name):
      let row = row(table, key)!
      if let list = row.lists[name] {
        return rest.isEmpty ? list : list.flatMap { follow($0, rest) }
      }
      let value = row.values[name]!
      return rest.isEmpty ? [value] : follow(value, rest)
    case .backlinks(let className, let property):
      let origin = className == "Dog" ? Kennel.dog : Kennel.person
      let link = StoredValue.link(table, key)
      return keys(origin).flatMap { source -> [StoredValue] in
        let row = row(origin, source)!
        let count = (row.lists[property] ?? [row.values[property]!]).filter { $0 == link }.count
        return [StoredValue](repeating: .link(origin, source), count: count)
      }.flatMap { rest.isEmpty ? [$0] : follow($0, rest) }
    case .links, .element, .keys, .inside: preconditionFailure("the writer makes no such steps")
    }
  }

  private func follow(
    _ value: StoredValue, _ rest: ArraySlice<QueryPath.Step>
  ) -> [StoredValue] {
    guard case .link(let table, let key) = value else { return [] }
    return reached(rest, table, key)
  }

  private static func name(_ step: QueryPath.Step) -> String {
    if case .property(let name) = step { name } else { "friends" }
  }

  func values(
    _ expression: QueryExpression, _ table: TableKey, _ key: ObjectKey
  ) -> [StoredValue] {
    switch expression {
    case .value(let value): return [value]
    case .values(let values): return values
    case .outer, .arithmetic: preconditionFailure("the writer makes no such expressions")
    case .path(let path): return values(path.steps[...], table, key)
    case .count(let path): return counts(path.steps[...], table, key)
    case .aggregate(let operation, let path, let property):
      let steps = path.steps + (property.map { [.property($0)] } ?? [])
      return [Self.aggregate(operation, values(steps[...], table, key))]
    case .subqueryCount(let path, let predicate):
      let count = values(path.steps[...], table, key).filter {
        if case .link(let table, let key) = $0 { holds(predicate, table, key) } else { false }
      }.count
      return [.int(Int64(count))]
    }
  }

  /// The size of each list that the path leads to.
  private func counts(
    _ steps: ArraySlice<QueryPath.Step>, _ table: TableKey, _ key: ObjectKey
  ) -> [StoredValue] {
    let owners = reached(steps.dropLast(), table, key)
    if owners.isEmpty, !Self.isMultiple(steps.dropLast()) { return [.int(0)] }
    return owners.map { .int(Int64(follow($0, steps.suffix(1)).count)) }
  }

  static func aggregate(_ operation: AggregateOperation, _ values: [StoredValue]) -> StoredValue {
    let numbers = values.compactMap { number($0) }
    let isInteger = values.allSatisfy { if case .double = $0 { false } else { true } }
    switch operation {
    case .minimum:
      return values.filter { number($0) != nil }.min { number($0)! < number($1)! } ?? .null
    case .maximum:
      return values.filter { number($0) != nil }.max { number($0)! < number($1)! } ?? .null
    case .sum:
      let sum = numbers.reduce(0, +)
      return isInteger ? .int(Int64(sum)) : .double(sum)
    case .average:
      return numbers.isEmpty ? .null : .double(numbers.reduce(0, +) / Double(numbers.count))
    }
  }

  /// Numbers of the tests are small, so a double holds them all.
  static func number(_ value: StoredValue) -> Double? {
    switch value {
    case .int(let value): Double(value)
    case .bool(let value): value ? 1 : 0
    case .float(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// -1, 0 or 1; nil if the two do not compare.
  static func order(_ left: StoredValue, _ right: StoredValue) -> Int? {
    if let a = number(left), let b = number(right), isFlag(left) == isFlag(right) {
      return a < b ? -1 : a > b ? 1 : 0
    }
    switch (left, right) {
    case (.string(let a), .string(let b)):
      let (a, b) = (Array(a.utf8), Array(b.utf8))
      return a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    case (.date(let a), .date(let b)): return a < b ? -1 : a > b ? 1 : 0
    case (.uuid(let a), .uuid(let b)): return a < b ? -1 : a == b ? 0 : 1
    case (.null, .null): return 0
    default: return left == right ? 0 : nil
    }
  }

  private static func isFlag(_ value: StoredValue) -> Bool {
    if case .bool = value { true } else { false }
  }

  /// - Parameter isNullLeast: whether null is below everything else.
  static func holds(
    _ left: StoredValue, _ comparison: QueryComparison, _ right: StoredValue,
    isNullLeast: Bool = false
  ) -> Bool {
    var order = order(left, right)
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

  func holds(_ predicate: QueryPredicate, _ table: TableKey, _ key: ObjectKey) -> Bool {
    switch predicate {
    case .constant(let value): return value
    case .and(let parts): return parts.allSatisfy { holds($0, table, key) }
    case .or(let parts): return parts.contains { holds($0, table, key) }
    case .not(let part): return !holds(part, table, key)
    case .all, .isOfKind, .search, .geoWithin:
      preconditionFailure("the writer makes no such predicates")
    case .compare(let left, let comparison, let right, _):
      let rights = values(right, table, key)
      let isNullLeast = Self.isString(left, table)
      return values(left, table, key).contains { left in
        rights.contains { Self.holds(left, comparison, $0, isNullLeast: isNullLeast) }
      }
    case .isIn(let left, let wanted):
      return values(left, table, key).contains { left in
        wanted.contains { Self.holds(left, .equal, $0) }
      }
    case .between(let left, let lower, let upper):
      let isNullLeast = Self.isString(left, table)
      let found = values(left, table, key)
      return found.contains {
        Self.holds($0, .greaterOrEqual, lower, isNullLeast: isNullLeast)
      } && found.contains { Self.holds($0, .lessOrEqual, upper, isNullLeast: isNullLeast) }
    case .text(let left, let operation, let right, _):
      guard case .string(let pattern)? = values(right, table, key).first, pattern != "" else {
        return false
      }
      return values(left, table, key).contains {
        if case .string(let text) = $0 { Self.text(text, operation, pattern) } else { false }
      }
    }
  }

  /// Whether it is a property of the object itself that holds a string.
  private static func isString(_ expression: QueryExpression, _ table: TableKey) -> Bool {
    guard case .path(let path) = expression, path.steps.count == 1,
      case .property(let name) = path.steps[0]
    else { return false }
    return Kennel.stored.description(of: table)!.property(named: name)!.kind == .string
  }

  private static func text(
    _ text: String, _ operation: TextOperation, _ pattern: String
  ) -> Bool {
    let (text, pattern) = (Array(text.utf8), Array(pattern.utf8))
    switch operation {
    case .begins: return text.starts(with: pattern)
    case .ends: return text.reversed().starts(with: pattern.reversed())
    case .contains, .like:
      return (0...text.count).contains { text.dropFirst($0).starts(with: pattern) }
    }
  }

  /// The results of a query on a table.
  func evaluate(_ query: QueryDescription) -> [ObjectKey] {
    guard case .table(let table) = query.source else { return [] }
    var found = keys(table).filter { holds(query.predicate, table, $0) }
    func value(_ path: QueryPath, _ key: ObjectKey) -> StoredValue? {
      reached(path.steps[...], table, key).first
    }
    for stage in query.stages {
      switch stage {
      case .sort(let keys):
        let places = Dictionary(uniqueKeysWithValues: found.enumerated().map { ($1, $0) })
        found.sort { left, right in
          for key in keys {
            let order = Self.sorting(value(key.path, left), value(key.path, right))
            if order != 0 { return (order < 0) == key.ascending }
          }
          return places[left]! < places[right]!
        }
      case .distinct(let paths):
        var seen: Set<[StoredValue]> = []
        found = found.filter { key in
          let values = paths.compactMap { value($0, key) }
          return values.count == paths.count && seen.insert(values).inserted
        }
      case .limit(let count): found = Array(found.prefix(count))
      }
    }
    return found
  }

  /// Null first, what is behind a link to nothing last.
  private static func sorting(_ left: StoredValue?, _ right: StoredValue?) -> Int {
    func rank(_ value: StoredValue?) -> Int { value == nil ? 2 : value == .null ? 0 : 1 }
    if rank(left) != 1 || rank(right) != 1 { return rank(left) - rank(right) }
    return order(left!, right!)!
  }
}
