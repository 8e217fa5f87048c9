import ObjectStore
import TestSupport

/// Random queries that make sense for a model's schema.
struct QueryGenerator {
  var random: SeededGenerator
  let model: StoreModel

  private mutating func pick(_ count: Int) -> Int { random.below(count) }

  private mutating func one<Element>(of elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[pick(elements.count)]
  }

  mutating func query() -> QueryDescription {
    let source = source()
    let table = sourceTable(source)
    var query = QueryDescription(
      source, where: pick(10) == 0 ? .constant(true) : predicate(table, depth: 2))
    if pick(8) == 0, let path = scalarPath(table, where: Self.isSortable) {
      query.append(.distinct([path]))
    }
    var keys: [SortKey] = []
    for _ in 0..<[0, 0, 1, 1, 2][pick(5)] {
      guard let path = scalarPath(table, where: Self.isSortable) else { break }
      keys.append(SortKey(path, ascending: pick(2) == 0))
    }
    query.append(.sort(keys))
    if pick(6) == 0, let path = scalarPath(table, where: Self.isSortable) {
      query.append(.distinct([path]))
    }
    if pick(5) == 0 { query.append(.limit(pick(12))) }
    return query
  }

  private mutating func source() -> QuerySource {
    let description = one(of: model.schema.classes)!
    let table = description.tableKey
    if pick(8) == 0, let key = one(of: model[table].keys),
      let list = one(of: description.properties.filter { Self.isObjectList($0) })
    {
      return .list(owner: table, object: key, column: list.columnKey)
    }
    if pick(10) == 0, let link = one(of: description.properties.filter { $0.kind == .object }),
      let target = one(of: model[link.targetTable].keys)
    {
      return .backlinks(origin: table, column: link.columnKey, target: target)
    }
    return .table(table)
  }

  private func sourceTable(_ source: QuerySource) -> TableKey {
    switch source {
    case .table(let table), .backlinks(let table, _, _): table
    case .list(let owner, _, let column):
      model.description(owner).property(at: column)!.targetTable
    }
  }

  static func isObjectList(_ property: PropertyDescription) -> Bool {
    property.kind == .object && property.collection == .list
  }

  static func isSortable(_ kind: ValueKind) -> Bool { kind != .object && kind != .any }

  static func isSummable(_ kind: ValueKind) -> Bool {
    kind == .int || kind == .float || kind == .double
  }

  /// A property of the class, or of what it links to, that is no collection.
  mutating func scalarPath(_ table: TableKey, where isWanted: (ValueKind) -> Bool) -> QueryPath? {
    let properties = model.description(table).properties
    if pick(4) == 0,
      let link = one(of: properties.filter { $0.kind == .object && $0.collection == .none })
    {
      let inner = model.description(link.targetTable).properties
      if let end = one(of: inner.filter { $0.collection == .none && isWanted($0.kind) }) {
        return [.property(link.name), .property(end.name)]
      }
    }
    return one(of: properties.filter { $0.collection == .none && isWanted($0.kind) })
      .map { [.property($0.name)] }
  }

  // MARK: Predicates

  mutating func predicate(_ table: TableKey, depth: Int) -> QueryPredicate {
    if depth > 0 {
      let count = 1 + pick(3)
      switch pick(6) {
      case 0: return .and((0..<count).map { _ in predicate(table, depth: depth - 1) })
      case 1: return .or((0..<count).map { _ in predicate(table, depth: depth - 1) })
      case 2: return .not(predicate(table, depth: depth - 1))
      default: break
      }
    }
    let description = model.description(table)
    if pick(8) == 0, let backlink = one(of: description.backlinks) {
      return throughBacklinks(backlink)
    }
    let property = one(of: description.properties)!
    if property.isCollection {
      return property.kind == .object ? throughList(property) : anyElement(property)
    }
    if property.kind == .object, pick(3) != 0 {
      let inner = one(of: model.description(property.targetTable).properties)!
      return test(inner, at: [.property(property.name), .property(inner.name)])
    }
    return test(property, at: [.property(property.name)])
  }

