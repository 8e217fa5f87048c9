import SyncProtocol

/// Which objects the last commits changed, so that what connected clients have missed is found
/// without a look into the file.
struct RecentChanges {
  private struct Entry {
    var version: ServerVersion
    var id: ObjectID
  }

  /// By rising version; an object may be in it several times.
  private var entries: [Entry] = []
  /// All changes after this version are known.
  private var start: ServerVersion
  private static let countMax = 200_000

  /// - Parameter start: what the last commit before those that will be added had.
  init(after start: ServerVersion = ServerVersion(.max)) { self.start = start }

  /// Adds what a commit wrote: objects and their versions. Those of an older version were written
  /// without a change, by a merge in which nothing was new, or by trimming.
  mutating func add(_ written: some Sequence<(id: ObjectID, version: ServerVersion)>) {
    let first = entries.count
    let newest = entries.last?.version ?? start
    for (id, version) in written where version > newest {
      entries.append(Entry(version: version, id: id))
    }
    entries[first...].sort { $0.version < $1.version }
    if entries.count <= Self.countMax { return }
    // Versions go as a whole.
    let version = entries[entries.count / 2].version
    start = version
    entries.removeFirst(place(after: version))
  }

  /// The objects that changed after a version; nil if not all of them are known.
  func objects(after version: ServerVersion) -> [ObjectID]? {
    guard version >= start else { return nil }
    return entries[place(after: version)...].map(\.id)
  }

  /// The first entry of a later version.
  private func place(after version: ServerVersion) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].version <= version { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
