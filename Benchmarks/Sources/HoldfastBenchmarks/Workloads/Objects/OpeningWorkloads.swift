import Foundation

extension Workload {
  static let openWarm = "open a file of all and read one, warm"
  static let openCold = "the same, cold"
}

/// Opening a store that is there already, and reading one object of it.
struct OpeningWorkloads {
  let harness: Harness
  private static var stores: [any ReopenedStore.Type] {
    [RealmStore.self, SQLiteStore.self, LMDBStore.self]
  }

  func run() throws {
    let warm = Row(Workload.openWarm, .milliseconds)
    let cold = Row(Workload.openCold, .milliseconds)
    try harness.compare(
      [warm, cold],
      Self.stores.map { type in
        Contender(name: type.name) { try open(type, $0, warm, cold) }
      })
  }

  /// First as the pages of the files are in memory, then after they have been dropped.
  private func open(
    _ type: any ReopenedStore.Type, _ trial: Trial, _ warm: Row, _ cold: Row
  ) throws {
    let rows = harness.records.count
    try fill(type, trial.folder)
    func openOnce() throws -> Double {
      try waitUntilClosed(type.files(in: trial.folder))
      return try seconds { use(try type.openAndRead(rows / 2, in: trial.folder)) } * 1000
    }
    trial.add(warm, median(try (0..<5).map { _ in try openOnce() }))
    trial.add(
      cold,
      median(
        try (0..<3).map { _ in
          try waitUntilClosed(type.files(in: trial.folder))
          for file in type.files(in: trial.folder) { dropFromMemory(file) }
          return try openOnce()
        }))
    trial.cameOut(try type.openAndRead(rows / 2, in: trial.folder))
  }

  /// The store is closed at the end.
  private func fill(_ type: any ReopenedStore.Type, _ folder: URL) throws {
    let store = try type.init(folder: folder, flushing: .none)
    try store.insert(0..<harness.records.count)
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
