import SyncProtocol

/// Which objects the last commits changed, so that what connected clients have missed is found
/// without a look into the file; and for clients that are followed which of those concern them, so
/// that it does not cost them what others write.
struct RecentChanges {
  private struct Entry {
    var version: ServerVersion
    var id: ObjectID
  }

  /// What concerns one client.
  private struct Followed {
    var entries: [Entry] = []
    /// All that concerns it after this version is known.
    var start: ServerVersion
  }

  /// By rising version; an object may be in it several times.
  private var entries: [Entry] = []
  /// All changes after this version are known.
  private var start: ServerVersion
  private static let countMax = 200_000
  private var followed: [ClientID: Followed] = [:]
  /// Who has missed more is sent it in several parts, and looks at all.
  private static let followedMax = 256

  /// - Parameter start: what the last commit before those that will be added had.
  init(after start: ServerVersion = ServerVersion(.max)) { self.start = start }

  /// From now on it is kept which changes concern a client; nil for one that is gone.
  ///
  /// - Parameter version: what the last commit had.
  mutating func follow(_ client: ClientID, after version: ServerVersion?) {
    followed[client] = version.map { Followed(start: $0) }
  }

  /// Adds what a commit wrote: objects and their versions. Those of an older version were written
  /// without a change, by a merge in which nothing was new, or by trimming.
  ///
  /// - Parameter concerned: for each object the clients that are followed and that it concerns.
  mutating func add(
    _ written: some Sequence<(id: ObjectID, version: ServerVersion)>,
    concerning concerned: [ObjectID: Set<ClientID>] = [:]
  ) {
    let first = entries.count
    let newest = entries.last?.version ?? start
    for (id, version) in written where version > newest {
      entries.append(Entry(version: version, id: id))
    }
    entries[first...].sort { $0.version < $1.version }
    for entry in entries[first...] {
      for client in concerned[entry.id] ?? [] { followed[client]?.entries.append(entry) }
    }
    for client in concerned.values.reduce(into: Set<ClientID>(), { $0.formUnion($1) })
    where followed[client].map({ $0.entries.count > Self.followedMax }) == true {
      followed[client] = Followed(start: entries.last?.version ?? start)
    }
    if entries.count <= Self.countMax { return }
    // Versions go as a whole.
    let version = entries[entries.count / 2].version
    start = version
    entries.removeFirst(place(after: version))
  }

  /// The objects that changed after a version and concern a client, which does not ask for older
  /// ones again; nil if not all of them are known.
  mutating func objects(after version: ServerVersion, concerning client: ClientID) -> [ObjectID]? {
    guard let known = followed[client], version >= known.start else { return nil }
    if version > known.start {
      followed[client]!.entries.removeAll { $0.version <= version }
      followed[client]!.start = version
    }
    return followed[client]!.entries.map(\.id)
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