  /// A test of the values at a path that ends in that property.
  private mutating func test(
    _ property: PropertyDescription, at path: QueryPath
  ) -> QueryPredicate {
    let kind = property.kind
    if kind == .string || kind == .data, pick(3) == 0 {
      let operation = [TextOperation.begins, .ends, .contains][pick(3)]
      var value = constant(property)
      if value == .null { value = kind == .string ? .string("b") : .data([1]) }
      return .text(.path(path), operation, .value(value))
    }
    if kind == .string, property.collection == .none, pick(5) == 0 {
      let searches = ["a", "be*", "bello", "zwölf", "x y", "語", "1* -12", "-ab b*", "zwo*"]
      return .search(.path(path), searches[pick(searches.count)])
    }
    switch pick(8) {
    case 0: return .isIn(.path(path), (0..<(1 + pick(3))).map { _ in constant(property) })
    case 1 where Self.isSummable(kind) || kind == .date:
      let bounds = [constant(property), constant(property)]
      if bounds.contains(.null) { break }
      return .between(.path(path), bounds[0], bounds[1])
    default: break
    }
    let ordered: [QueryComparison] = [.less, .lessOrEqual, .greater, .greaterOrEqual]
    var comparison = pick(3) == 0 ? QueryComparison.notEqual : .equal
    if Self.isSortable(kind) || kind == .any, pick(2) == 0 { comparison = ordered[pick(4)] }
    return .compare(.path(path), comparison, .value(constant(property)))
  }

  /// A value to compare with: half of the time one that an object has.
  private mutating func constant(_ property: PropertyDescription) -> StoredValue {
    if property.kind == .object {
      guard pick(4) != 0, let key = one(of: model[property.targetTable].keys) else { return .null }
      return .link(property.targetTable, key)
    }
    if property.kind == .any {
      if pick(2) == 0 { return ValueGenerator.unlinked(&random) }
      let values: [StoredValue] = [.int(3), .string("ab"), .null, .bool(true), .double(0.5)]
      return values[pick(values.count)]
    }
    if pick(12) == 0 { return .null }
    return ValueGenerator.scalar(property.kind, &random)
  }

  // MARK: Collections

  private mutating func anyElement(_ list: PropertyDescription) -> QueryPredicate {
    let path: QueryPath = [.property(list.name)]
    switch pick(4) {
    case 0: return countTest(path)
    case 1 where Self.isSummable(list.kind): return aggregateTest(path, nil, list.kind)
    default: return test(list, at: path)
    }
  }

  private mutating func countTest(_ path: QueryPath) -> QueryPredicate {
    let comparison = [QueryComparison.equal, .greater, .lessOrEqual, .notEqual][pick(4)]
    return .compare(.count(of: path), comparison, .value(.int(Int64(pick(4)))))
  }

  private mutating func aggregateTest(
    _ path: QueryPath, _ property: String?, _ kind: ValueKind
  ) -> QueryPredicate {
    let operation = [AggregateOperation.minimum, .maximum, .sum][pick(3)]
    let comparison = [QueryComparison.greater, .lessOrEqual, .equal][pick(3)]
    let value = kind == .int ? StoredValue.int(Int64(pick(9))) : .double(Double(pick(9)))
    return .compare(
      .aggregate(operation, of: path, property: property), comparison, .value(value))
  }

  private mutating func throughList(_ list: PropertyDescription) -> QueryPredicate {
    let path: QueryPath = [.property(list.name)]
    let properties = model.description(list.targetTable).properties
    let inner = one(of: properties)!
    switch pick(6) {
    case 0: return countTest(path)
    case 1:
      let part = predicate(list.targetTable, depth: 0)
      return .compare(.subqueryCount(path, part), .greater, .value(.int(Int64(pick(2)))))
    case 2:
      let numbers = properties.filter { $0.collection == .none && Self.isSummable($0.kind) }
      guard let number = one(of: numbers) else { return countTest(path) }
      return aggregateTest(path, number.name, number.kind)
    case 3: return test(list, at: path)
    default: return test(inner, at: [.property(list.name), .property(inner.name)])
    }
  }

  private mutating func throughBacklinks(_ backlink: BacklinkDescription) -> QueryPredicate {
    let origin = model.description(backlink.originTable)
    let step = QueryPath.Step.backlinks(
      className: origin.name, property: origin.property(at: backlink.originColumn)!.name)
    if pick(2) == 0 { return countTest([step]) }
    let inner = one(of: origin.properties)!
    return test(inner, at: [step, .property(inner.name)])
  }
}
