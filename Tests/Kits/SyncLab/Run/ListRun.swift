import SyncProtocol
import TestSupport

/// Devices that do not hear of each other insert runs of elements into one list, then all meet.
/// Runs must not interleave, appends come out in the order of time, and what one device moves and
/// another one edits is moved and edited.
enum ListRun {
  private struct Run {
    var gap: Int
    var values: [Int64]
  }

  /// What was wrong, if anything was.
  static func run(seed: UInt64) throws(SyncError) -> String? {
    var random = SeededGenerator(seed: seed ^ 0xA5A5)
    let count = 2 + random.below(3)
    var bench = try SyncBench(devices: count)
    let first = (0..<(1 + random.below(4))).map(Int64.init)
    try bench.create(0, 1)
    try bench.append(0, 1, first)
    try bench.syncAll()
    var runs: [[Run]] = Array(repeating: [], count: count)
    var appenders: [Int] = []
    for number in 0..<(2 + random.below(6)) {
      let device = random.below(count)
      let gap = random.below(2) == 0 ? first.count : random.below(first.count + 1)
      let start = Int64(100 * (number + 1))
      let values = (0..<(1 + random.below(4))).map { start + Int64($0) }
      let list = bench.list(device, 1)
      let index = gap == first.count ? list.count : list.firstIndex(of: Int64(gap)) ?? 0
      try bench.insert(device, 1, values, at: index)
      runs[device].append(Run(gap: gap, values: values))
      if gap == first.count, !appenders.contains(device) { appenders.append(device) }
    }
    let edited = try moveAndEdit(&bench, count, &random)
    for _ in 0..<count { try bench.sync(random.below(count)) }
    try bench.syncAll()
    return finding(in: bench, count, first, runs, appenders, edited)
  }

  /// The first element is moved to the front, where it is, and edited by another device.
  private static func moveAndEdit(
    _ bench: inout SyncBench, _ count: Int, _ random: inout SeededGenerator
  ) throws(SyncError) -> Bool {
    guard random.below(2) == 0 else { return false }
    let mover = random.below(count)
    let editor = (mover + 1) % count
    guard let from = bench.list(mover, 1).firstIndex(of: 0),
      let at = bench.list(editor, 1).firstIndex(of: 0)
    else { return false }
    try bench.moveItem(mover, 1, from, to: 0)
    try bench.setItem(editor, 1, at, -1)
    return true
  }

  private static func finding(
    in bench: SyncBench, _ count: Int, _ first: [Int64], _ runs: [[Run]], _ appenders: [Int],
    _ edited: Bool
  ) -> String? {
    let list = bench.list(0, 1)
    for device in 1..<count where bench.list(device, 1) != list {
      return "lists differ: \(list) and \(bench.list(device, 1))"
    }
    if edited && (list.contains(0) || list.count(where: { $0 == -1 }) != 1) {
      return "what was moved is not what was edited: \(list)"
    }
    for run in runs.joined() {
      guard let start = list.firstIndex(of: run.values[0]),
        list[start...].starts(with: run.values)
      else { return "the run \(run.values) is not whole in \(list)" }
    }
    // Beside an element that has moved away meanwhile, there is no end that all mean.
    guard !edited else { return nil }
    // What one device appended stays together; devices are in the order of their first appends.
    let last = appenders.flatMap { device in
      runs[device].filter { $0.gap == first.count }.flatMap(\.values)
    }
    let appended = list.filter { last.contains($0) }
    return appended == last ? nil : "appends are not in the order of time: \(appended), not \(last)"
  }
}
