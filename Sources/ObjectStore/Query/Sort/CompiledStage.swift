/// A `QueryStage` resolved against a schema.
enum CompiledStage: Sendable {
  case sort([CompiledSortKey])
  case distinct([CompiledPath])
  case limit(Int)

  init(_ stage: QueryStage, _ paths: PathCompiler, _ table: TableKey) throws(QueryError) {
    switch stage {
    case .sort(let keys):
      var compiled: [CompiledSortKey] = []
      for key in keys {
        let path = try Self.single(key.path, paths, table, "sort by")
        compiled.append(CompiledSortKey(path: path, ascending: key.ascending))
      }
      self = .sort(compiled)
    case .distinct(let wanted):
      var compiled: [CompiledPath] = []
      for path in wanted { compiled.append(try Self.single(path, paths, table, "distinguish by")) }
      self = .distinct(compiled)
    case .limit(let count): self = .limit(max(count, 0))
    }
  }

  private static func single(
    _ path: QueryPath, _ paths: PathCompiler, _ table: TableKey, _ what: String
  ) throws(QueryError) -> CompiledPath {
    let compiled = try paths.compile(path, from: table)
    guard !compiled.isMultiple else {
      throw QueryError("Cannot \(what) '\(path.description)': it goes through a collection.")
    }
    return compiled
  }

  /// What it looks at.
  var paths: [CompiledPath] {
    switch self {
    case .sort(let keys): keys.map(\.path)
    case .distinct(let paths): paths
    case .limit: []
    }
  }
}
