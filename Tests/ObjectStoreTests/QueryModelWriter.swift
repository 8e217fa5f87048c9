import TestSupport

@testable import ObjectStore
@testable import Storage

/// Makes the same random changes to a store and to its model.
struct KennelWriter {
  var model = KennelModel()
  var random: SeededGenerator
  private var nextId: Int64 = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  static let words = [
    "", "a", "ab", "abc", "b", "ba", "Bello", "bello", "Rex", "rexx", "Waldi der Große",
    "日本", "nameless dog with a long name", String(repeating: "long ", count: 80),
  ]

  private mutating func pick<T>(_ list: [T]) -> T { list.randomElement(using: &random)! }

  mutating func value(of property: PropertyDescription) -> StoredValue {
    if property.isOptional && random.chance(4) { return .null }
    switch property.kind {
    case .int:
      return .int(
        random.chance(8) ? pick([0, 127, -128, 300, 70000]) : .random(in: 0...9, using: &random))
    case .bool: return .bool(random.chance(2))
    case .string: return .string(pick(Self.words))
    case .date: return .date(Double(Int.random(in: -4...4, using: &random)) / 2)
    case .float: return .float(Float(Int.random(in: -4...4, using: &random)) / 2)
    case .double: return .double(Double(Int.random(in: -8...8, using: &random)) / 4)
    case .uuid: return .uuid(UUIDBytes(head: 1, tail: .random(in: 0...3, using: &random)))
    case .decimal128:
      return .decimal128(DecimalNumber(Int64.random(in: 0...3, using: &random)).bits)
    case .any: return pick([.null, .int(3), .string("ab"), .double(1.5), .bool(true)])
    case .object:
      let keys = model.keys(property.targetTable)
      return keys.isEmpty ? .null : .link(property.targetTable, pick(keys))
    case .data, .objectId: return .null
    }
  }

  mutating func create(_ table: TableKey, in transaction: ObjectTransaction) throws {
    var row = KennelModel.Row()
    let key: ObjectKey
    if table == Kennel.dog {
      nextId += 1
      key = try transaction.createObject(in: table, primaryKey: nextId).key
    } else {
      key = try transaction.createObject(in: table)
    }
    for property in Kennel.stored.description(of: table)!.properties {
      if property.collection == .list {
        row.lists[property.name] = []
      } else {
        row.values[property.name] = property.isPrimaryKey ? .int(nextId) : property.defaultValue
      }
    }
    model.tables[table]![key] = row
    for property in Kennel.stored.description(of: table)!.properties where random.chance(3) == false
    {
      try change(property, of: key, table, transaction)
    }
  }

  mutating func delete(_ table: TableKey, in transaction: ObjectTransaction) throws {
    let keys = model.keys(table)
    if keys.isEmpty { return }
    let key = pick(keys)
    try transaction.deleteObject(key, in: table)
    model.delete(key, table)
  }

  /// Sets a property, or edits a list.
  mutating func change(
    _ property: PropertyDescription, of key: ObjectKey, _ table: TableKey,
    _ transaction: ObjectTransaction
  ) throws {
    if property.isPrimaryKey { return }
    if property.collection == .list {
      return try changeList(property, of: key, table, transaction)
    }
    let value = value(of: property)
    try transaction.set(value, property.columnKey, of: key, in: table)
    model.tables[table]![key]!.values[property.name] = value
  }

  private mutating func changeList(
    _ property: PropertyDescription, of key: ObjectKey, _ table: TableKey,
    _ transaction: ObjectTransaction
  ) throws {
    var list = model.row(table, key)!.lists[property.name]!
    let column = property.columnKey
    let index = list.isEmpty ? 0 : Int.random(in: list.indices, using: &random)
    switch list.isEmpty ? 0 : Int.random(in: 0...9, using: &random) {
    case 0...4:
      let value = value(of: property)
      if value == .null { return }
      let place = Int.random(in: 0...list.count, using: &random)
      try transaction.listInsert(value, at: place, column, of: key, in: table)
      list.insert(value, at: place)
    case 5:
      let value = value(of: property)
      if value == .null { return }
      try transaction.listSet(value, at: index, column, of: key, in: table)
      list[index] = value
    case 6...7:
      try transaction.listRemove(index..<(index + 1), column, of: key, in: table)
      list.remove(at: index)
    case 8:
      let to = Int.random(in: list.indices, using: &random)
      try transaction.listMove(from: index, to: to, column, of: key, in: table)
      list.insert(list.remove(at: index), at: to)
    default:
      let other = Int.random(in: list.indices, using: &random)
      try transaction.listSwap(index, other, column, of: key, in: table)
      list.swapAt(index, other)
    }
    model.tables[table]![key]!.lists[property.name] = list
  }

