/// Which class links to which: what decides how far a change can be seen.
struct LinkGraph: Sendable {
  /// One property that links, seen from the objects it links to.
  struct Edge: Hashable, Sendable {
    var origin: TableKey
    /// As a step from the origin to the target.
    var hop: CompiledPath.Hop
    var target: TableKey { hop.table }
  }

  /// All properties that link, by the table they are in.
  private let outgoing: [[Edge]]

  init(_ schema: SchemaDescription) {
    outgoing = schema.classes.map { description in
      description.properties.filter { $0.kind == .object }.map { property in
        let column = ColumnInfo(property)
        return Edge(
          origin: description.tableKey,
          hop: property.isCollection ? .list(column) : .link(column))
      }
    }
  }

  func edges(from table: TableKey) -> [Edge] {
    let index = Int(table.rawValue)
    return index < outgoing.count ? outgoing[index] : []
  }

  /// For each number of links up to `depth` the tables that are so far from `table`, or closer.
  func tables(within depth: Int, of table: TableKey) -> [Set<TableKey>] {
    var levels: [Set<TableKey>] = [[table]]
    for _ in 0..<depth {
      var next = levels[levels.count - 1]
      for table in levels[levels.count - 1] {
        for edge in edges(from: table) { next.insert(edge.target) }
      }
      levels.append(next)
    }
    return levels
  }
}
