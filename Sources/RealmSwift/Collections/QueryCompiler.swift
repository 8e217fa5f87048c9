import ObjectStore
import Storage

/// Makes queries ready to run. A query that does not fit is a misuse.
struct QueryCompiler {
  /// Of what the queries are run on.
  let schema: SchemaDescription

  func compiled(_ query: QueryDescription) -> CompiledQuery {
    do {
      return try CompiledQuery(query, schema: schema)
    } catch {
      throwRealmException(error.reason)
    }
  }

  /// The query on lists of values of that kind.
  static func compiled(_ query: QueryDescription, on kind: ValueKind) -> ListQuery {
    do {
      return try ListQuery(kind: kind, where: query.predicate, stages: query.stages)
    } catch {
      throwRealmException(error.reason)
    }
  }
}

extension ListAccessor {
  /// The elements of a list of values that the query finds, in order.
  func values(of query: QueryDescription) -> [StoredValue] {
    let compiled = QueryCompiler.compiled(query, on: property.kind)
    let (elements, version) = (view, instance.view)
    return engine { () throws(StorageError) in
      try compiled.evaluate(elements, version).map { (place) throws(StorageError) in
        try elements.value(at: place)
      }
    }
  }
}
