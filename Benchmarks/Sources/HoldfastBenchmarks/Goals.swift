/// What the engine has promised, by workload. Ratios are of medians within one run.
enum Goals {
  static func judge(_ figure: Figure) -> Figure {
    var judged = figure
    guard let ours = figure.values[HoldfastStore.name] else { return judged }
    func than(_ rival: String) -> Double? { figure.values[rival].map { ours / $0 } }
    let goal: (text: String, isReached: Bool?)? =
      switch figure.workload {
      case Workload.pin: ("<= 50 ns", ours <= 50)
      case Workload.wake: ("<= 80 us", ours <= 80)
      case Workload.durableCommits: (">= SQLite", than("SQLite").map { $0 >= 1 })
      case Workload.unflushedCommits: (">= 0.5 x LMDB", than("LMDB").map { $0 >= 0.5 })
      case Workload.read: ("<= 10 ns", ours <= 10)
      case Workload.count: (">= 5 x SQLite", than("SQLite").map { $0 >= 5 })
      case Workload.objectInserts, Workload.objectUpdates:
        (">= SQLite", than("SQLite").map { $0 >= 1 })
      case Workload.objectUpdateGrowth: ("<= 10 bytes", ours <= 10)
      case Workload.openWarm: ("<= 0.5 ms", ours <= 0.5)
      case Workload.openCold: ("<= 10 ms", ours <= 10)
      case Workload.growth: ("<= 0.5 MiB", ours <= 0.5)
      default: nil
      }
    judged.goal = goal?.text
    judged.isReached = goal?.isReached
    return judged
  }
}
