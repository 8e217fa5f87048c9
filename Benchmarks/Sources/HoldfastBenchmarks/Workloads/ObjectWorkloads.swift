import Foundation

/// What a program does with a million objects through the public API.
struct ObjectWorkloads {
  let harness: Harness
  private static var stores: [any ReopenedStore.Type] {
    [RealmStore.self, SQLiteStore.self, LMDBStore.self]
  }

  /// Values by workload, then by store.
  private typealias Values = [String: [String: [Double]]]

  private var rows: Int { harness.scale.of(1_000_000, smoke: 5000) }
  private var commits: Int { harness.scale.of(50_000, smoke: 100) }

  func run() throws {
    var values: Values = [:]
    try harness.takeTurns(Self.stores) { type, folder in
      func add(_ workload: String, _ value: Double) {
        values[workload, default: [:]][type.name, default: []].append(value)
      }
      try write(type.init(folder: folder, flushing: .none), add)
      try open(type, folder, add)
    }
    for (workload, unit, isHigherBetter) in [
      (Workload.objectInserts, "commits/s", true), (Workload.objectInsertGrowth, "bytes", false),
      (Workload.objectUpdates, "commits/s", true), (Workload.objectUpdateGrowth, "bytes", false),
      (Workload.openWarm, "ms", false), (Workload.openCold, "ms", false),
    ] {
      harness.add(
        Figure(
          workload: workload, unit: unit, isHigherBetter: isHigherBetter,
          values: values[workload, default: [:]].mapValues(median)))
    }
  }

  private func write(
    _ store: any ReopenedStore, _ add: (String, Double) -> Void
  ) throws {
    try store.insert(0..<rows)
    let full = try store.sizeBytes()
    let inserting = try seconds { try store.insertOneByOne(rows..<rows + commits) }
    let inserted = try store.sizeBytes()
    let updated = (0..<commits).map { $0 &* 7919 % rows }
    let updating = try seconds { try store.update(updated) }
    add(Workload.objectInserts, Double(commits) / inserting)
    add(Workload.objectInsertGrowth, Double(inserted - full) / Double(commits))
    add(Workload.objectUpdates, Double(commits) / updating)
    add(
      Workload.objectUpdateGrowth, Double(try store.sizeBytes() - inserted) / Double(commits))
  }

  /// Opens the store again, which nobody has open any more; first as the pages of its files are in
  /// memory, then after they have been dropped.
  private func open(
    _ type: any ReopenedStore.Type, _ folder: URL, _ add: (String, Double) -> Void
  ) throws {
    func openOnce() throws -> Double {
      try waitUntilClosed(type.files(in: folder))
      return try seconds { use(try type.openAndRead(rows / 2, in: folder)) } * 1000
    }
    add(Workload.openWarm, median(try (0..<5).map { _ in try openOnce() }))
    add(
      Workload.openCold,
      median(
        try (0..<3).map { _ in
          try waitUntilClosed(type.files(in: folder))
          for file in type.files(in: folder) { dropFromMemory(file) }
          return try openOnce()
        }))
  }
}

/// Waits until this process has none of the files open any more: work in the background may keep a
/// store open for a while.
private func waitUntilClosed(_ files: [URL]) throws {
  let paths = Set(files.map { $0.resolvingSymlinksInPath().path(percentEncoded: false) })
  for _ in 0..<10_000 {
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").contains {
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
      return target.map(paths.contains) ?? false
    }
    if !open { return }
    usleep(1000)
  }
  throw StoreError("a store is still open ten seconds after its end")
}

/// Writes a file back and drops it from the page cache; a file that is not there needs nothing.
private func dropFromMemory(_ file: URL) {
  let descriptor = Foundation.open(file.path(percentEncoded: false), O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return }
  defer { close(descriptor) }
  fdatasync(descriptor)
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
}
