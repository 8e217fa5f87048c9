import Storage

/// Which changes an observer of objects of a class wants to hear of.
public struct ChangeScope: Sendable {
  /// How many links away a change may be from an element of an observed collection to count, if
  /// nothing else was asked for.
  public static let collectionDepth = 4

  enum Rule: Sendable {
    /// The object's own properties.
    case direct
    /// Anything in the object or in objects up to `collectionDepth` links away.
    case deep(DeepScope)
    case paths([TrackedPath])
  }

  /// The class of the objects; of values of any kind, that of the object that has them.
  let table: TableKey
  private(set) var rule: Rule

  /// What counts for objects of a class as elements of a collection without key paths.
  public init(elementsOf table: TableKey, schema: SchemaDescription) {
    self.table = table
    rule = .deep(DeepScope(.objects(table), schema))
  }

  /// What counts for the values in a collection of values of any kind: they may be objects.
  public init(valuesOf list: ObservedList, schema: SchemaDescription) {
    table = list.owner
    rule = .deep(DeepScope(.values(list.owner, list.column), schema))
  }

  /// What counts for a single object without key paths.
  public init(object table: TableKey) {
    self.table = table
    rule = .direct
  }

  /// Only changes at the end of these paths, or of links on the way to them, count. A last step
  /// `*` stands for all properties.
  ///
  /// - Throws: `QueryError` if a path does not exist.
  public init(
    keyPaths: [QueryPath], of table: TableKey, schema: SchemaDescription
  ) throws(QueryError) {
    self.table = table
    let compiler = PathCompiler(schema)
    var tracked: Set<TrackedPath> = []
    for path in keyPaths {
      var path = path
      let isAll = path.steps.last == .property("*")
      if isAll { path.steps.removeLast() }
      let compiled = try compiler.compile(path, from: table)
      tracked.formUnion(TrackedPath.all(along: compiled, prefix: []))
      guard isAll else { continue }
      guard compiled.objectTable != nil else {
        throw QueryError("'\(path.description)' does not lead to objects that have properties.")
      }
      let hops = compiled.hops + (compiled.lastHop.map { [$0] } ?? [])
      tracked.insert(TrackedPath(hops: hops, column: nil))
    }
    rule = .paths(Array(tracked))
  }

  /// The classes of the objects that changes are looked for in.
  public var tables: Set<TableKey> {
    switch rule {
    case .direct: [table]
    case .deep(let scope): scope.tables
    case .paths(let paths): paths.reduce(into: [table]) { $0.formUnion($1.tables) }
    }
  }

  /// Goes over to the schema of a newer version: what is linked to by values of any kind is found
  /// through hidden columns, and the first such link to a class makes one.
  mutating func follow(_ schema: SchemaDescription) {
    guard case .deep(var scope) = rule else { return }
    scope.follow(schema)
    rule = .deep(scope)
  }

  /// The objects that may be elements of which something changed that counts; they may have been
  /// inserted or deleted meanwhile as well.
  func touched(_ trace: ChangeTrace) throws(StorageError) -> TouchedObjects {
    var touched = TouchedObjects()
    switch rule {
    case .direct:
      if let changes = trace.changes.changes(in: table) {
        touched.add(changes.modifiedObjects, of: table)
      }
    case .deep(let scope): touched = try scope.touched(trace)
    case .paths(let paths): touched.add(try trace.objects(of: table, along: paths), of: table)
    }
    return touched
  }
}
