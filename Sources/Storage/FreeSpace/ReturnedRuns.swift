/// Free space whose blocks have been given back to the file system, so that it is not done again.
struct ReturnedRuns {
  /// Disjoint.
  private var runs: [Int: [Region.Run]] = [:]

  /// How many units of a run have blocks still.
  func unreturned(_ region: Int, _ run: Region.Run) -> Int {
    var left = Int(run.length)
    for known in runs[region] ?? [] {
      let low = max(known.start, run.start)
      let high = min(known.end, run.end)
      if low < high { left -= Int(high - low) }
    }
    return left
  }

  /// The blocks of a run of a region have been given back.
  mutating func insert(_ region: Int, _ run: Region.Run) {
    forget(region, run)
    runs[region, default: []].append(run)
  }

  /// A run is used again.
  mutating func forget(_ region: Int, _ run: Region.Run) {
    guard !runs.isEmpty, let known = runs[region] else { return }
    var kept: [Region.Run] = []
    for item in known {
      if item.end <= run.start || run.end <= item.start {
        kept.append(item)
        continue
      }
      if item.start < run.start {
        kept.append(Region.Run(start: item.start, length: run.start - item.start))
      }
      if run.end < item.end {
        kept.append(Region.Run(start: run.end, length: item.end - run.end))
      }
    }
    runs[region] = kept.isEmpty ? nil : kept
  }
}
