/// The workloads that all stores do in the same way.
struct StoreWorkloads {
  let harness: Harness
  static var stores: [any Store.Type] { [HoldfastStore.self, SQLiteStore.self, LMDBStore.self] }

  func run() throws {
    try pin()
    try commits()
    try read()
    try million()
    try growth()
  }

  private var scale: Scale { harness.scale }

  private func pin() throws {
    let times = scale.of(1_000_000, smoke: 1000)
    try harness.measure(
      Workload.pin, unit: "ns", isHigherBetter: false, stores: Self.stores
    ) { store in
      try store.insert(0..<1000)
      return try seconds { try store.pinAndUnpin(times: times) } / Double(times) * 1e9
    }
  }

  private func commits() throws {
    let durable = scale == .full ? 500 : scale == .quick ? 200 : 20
    try harness.measure(
      Workload.durableCommits, unit: "commits/s", isHigherBetter: true, stores: Self.stores,
      flushing: .everyCommit
    ) { store in
      try store.insert(0..<10_000)
      return Double(durable)
        / (try seconds { try store.insertOneByOne(10_000..<10_000 + durable) })
    }
    let unflushed = scale.of(50_000, smoke: 100)
    try harness.measure(
      Workload.unflushedCommits, unit: "commits/s", isHigherBetter: true, stores: Self.stores
    ) { store in
      try store.insert(0..<10_000)
      return Double(unflushed)
        / (try seconds { try store.insertOneByOne(10_000..<10_000 + unflushed) })
    }
    let updated = (0..<unflushed).map { $0 &* 7919 % 10_000 }
    try harness.measure(
      Workload.updates, unit: "commits/s", isHigherBetter: true, stores: Self.stores
    ) { store in
      try store.insert(0..<10_000)
      return Double(updated.count) / (try seconds { try store.update(updated) })
    }
  }

  private func read() throws {
    let times = scale.of(5_000_000, smoke: 1000)
    try harness.measure(
      Workload.read, unit: "ns", isHigherBetter: false, stores: Self.stores
    ) { store in
      try store.insert(0..<10_000)
      return try seconds { use(try store.readAge(of: 5000, times: times)) } / Double(times) * 1e9
    }
  }

  /// Insertion, size and count share the stores, since filling them takes longest.
  private func million() throws {
    let rows = scale.of(1_000_000, smoke: 5000)
    let expected = (0..<rows).count { Record($0).age == 42 }
    var sizes: [String: [Double]] = [:]
    var counts: [String: [Double]] = [:]
    try harness.measure(
      Workload.insert, unit: "objects/s", isHigherBetter: true, stores: Self.stores
    ) { store in
      let name = type(of: store).name
      let taken = try seconds { try store.insert(0..<rows) }
      sizes[name, default: []].append(Double(try store.sizeBytes()) / Double(rows))
      var found = try store.count(age: 42)
      let counting = try (0..<3).map { _ in try seconds { found = try store.count(age: 42) } }
      if found != expected { throw StoreError("\(name) counts \(found) instead of \(expected)") }
      counts[name, default: []].append(Double(rows) / median(counting))
      return Double(rows) / taken
    }
    harness.add(
      Figure(
        workload: Workload.size, unit: "bytes/object", isHigherBetter: false,
        values: sizes.mapValues(median)))
    harness.add(
      Figure(
        workload: Workload.count, unit: "rows/s", isHigherBetter: true,
        values: counts.mapValues(median)))
  }

  private func growth() throws {
    let commits = scale.of(20_000, smoke: 100)
    let updated = (0..<commits).map { $0 &* 7919 % 2000 }
    try harness.measure(
      Workload.growth, unit: "MiB", isHigherBetter: false, stores: Self.stores
    ) { store in
      try store.insert(0..<2000)
      let before = try store.sizeBytes()
      try store.pin()
      try store.update(updated)
      return Double(try store.sizeBytes() - before) / 1_048_576
    }
  }
}
