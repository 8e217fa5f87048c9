import ObjectStore

/// The schema that a realm reads with: what the program's classes are there, and their tables as
/// they were last looked up.
struct SchemaInUse {
  let bound: BoundClasses
  /// Those of cancelled writes, which accessors may still point into.
  private(set) var abandoned: [BoundClasses] = []
  let tables: CachedTables

  init(_ bound: BoundClasses) {
    self.bound = bound
    tables = CachedTables(count: bound.schema.description.classes.count)
  }

  func deallocate() { tables.deallocate() }

  var schema: StoredSchema { bound.schema }

  // What follows makes new values instead of changing this one: a realm's is read for every object,
  // and reading a property that is only ever replaced needs no check that nobody is changing it.

  /// The one to go on with after another schema has become the file's.
  func takingOver(_ newer: StoredSchema) -> SchemaInUse {
    next(BoundClasses(newer, bound.classes, earlier: bound, abandoned: abandoned))
  }

  /// The one to go on with after the classes that a transaction brought are gone again.
  func restored(to earlier: BoundClasses) -> SchemaInUse {
    var next = next(earlier)
    if !bound.isCovered(by: abandoned + [earlier]) { next.abandoned.append(bound) }
    return next
  }

  private func next(_ bound: BoundClasses) -> SchemaInUse {
    var next = SchemaInUse(bound)
    next.abandoned = abandoned
    return next
  }
}
