import Storage

/// Two versions and what happened between them, for finding the objects that a change concerns.
struct ChangeTrace {
  let changes: ChangeSet
  let old: EvaluationContext
  let new: EvaluationContext

  init(_ changes: ChangeSet, from old: StoreView, to new: StoreView) {
    self.changes = changes
    self.old = EvaluationContext(old)
    self.new = EvaluationContext(new)
  }

  /// The objects of `root` for which something at the end of one of the paths changed.
  func objects(
    of root: TableKey, along paths: [TrackedPath]
  ) throws(StorageError) -> KeySet {
    var found = KeySet()
    for path in paths {
      found = found.union(try objects(of: root, along: path))
    }
    return found
  }

  private func objects(
    of root: TableKey, along path: TrackedPath
  ) throws(StorageError) -> KeySet {
    let table = path.hops.last?.table ?? root
    guard let changed = changes.changes(in: table) else { return KeySet() }
    var objects =
      path.column.map { changed.objects(modifiedIn: $0) } ?? changed.modifiedObjects
    if case .backlinks = path.hops.last {
      // Objects that came or went bring or take a backlink.
      objects = objects.union(changed.insertions).union(changed.deletions)
    }
    for index in path.hops.indices.reversed() {
      if objects.isEmpty { break }
      let origin = index == 0 ? root : path.hops[index - 1].table
      objects = try origins(
        of: objects, LinkGraph.Edge(origin: origin, hop: path.hops[index]))
    }
    return objects
  }

  /// The objects from which the step leads to one of `targets`, in the new version (for backlinks,
  /// in either).
  func origins(
    of targets: KeySet, _ edge: LinkGraph.Edge
  ) throws(StorageError) -> KeySet {
    var found: [Int64] = []
    switch edge.hop {
    case .link(let column), .list(let column), .element(let column, _):
      try collectSources(new, edge.origin, column, targets, &found)
    case .backlinks(_, let origin, let originColumn):
      try collectTargets(old, edge.origin, from: origin, originColumn, targets, &found)
      try collectTargets(new, edge.origin, from: origin, originColumn, targets, &found)
    }
    return KeySet(unsorted: found)
  }

  /// Who links to the targets through a column.
  private func collectSources(
    _ context: EvaluationContext, _ origin: TableKey, _ column: ColumnInfo, _ targets: KeySet,
    _ found: inout [Int64]
  ) throws(StorageError) {
    let description = context.view.schema.description(of: column.target)
    guard let hidden = description?.backlinkColumn(from: origin, column.key),
      let table = try context.table(column.target)
    else { return }
    for key in targets {
      guard let position = try table.find(key) else { continue }
      for source in try table.backlinks(hidden, at: position).keys() {
        found.append(source.rawValue)
      }
    }
  }

  /// The objects of `table` that the given ones of `origin` link to through a column, which may be
  /// one of values of any kind and lead to other tables as well.
  private func collectTargets(
    _ context: EvaluationContext, _ table: TableKey, from origin: TableKey, _ column: ColumnKey,
    _ objects: KeySet, _ found: inout [Int64]
  ) throws(StorageError) {
    guard let property = context.view.schema.description(of: origin)?.property(at: column),
      let origins = try context.table(origin)
    else { return }
    let info = ColumnInfo(property)
    let end: CompiledPath.End = property.isCollection ? .list(info) : .value(info)
    let path = CompiledPath(root: origin, hops: [], end: end)
    for key in objects {
      guard let position = try origins.find(key) else { continue }
      let place = PathPlace(table: origins, position: position)
      _ = try path.any(context, from: place) { (value) throws(StorageError) in
        if case .link(table, let target) = value { found.append(target.rawValue) }
        return false
      }
    }
  }
}
