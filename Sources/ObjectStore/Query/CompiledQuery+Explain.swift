import Storage

extension CompiledQuery {
  /// How the query would be run on a version, in words: where the objects come from, by which index
  /// if by any, and what is done with them after that.
  public func explanation(_ view: StoreView) throws(StorageError) -> String {
    let context = EvaluationContext(view)
    var lines = [try sourceLine(context)]
    for stage in description.stages {
      switch stage {
      case .sort(let keys):
        let names = keys.map { $0.path.description + ($0.ascending ? "" : " (descending)") }
        lines.append("sort by \(names.joined(separator: ", "))")
      case .distinct(let paths):
        lines.append("distinct by \(paths.map(\.description).joined(separator: ", "))")
      case .limit(let count): lines.append("limit to \(count)")
      }
    }
    return lines.joined(separator: "\n")
  }

  private func sourceLine(_ context: EvaluationContext) throws(StorageError) -> String {
    let name = context.view.schema.description(of: table)?.name ?? "?"
    guard let stored = try context.table(table), stored.count > 0 else {
      return "\(name): nothing, there are no objects"
    }
    if let constant = node as? ConstantNode, !constant.value {
      return "\(name): nothing, the condition never holds"
    }
    let tests = (node as? ConstantNode)?.value == true ? "" : ", each is tested"
    switch description.source {
    case .list, .backlinks:
      return "\(name): \(try sourceKeys(context).count) objects of a collection\(tests)"
    case .table: break
    }
    guard let best = try cheapestProbe(stored, context) else {
      return tests.isEmpty
        ? "\(name): all \(stored.count) objects" : "\(name): scan of \(stored.count) objects"
    }
    let count = try best.probe.estimate(best.index)
    return "\(name): index of '\(best.probe.property.name)' names about \(count) objects"
      + (best.probe.isExact ? "" : tests)
  }
}
