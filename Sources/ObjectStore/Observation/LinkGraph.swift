/// Which class links to which: what decides how far a change can be seen.
///
/// What a value of any kind links to is not in the schema as programs see it. But a class gets a
/// hidden column for the backlinks of such a property with the first link of it to the class: so
/// there are edges where there are or have been links, and none that nobody uses.
struct LinkGraph: Sendable {
  /// One property that links to objects of one class, seen from the objects it links to.
  struct Edge: Hashable, Sendable {
    var origin: TableKey
    /// As a step from the origin to the target. That of a property of values of any kind leads to
    /// the target as well, through the values that are links to it.
    var hop: CompiledPath.Hop
    /// Whether the target belongs to the origin: it is a list or map among values of any kind. No
    /// link is counted for it.
    var isPart = false
    var target: TableKey { hop.table }
  }

  /// All properties that link, by the table they are in.
  private var outgoing: [[Edge]]
  /// Whether any edge leads to what is part of its origin.
  private(set) var hasParts = false

  init(_ schema: SchemaDescription) {
    var hasAny = false
    outgoing = schema.classes.map { description in
      description.properties.compactMap { property in
        if property.kind == .any { hasAny = true }
        return property.kind == .object
          ? Edge(origin: description.tableKey, through: property, to: property.targetTable) : nil
      }
    }
    if hasAny { addLinksOfValues(schema) }
  }

  private mutating func addLinksOfValues(_ schema: SchemaDescription) {
    for target in schema.classes {
      for backlink in target.backlinks {
        guard
          let property = schema.property(at: backlink.originColumn, of: backlink.originTable),
          property.kind == .any
        else { continue }
        var edge = Edge(origin: backlink.originTable, through: property, to: target.tableKey)
        edge.isPart = target.isNestedCollection
        if edge.isPart { hasParts = true }
        outgoing[Int(edge.origin.rawValue)].append(edge)
      }
    }
  }

  func edges(from table: TableKey) -> [Edge] {
    let index = Int(table.rawValue)
    return index < outgoing.count ? outgoing[index] : []
  }

  /// The classes to which there are links from that property.
  func targets(of column: ColumnKey, in table: TableKey) -> Set<TableKey> {
    Set(edges(from: table).filter { $0.column == column }.map(\.target))
  }

  /// For each number of links up to `depth` the tables that are so far from the first ones, or
  /// closer.
  func tables(within depth: Int, of first: Set<TableKey>) -> [Set<TableKey>] {
    var levels = [withParts(first)]
    for _ in 0..<depth {
      var next = levels[levels.count - 1]
      for table in levels[levels.count - 1] {
        for edge in edges(from: table) where !edge.isPart { next.insert(edge.target) }
      }
      levels.append(withParts(next))
    }
    return levels
  }

  /// The tables, and those of what is part of their objects.
  private func withParts(_ tables: Set<TableKey>) -> Set<TableKey> {
    if !hasParts { return tables }
    var all = tables
    var fresh = Array(tables)
    while let table = fresh.popLast() {
      for edge in edges(from: table) where edge.isPart && all.insert(edge.target).inserted {
        fresh.append(edge.target)
      }
    }
    return all
  }
}

extension LinkGraph.Edge {
  fileprivate init(origin: TableKey, through property: PropertyDescription, to target: TableKey) {
    var column = ColumnInfo(property)
    column.target = target
    self.init(origin: origin, hop: property.isCollection ? .list(column) : .link(column))
  }

  fileprivate var column: ColumnKey? {
    switch hop {
    case .link(let column), .list(let column), .element(let column, _): column.key
    case .backlinks: nil
    }
  }
}
