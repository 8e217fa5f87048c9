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

  let table: TableKey
  let rule: Rule

  /// What counts for elements of a collection without key paths.
  public init(elementsOf table: TableKey, schema: SchemaDescription) {
    self.table = table
    rule = .deep(DeepScope(table, LinkGraph(schema)))
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

  /// The objects of the class of which something changed that counts; they may have been inserted
  /// or deleted meanwhile as well.
  func touched(_ trace: ChangeTrace) throws(StorageError) -> KeySet {
    switch rule {
    case .direct: return trace.changes.changes(in: table)?.modifiedObjects ?? KeySet()
    case .deep(let scope): return try scope.touched(trace)
    case .paths(let paths): return try trace.objects(of: table, along: paths)
    }
  }
}

/// The objects of a class from which a changed object is at most a few links away.
struct DeepScope: Sendable {
  private let table: TableKey
  private let graph: LinkGraph
  var tables: Set<TableKey> { levels[levels.count - 1] }

  /// The tables within 0, 1, ... links.
  private let levels: [Set<TableKey>]

  init(_ table: TableKey, _ graph: LinkGraph) {
    self.table = table
    self.graph = graph
    levels = graph.tables(within: ChangeScope.collectionDepth, of: table)
  }

  /// Walks from what changed to what links to it, one link at a time, as often as the depth allows.
  func touched(_ trace: ChangeTrace) throws(StorageError) -> KeySet {
    var reached: [TableKey: KeySet] = [:]
    for changes in trace.changes.tables where tables.contains(changes.table) {
      let modified = changes.modifiedObjects
      if !modified.isEmpty { reached[changes.table] = modified }
    }
    // What was reached last, from where the next step goes on.
    var frontier = reached
    var depth = ChangeScope.collectionDepth - 1
    while depth >= 0, !frontier.isEmpty {
      var next: [TableKey: KeySet] = [:]
      for origin in levels[depth] {
        for edge in graph.edges(from: origin) {
          guard let targets = frontier[edge.target] else { continue }
          let sources = try trace.origins(of: targets, edge)
          let known = reached[origin] ?? KeySet()
          let fresh = sources.subtracting(known)
          if fresh.isEmpty { continue }
          reached[origin] = known.union(fresh)
          next[origin] = (next[origin] ?? KeySet()).union(fresh)
        }
      }
      frontier = next
      depth -= 1
    }
    return reached[table] ?? KeySet()
  }
}
