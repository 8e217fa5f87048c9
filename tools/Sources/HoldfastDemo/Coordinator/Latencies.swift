/// Matches commits with the moments at which others saw them. Both may be reported first.
struct Latencies {
  private struct Key: Hashable {
    var writer: String
    var number: Int
  }

  private var commits: [Key: Commit] = [:]
  private var early: [Key: [UInt64]] = [:]
  /// Nanoseconds from the return of a commit to its sighting in another process; 0 when it was
  /// seen before the writer had returned.
  private(set) var fromReturn: [UInt64] = []
  /// From the call of the commit, its flush to disk included.
  private(set) var fromCall: [UInt64] = []

  mutating func add(_ commit: Commit, by writer: String) {
    let key = Key(writer: writer, number: commit.number)
    commits[key] = commit
    for time in early.removeValue(forKey: key) ?? [] { match(commit, seenAt: time) }
  }

  mutating func add(_ sighting: Sighting) {
    let key = Key(writer: sighting.writer, number: sighting.number)
    if let commit = commits[key] {
      match(commit, seenAt: sighting.at)
    } else {
      early[key, default: []].append(sighting.at)
    }
  }

  private mutating func match(_ commit: Commit, seenAt time: UInt64) {
    // A viewer that has just been started sees commits that were made before it was there.
    guard time < commit.returnedAt + 5_000_000_000 else { return }
    fromReturn.append(time > commit.returnedAt ? time - commit.returnedAt : 0)
    fromCall.append(time > commit.calledAt ? time - commit.calledAt : 0)
  }
}

/// The value below which `share` of `values` lie.
func quantile(_ share: Double, of values: [UInt64]) -> UInt64? {
  if values.isEmpty { return nil }
  let sorted = values.sorted()
  return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
}
