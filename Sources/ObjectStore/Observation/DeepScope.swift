import Storage

/// The elements of a collection from which a changed object is at most a few links away.
///
/// It is made for a schema and goes over to another with `follow`.
struct DeepScope: Sendable {
  /// What the elements are.
  enum Elements: Sendable {
    /// Objects of a class.
    case objects(TableKey)
    /// Values of any kind in a collection, of which objects of any class may be.
    case values(TableKey, ColumnKey)
  }

  private let elements: Elements
  /// What the graph was made of.
  private var classes: [ClassDescription]
  private let graph: LinkGraph
  /// The tables within 0, 1, ... links.
  private let levels: [Set<TableKey>]

  /// All that matter.
  var tables: Set<TableKey> { levels[levels.count - 1] }

  init(_ elements: Elements, _ schema: SchemaDescription) {
    self.elements = elements
    classes = schema.classes
    graph = LinkGraph(schema)
    let first: Set<TableKey> =
      switch elements {
      case .objects(let table): [table]
      case .values(let table, let column): graph.targets(of: column, in: table)
      }
    levels = graph.tables(within: ChangeScope.collectionDepth, of: first)
  }

  /// Goes over to the schema of a newer version. Mostly it is the same array, and nothing is
  /// compared.
  mutating func follow(_ schema: SchemaDescription) {
    if classes == schema.classes { classes = schema.classes } else { self = Self(elements, schema) }
  }

  /// Walks from what changed to what links to it, one link at a time, as often as the depth allows.
  ///
  /// - Returns: with what was passed on the way.
  func touched(_ trace: ChangeTrace) throws(StorageError) -> TouchedObjects {
    var reached = TouchedObjects()
    for changes in trace.changes.tables where tables.contains(changes.table) {
      reached.add(changes.modifiedObjects, of: changes.table)
    }
    // What was reached last, from where the next step goes on.
    var frontier = reached
    var depth = ChangeScope.collectionDepth - 1
    while depth >= 0, !frontier.isEmpty {
      frontier = try step(from: frontier, to: levels[depth], trace, &reached)
      if graph.hasParts {
        var parts = frontier
        while !parts.isEmpty {
          parts = try step(from: parts, to: levels[depth], ofParts: true, trace, &reached)
          frontier.add(parts)
        }
      }
      depth -= 1
    }
    return reached
  }

  /// What links to the targets, or what they are part of, and was not reached before.
  private func step(
    from targets: TouchedObjects, to origins: Set<TableKey>, ofParts: Bool = false,
    _ trace: ChangeTrace, _ reached: inout TouchedObjects
  ) throws(StorageError) -> TouchedObjects {
    var next = TouchedObjects()
    for origin in origins {
      for edge in graph.edges(from: origin) where edge.isPart == ofParts {
        guard let targets = targets.tables[edge.target] else { continue }
        let sources = try trace.origins(of: targets, edge)
        let fresh = sources.subtracting(reached[origin])
        reached.add(fresh, of: origin)
        next.add(fresh, of: origin)
      }
    }
    return next
  }
}
