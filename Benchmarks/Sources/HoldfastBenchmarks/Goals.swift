/// What is promised, by workload. Ratios are of medians within one run.
enum Goals {
  enum Goal {
    /// So many times as good as the other store, in what is better high.
    case better(Double, than: String)
    case atLeast(Double)
    case atMost(Double)
  }

  private static let engine: [String: Goal] = [
    Workload.pin: .atMost(50),
    Workload.wake: .atMost(80),
    Workload.durableCommits: .better(1, than: SQLiteStore.name),
    Workload.unflushedCommits: .better(0.5, than: LMDBStore.name),
    Workload.read: .atMost(10),
    Workload.count: .better(5, than: SQLiteStore.name),
    Workload.growth: .atMost(0.5),
  ]

  private static let objects: [String: Goal] = [
    Workload.insertInOrder: .better(0.8, than: SQLiteStore.name),
    Workload.createDictionaries: .better(0.3, than: SQLiteStore.name),
    Workload.wideInserts: .better(0.5, than: SQLiteStore.name),
    Workload.objectInserts: .better(1, than: SQLiteStore.name),
    Workload.objectUpdates: .better(1, than: SQLiteStore.name),
    Workload.objectUpdateGrowth: .atMost(10),
    Workload.openWarm: .atMost(0.5),
    Workload.openCold: .atMost(10),
    Workload.iterate: .atMost(60),
    Workload.countIntEqual: .atLeast(2e9),
    Workload.countIntGreater: .atLeast(2e9),
    Workload.countDouble: .atLeast(2e9),
    Workload.countDate: .atLeast(2e9),
    Workload.countContainsAnyCase: .atLeast(1e8),
    Workload.countProperties: .atLeast(2e8),
    Workload.indexedCount: .atLeast(1e6),
    Workload.indexedFind: .better(1, than: SQLiteStore.name),
    Workload.firstByString: .atMost(20),
    Workload.firstByDouble: .atMost(20),
    Workload.deleteListed: .atLeast(5e5),
    Workload.countBacklinks: .atMost(60),
    Workload.freezeRealm: .atMost(1),
    Workload.freezeObject: .atMost(1),
  ]

  static func judge(_ figure: Figure) -> Figure {
    var judged = figure
    guard let ours = figure.values[HoldfastStore.name],
      let goal = engine[figure.workload] ?? objects[figure.workload]
    else { return judged }
    switch goal {
    case .better(let factor, let rival):
      judged.goal = ">= \(factor == 1 ? "" : "\(factor) x ")\(rival)"
      judged.isReached = figure.values[rival].map { ours >= factor * $0 }
    case .atLeast(let limit):
      judged.goal = ">= \(Output.number(limit)) \(figure.unit)"
      judged.isReached = ours >= limit
    case .atMost(let limit):
      judged.goal = "<= \(Output.number(limit)) \(figure.unit)"
      judged.isReached = ours <= limit
    }
    return judged
  }
}