  /// One random change of anything.
  mutating func step(_ transaction: ObjectTransaction) throws {
    let table = random.chance(3) ? Kennel.person : Kennel.dog
    switch Int.random(in: 0...9, using: &random) {
    case 0...1: try create(table, in: transaction)
    case 2: try delete(table, in: transaction)
    default:
      let keys = model.keys(table)
      if keys.isEmpty { return }
      let properties = Kennel.stored.description(of: table)!.properties
      try change(pick(properties), of: pick(keys), table, transaction)
    }
  }

  // MARK: Queries

  mutating func predicate(depth: Int = 2) -> QueryPredicate {
    if depth > 0, random.chance(2) {
      let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in predicate(depth: depth - 1)
      }
      return random.chance(2) ? .and(parts) : random.chance(2) ? .or(parts) : .not(parts[0])
    }
    return leaf()
  }

  private static let plain = [
    "id", "name", "nick", "age", "weight", "height", "toys", "born", "good", "tag", "owner",
    "extra",
  ]

  private mutating func leaf() -> QueryPredicate {
    let all: [QueryComparison] = [
      .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]
    let dog = Kennel.stored.description(of: Kennel.dog)!
    switch Int.random(in: 0...13, using: &random) {
    case 0...4:
      let property = dog.property(named: pick(Self.plain))!
      let isLink = property.kind == .object
      return compare(
        property.name, pick(isLink ? [.equal, .notEqual] : all), value(of: property))
    case 5:
      let property = dog.property(named: pick(["age", "name", "nick", "toys", "weight", "born"]))!
      let count = Int.random(in: 0...5, using: &random)
      return .isIn(.path(QueryPath(property.name)), (0..<count).map { _ in value(of: property) })
    case 6:
      let property = dog.property(named: pick(["age", "toys", "weight", "born", "name"]))!
      return .between(
        .path(QueryPath(property.name)), value(of: property), value(of: property))
    case 7:
      return .text(
        .path(QueryPath(pick(["name", "nick", "owner.name"]))), pick([.contains, .begins, .ends]),
        .value(.string(pick(["", "a", "b", "ab", "lo", "long", "x"]))))
    case 8:
      return compare(
        pick(["owner.age", "owner.boss.age", "friends.age", "friends.owner.age", "scores"]),
        pick(all), random.chance(5) ? .null : .int(.random(in: 0...9, using: &random)))
    case 9:
      return .compare(
        .path(QueryPath(pick(["age", "weight", "toys", "friends.age"]))), pick(all),
        .path(QueryPath(pick(["toys", "height", "owner.age", "scores"]))))
    case 10:
      return .compare(
        .count(of: QueryPath(pick(["friends", "scores", "friends.friends"]))), pick(all),
        .value(.int(.random(in: 0...3, using: &random))))
    case 11:
      return .compare(
        .aggregate(
          pick([.minimum, .maximum, .sum, .average]), of: QueryPath("friends"), property: "age"),
        pick(all), .value(random.chance(4) ? .null : .int(.random(in: 0...9, using: &random))))
    case 12:
      let inner = compare("age", pick(all), .int(.random(in: 0...9, using: &random)))
      return .compare(
        .subqueryCount(QueryPath("friends"), inner), pick(all),
        .value(.int(.random(in: 0...2, using: &random))))
    default:
      return .compare(
        .count(of: [.backlinks(className: "Dog", property: "friends")]), pick(all),
        .value(.int(.random(in: 0...2, using: &random))))
    }
  }

  mutating func query() -> QueryDescription {
    var query = QueryDescription(
      .table(Kennel.dog), where: random.chance(4) ? .constant(true) : predicate())
    let paths = [
      "age", "name", "nick", "weight", "height", "born", "owner.age", "owner.name", "tag",
    ]
    if random.chance(8) { query.append(.distinct([QueryPath(pick(paths))])) }
    if random.chance(8) { query.append(.limit(Int.random(in: 0...30, using: &random))) }
    query.append(
      .sort(
        (0..<pick([0, 0, 1, 1, 2, 3])).map { _ in
          SortKey(QueryPath(pick(paths)), ascending: random.chance(2))
        }))
    if random.chance(6) { query.append(.distinct([QueryPath(pick(paths))])) }
    if random.chance(6) { query.append(.limit(Int.random(in: 0...8, using: &random))) }
    return query
  }
}
