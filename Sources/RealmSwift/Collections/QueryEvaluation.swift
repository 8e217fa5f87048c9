import ObjectStore
import Storage

// Running queries on what an instance reads.

extension _RealmInstance {
  /// The version, or the write transaction's state, as queries see it.
  var view: StoreView {
    ensureReading()
    return StoreView(
      source: source, root: root,
      schema: writing?.objects.schema.description ?? schema.description)
  }

  /// The query made ready to run. A query that does not fit the schema is a misuse.
  func compiled(_ query: QueryDescription) -> CompiledQuery {
    do {
      return try CompiledQuery(query, schema: schema.description)
    } catch {
      throwRealmException(error.reason)
    }
  }

  /// The objects that the query finds, in order.
  func keys(of query: QueryDescription) -> [ObjectKey] {
    let compiled = compiled(query)
    let view = view
    return engine { () throws(StorageError) in Array(try compiled.evaluate(view)) }
  }

  /// The elements of a list of values in the query's order.
  func values(of query: QueryDescription, in list: ListAccessor) -> [StoredValue] {
    guard query.predicate == .constant(true) else {
      throwRealmException("Lists of values can be sorted and made distinct, but not filtered.")
    }
    var values = list.values()
    if let sort = query.sort.first {
      let isSmaller: (StoredValue, StoredValue) -> Bool =
        sort.ascending ? { $0.isBefore($1) } : { $1.isBefore($0) }
      // A stable sort: equal values keep their order.
      values = values.enumerated().sorted { left, right in
        isSmaller(left.element, right.element)
          || (!isSmaller(right.element, left.element) && left.offset < right.offset)
      }.map(\.element)
    }
    if !query.distinct.isEmpty {
      var seen = Set<StoredValue>()
      values = values.filter { seen.insert($0).inserted }
    }
    return values
  }
}

extension StoredValue {
  /// The order of values of one kind; null comes first.
  func isBefore(_ other: StoredValue) -> Bool {
    switch (self, other) {
    case (.null, .null): false
    case (.null, _): true
    case (_, .null): false
    case (.int(let left), .int(let right)): left < right
    case (.bool(let left), .bool(let right)): !left && right
    case (.float(let left), .float(let right)): left < right
    case (.double(let left), .double(let right)), (.date(let left), .date(let right)):
      left < right
    case (.string(let left), .string(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
    case (.data(let left), .data(let right)): left.lexicographicallyPrecedes(right)
    case (.objectId(let left), .objectId(let right)): left < right
    case (.uuid(let left), .uuid(let right)): left < right
    case (.decimal128(let left), .decimal128(let right)): Decimal128(left) < Decimal128(right)
    default: false
    }
  }
}
