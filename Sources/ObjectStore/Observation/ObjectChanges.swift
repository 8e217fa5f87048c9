import Storage

/// What became of an observed object.
public enum ObservedObjectChange: Hashable, Sendable {
  /// Nothing that counts.
  case none
  case deleted
  /// Properties that were set (perhaps to the value they had), or behind which something changed
  /// that counts; in the order of the columns. Backlinks go by their hidden column.
  case changed([ColumnKey])
}

extension ChangeScope {
  /// What became of one object between two versions.
  ///
  /// - Parameters:
  ///   - key: an object that exists in the old version.
  ///   - changes: everything that happened between the versions.
  public func change(
    of key: ObjectKey, from old: StoreView, to new: StoreView, _ changes: ChangeSet
  ) throws(StorageError) -> ObservedObjectChange {
    let own = changes.changes(in: table)
    if let own, own.isDeleted(key) { return .deleted }
    var columns: Set<ColumnKey> = []
    switch rule {
    case .direct, .deep:
      columns = Set(own?.modifiedColumns(of: key) ?? [])
    case .paths(let paths):
      let trace = ChangeTrace(changes, from: old, to: new)
      for path in paths {
        if path.hops.isEmpty {
          guard let own, own.isModified(key) else { continue }
          let modified = own.modifiedColumns(of: key)
          columns.formUnion(path.column.map { modified.contains($0) ? [$0] : [] } ?? modified)
        } else if let column = path.firstColumn, !columns.contains(column) {
          if try path.isTouched(key, of: table, trace) { columns.insert(column) }
        }
      }
    }
    return columns.isEmpty ? .none : .changed(columns.sorted())
  }
}

extension TrackedPath {
  /// The column of the first step.
  var firstColumn: ColumnKey? {
    switch hops.first {
    case nil: column
    case .link(let column), .list(let column), .element(let column, _): column.key
    case .backlinks(let column, _, _): column
    }
  }

  /// Whether something at the end of the path changed, as seen from one object: looks at what the
  /// object leads to, in both versions.
  func isTouched(
    _ key: ObjectKey, of root: TableKey, _ trace: ChangeTrace
  ) throws(StorageError) -> Bool {
    guard let end = hops.last, let changed = trace.changes.changes(in: end.table) else {
      return false
    }
    var isBacklink = false
    if case .backlinks = end { isBacklink = true }
    let path = CompiledPath(root: root, hops: hops, end: .object)
    for context in [trace.old, trace.new] {
      guard let table = try context.table(root), let position = try table.find(key) else {
        continue
      }
      let place = PathPlace(table: table, position: position)
      let isTouched = try path.anyPlace(context, from: place, isOnce: true) {
        (end) throws(StorageError) in
        guard let object = end?.position.key else { return false }
        if isBacklink, changed.isInserted(object) || changed.isDeleted(object) { return true }
        return column.map { changed.isModified(object, $0) } ?? changed.isModified(object)
      }
      if isTouched { return true }
    }
    return false
  }
}
