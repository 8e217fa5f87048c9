import ObjectStore
@_spi(Files) import RealmSwift
import Storage
import SyncProtocol

/// A subscription's query, read and compiled; or what is wrong with it.
struct PreparedQuery {
  let type: NameID
  let query: CompiledQuery
  /// What can be looked up before the query is evaluated, if anything.
  let term: EqualityTerm?
  /// The property that the term is about.
  let termProperty: PropertyDescription?
  /// Whether the query says nothing but the term.
  let isTerm: Bool
  /// Which other objects decide as well.
  let reach: LinkReach
  /// Whether every object of the class is selected.
  let selectsAll: Bool
  /// Whether it may look at far more rows than there are objects.
  let isCostly: Bool
}

/// Queries of an app, each prepared once as long as the schema stays.
struct QueryCache {
  private struct Key: Hashable {
    var type: Text
    var query: Text
  }

  private var prepared: [Key: Result<PreparedQuery, QueryError>] = [:]
  /// The bytes of the texts.
  private var bytes = 0
  private static let bytesMax = 16 << 20

  /// The schema has changed.
  mutating func removeAll() {
    prepared = [:]
    bytes = 0
  }

  /// - Parameter object: the link to the object of a class with that primary key.
  mutating func prepare(
    _ subscription: Subscription, _ schema: SchemaDescription, _ names: Names,
    object: @escaping (String, StoredValue) -> StoredValue?
  ) -> Result<PreparedQuery, QueryError> {
    let key = Key(type: subscription.type, query: subscription.query)
    if let known = prepared[key] { return known }
    let result = Result { () throws(QueryError) in
      try Self.read(subscription, schema, names, object)
    }
    // What names an object goes by what is there now, and so is prepared anew.
    if subscription.query.string.contains("obj(") { return result }
    let size = 100 + subscription.query.string.utf8.count
    if bytes + size > Self.bytesMax { removeAll() }
    bytes += size
    prepared[key] = result
    return result
  }

  private static func read(
    _ subscription: Subscription, _ schema: SchemaDescription, _ names: Names,
    _ object: @escaping (String, StoredValue) -> StoredValue?
  ) throws(QueryError) -> PreparedQuery {
    let name = subscription.type.string
    guard Schema.isName(subscription.type), let type = names.find(subscription.type),
      let table = schema.description(of: name)
    else {
      throw QueryError("There is no class '\(name)'.")
    }
    if table.isEmbedded {
      throw QueryError("Objects of '\(name)' are embedded and come with their owners.")
    }
    let predicate: QueryPredicate
    if subscription.query.string.isEmpty {
      predicate = .constant(true)
    } else {
      let parsed = try FilePredicate(
        subscription.query.string, className: name, schema: schema, object: object)
      guard parsed.isCondition else {
        throw QueryError("A subscription has a condition alone, no SORT, DISTINCT or LIMIT.")
      }
      predicate = parsed.predicate
    }
    let term = predicate.equalityTerm.flatMap { $0.isSimple(in: table) ? $0 : nil }
    let reach = predicate.reach(LinkNames(schema))
    let description = QueryDescription(.table(table.tableKey), where: predicate)
    return PreparedQuery(
      type: type, query: try CompiledQuery(description, schema: schema),
      term: term, termProperty: term.flatMap { table.property(named: $0.property) },
      isTerm: term != nil && predicate.isTermAlone, reach: reach,
      selectsAll: predicate.isTrue, isCostly: reach.isBeyondObject || predicate.hasPattern
    )
  }
}
