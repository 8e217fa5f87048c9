import Platform

/// The free space of 256 KiB of the file, in memory: what may be used now, and what waits for
/// pinned versions. Numbers are units of 8 bytes from the region's start.
///
/// It describes the version that its `FreeSpace` describes. Runs are disjoint, ascending, and not
/// adjacent to each other; waiting runs are disjoint from them and from one another.
struct Region {
  struct Run: Hashable {
    var start: UInt32
    var length: UInt32
    var end: UInt32 { start + length }
  }

  struct WaitingRun: Hashable {
    var run: Run
    var createdIn: Version
    var freed: Version
  }

  static let unit: UInt64 = 8
  static let byteSize: UInt64 = 1 << 18
  static let unitCount = Int(byteSize / unit)

  private(set) var runs: [Run] = []
  private(set) var free = 0
  private(set) var longest = 0
  /// At least the classes of all the runs.
  private(set) var classes = SizeClassSet.none
  private(set) var waiting = WaitingRuns()

  var isEmpty: Bool { runs.isEmpty && waiting.isEmpty }

  var summary: RunSummary {
    var summary = RunSummary.used(size: Self.unitCount)
    guard let first = runs.first, let last = runs.last else { return summary }
    summary.free = Int32(free)
    summary.prefix = first.start == 0 ? Int32(first.length) : 0
    summary.suffix = last.end == Self.unitCount ? Int32(last.length) : 0
    summary.longest = Int32(longest)
    return summary
  }

  // MARK: Runs

  /// The first position whose run starts after `start`.
  private func upperBound(_ start: UInt32) -> Int {
    runs.indices.partitionPoint { runs[$0].start <= start }
  }

  /// Whether all of a run is free.
  func contains(_ run: Run) -> Bool {
    let position = upperBound(run.start)
    return position > 0 && runs[position - 1].end >= run.end
  }

  /// Adds a run; false if some of it is free already.
  mutating func insert(_ run: Run) -> Bool {
    // Nodes hold their runs in order.
    let isLast = runs.last.map { $0.end < run.start } ?? true
    let position = isLast ? runs.count : upperBound(run.start)
    let joinsPrevious = position > 0 && runs[position - 1].end == run.start
    if position > 0, runs[position - 1].end > run.start { return false }
    let joinsNext = position < runs.count && runs[position].start == run.end
    if position < runs.count, runs[position].start < run.end { return false }
    var joined = run
    switch (joinsPrevious, joinsNext) {
    case (false, false): runs.insert(run, at: position)
    case (true, false):
      runs[position - 1].length += run.length
      joined = runs[position - 1]
    case (false, true):
      runs[position] = Run(start: run.start, length: run.length + runs[position].length)
      joined = runs[position]
    case (true, true):
      runs[position - 1].length += run.length + runs[position].length
      runs.remove(at: position)
      joined = runs[position - 1]
    }
    free += Int(run.length)
    longest = max(longest, Int(joined.length))
    classes.insert(SizeClass.of(Int(joined.length)))
    return true
  }

  /// Removes what of `range` is in the runs; returns how many units that was.
  @discardableResult
  mutating func remove(_ range: Run) -> Int {
    var position = max(0, upperBound(range.start) - 1)
    var removed = 0
    var mayShorten = false
    while position < runs.count, runs[position].start < range.end {
      let run = runs[position]
      let low = max(run.start, range.start)
      let high = min(run.end, range.end)
      guard low < high else {
        position += 1
        continue
      }
      removed += Int(high - low)
      if Int(run.length) == longest { mayShorten = true }
      position = cut(position, low: low, high: high)
    }
    free -= removed
    if mayShorten { measureLongest() }
    return removed
  }

  /// Takes `low ..< high` out of a run; returns the position after what is left of it.
  private mutating func cut(_ position: Int, low: UInt32, high: UInt32) -> Int {
    let run = runs[position]
    let before = Run(start: run.start, length: low - run.start)
    let after = Run(start: high, length: run.end - high)
    if before.length > 0 { classes.insert(SizeClass.of(Int(before.length))) }
    if after.length > 0 { classes.insert(SizeClass.of(Int(after.length))) }
    switch (before.length > 0, after.length > 0) {
    case (false, false):
      runs.remove(at: position)
      return position
    case (true, false):
      runs[position] = before
      return position + 1
    case (false, true):
      runs[position] = after
      return position + 1
    case (true, true):
      runs[position] = before
      runs.insert(after, at: position + 1)
      return position + 2
    }
  }

  private mutating func measureLongest() {
    var best: UInt32 = 0
    for run in runs where run.length > best { best = run.length }
    longest = Int(best)
  }

  /// The first place for `length` units that ends at or before `limit`; a multiple of `alignment`,
  /// of which `origin` is the region's own offset.
  func firstPlace(fitting length: Int, limit: Int, alignment: Int = 1) -> Int? {
    for run in runs where Int(run.length) >= length {
      let start = (Int(run.start) + alignment - 1) / alignment * alignment
      if start + length > limit { return nil }
      if start + length <= Int(run.end) { return start }
    }
    return nil
  }

  /// The first place for `length` units in a run of one class that ends at or before `limit`. Where
  /// there is no run of the class, `classes` does not say so any more.
  mutating func firstPlace(fitting length: Int, class wanted: Int, limit: Int) -> Int? {
    var hasClass = false
    let lengths = SizeClass.lengths(of: wanted)
    let first = runs.firstIndex { run in
      guard lengths.contains(Int(run.length)) else { return false }
      hasClass = true
      return Int(run.length) >= length
    }
    if !hasClass { classes.remove(wanted) }
    guard let first, Int(runs[first].start) + length <= limit else { return nil }
    return Int(runs[first].start)
  }

  // MARK: What waits

  /// Returns whether it is the first run of the region that `pin` blocks.
  @discardableResult
  mutating func addWaiting(_ run: WaitingRun, blockedBy pin: Version) -> Bool {
    waiting.add(run, blockedBy: pin)
  }

  /// Takes out what `pin` blocked.
  mutating func takeWaiting(blockedBy pin: Version) -> [WaitingRun] { waiting.take(blockedBy: pin) }

  /// Removes what of `range` waits, for an allocation by a process that knew of fewer pins; returns
  /// how many units that was.
  mutating func removeWaiting(_ range: Run) -> Int { waiting.remove(range) }

  /// Stops the program if the region contradicts itself.
  func checkInvariants() {
    var last: UInt32 = 0
    var sum = 0
    for (position, run) in runs.enumerated() {
      precondition(run.length > 0 && Int(run.end) <= Self.unitCount, "a run leaves its region")
      precondition(position == 0 || run.start > last, "runs overlap or touch")
      last = run.end
      sum += Int(run.length)
    }
    precondition(sum == free, "the runs' units are miscounted")
    precondition(longest == runs.map { Int($0.length) }.max() ?? 0, "the longest run is wrong")
    precondition(
      runs.allSatisfy { classes.contains(SizeClass.of(Int($0.length))) }, "a class is missed")
    waiting.checkInvariants()
  }
}
