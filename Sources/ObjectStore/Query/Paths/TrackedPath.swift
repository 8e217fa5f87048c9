/// A column that something depends on, and how it is reached from the objects in question.
struct TrackedPath: Hashable, Sendable {
  /// From the objects in question to the objects that have the column.
  var hops: [CompiledPath.Hop]
  /// The column in the table that the hops lead to; nil for every column of it.
  var column: ColumnKey?

  /// The tables that the hops lead through.
  var tables: [TableKey] { hops.map(\.table) }

  /// Everything that the values at the end of a path depend on: the links on the way, and the end.
  ///
  /// - Parameter prefix: how the path's root is reached from the objects in question.
  static func all(along path: CompiledPath, prefix: [CompiledPath.Hop]) -> [TrackedPath] {
    var tracked: [TrackedPath] = []
    var hops = prefix
    for hop in path.hops.map(\.whole) {
      tracked.append(TrackedPath(hops: hops, hop: hop))
      hops.append(hop)
    }
    // A change in a list or map among values of any kind is noted as one of the value.
    var end = path.end
    if case .inside(let outer, _) = end { end = outer }
    switch end {
    case .value(let column), .list(let column), .element(let column, _):
      tracked.append(TrackedPath(hops: hops, column: column.key))
    case .backlinks:
      if let hop = path.lastHop { tracked.append(TrackedPath(hops: hops, hop: hop)) }
    case .links(let links):
      for hop in links { tracked.append(TrackedPath(hops: hops, hop: hop)) }
    case .object, .inside: break
    }
    return tracked
  }

  init(hops: [CompiledPath.Hop], column: ColumnKey?) {
    self.hops = hops
    self.column = column
  }

  /// What decides where `hop` leads. That of a backlink is the column in the objects it comes from.
  init(hops: [CompiledPath.Hop], hop: CompiledPath.Hop) {
    switch hop {
    case .link(let column), .list(let column), .element(let column, _):
      self.init(hops: hops, column: column.key)
    case .backlinks(_, _, let originColumn): self.init(hops: hops + [hop], column: originColumn)
    }
  }
}

extension CompiledPath.Hop {
  /// The hop through all elements of a collection in place of one of them: which one it is may
  /// change with any other.
  var whole: CompiledPath.Hop {
    if case .element(let column, _) = self { .list(column) } else { self }
  }
}

extension CompiledPath {
  /// The end of the path as a further hop, if it ends in objects.
  var lastHop: Hop? {
    switch end {
    case .value(let column): column.kind == .object ? .link(column) : nil
    case .list(let column), .element(let column, _): column.kind == .object ? .list(column) : nil
    case .backlinks(let column, let origin, let originColumn):
      .backlinks(column: column, origin: origin, originColumn: originColumn)
    case .links, .object, .inside: nil
    }
  }
}
