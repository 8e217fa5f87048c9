import ObjectStore

/// The schema that a realm reads with: what the program's classes are there, and their tables as
/// they were last looked up.
struct SchemaInUse {
  private(set) var bound: BoundClasses
  /// Those of cancelled writes, which accessors may still point into.
  private var abandoned: [BoundClasses] = []
  private(set) var tables: CachedTables

  init(_ bound: BoundClasses) {
    self.bound = bound
    tables = CachedTables(count: bound.schema.description.classes.count)
  }

  func deallocate() { tables.deallocate() }

  var schema: StoredSchema { bound.schema }

  mutating func takeOver(_ newer: StoredSchema) {
    use(BoundClasses(newer, bound.classes, earlier: bound))
  }

  mutating func restore(_ earlier: BoundClasses) {
    abandoned.append(bound)
    use(earlier)
  }

  private mutating func use(_ bound: BoundClasses) {
    self.bound = bound
    tables.deallocate()
    tables = CachedTables(count: bound.schema.description.classes.count)
  }
}
