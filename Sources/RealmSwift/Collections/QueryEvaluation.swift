import ObjectStore
import Storage

// Running queries on what an instance reads.

extension _RealmInstance {
  /// The version, or the write transaction's state, as queries see it.
  var view: StoreView {
    ensureReading()
    if let writing { return writing.objects.view }
    return StoreView(source: source, root: snapshot!.root, schema: schema.description)
  }

  /// The query made ready to run. A query that does not fit the schema is a misuse.
  func compiled(_ query: QueryDescription) -> CompiledQuery {
    do {
      return try CompiledQuery(query, schema: schema.description)
    } catch {
      throwRealmException(error.reason)
    }
  }

  /// The elements of a list of values that the query finds, in order.
  func values(of query: QueryDescription, in list: ListAccessor) -> [StoredValue] {
    let compiled = compiled(query, on: list.property.kind)
    let (elements, version) = (list.view, view)
    return engine { () throws(StorageError) in
      try compiled.evaluate(elements, version).map { (place) throws(StorageError) in
        try elements.value(at: place)
      }
    }
  }

  /// The query on lists of values of that kind made ready to run.
  func compiled(_ query: QueryDescription, on kind: ValueKind) -> ListQuery {
    do {
      return try ListQuery(
        kind: kind, where: query.predicate, stages: query.stages)
    } catch {
      throwRealmException(error.reason)
    }
  }
}
