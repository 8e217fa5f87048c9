/// The runs of a region that wait, each for the newest pinned version that needs it. They are
/// looked at again only when that version is no longer pinned.
struct WaitingRuns {
  private struct Item {
    var run: Region.WaitingRun
    var pin: Version
  }

  /// How many of the items one version blocks.
  private struct PinCount {
    var pin: Version
    var count: Int
  }

  /// What came last is last, and mostly goes first.
  private var items: ContiguousArray<Item> = []
  private var pins: ContiguousArray<PinCount> = []
  /// Units of all the runs.
  private(set) var units = 0

  var isEmpty: Bool { items.isEmpty }
  var count: Int { items.count }

  /// The one version that blocks all of them; nil if there are several, or none.
  var onlyPin: Version? { pins.count == 1 ? pins[0].pin : nil }

  /// Returns whether it is the first run that `pin` blocks.
  mutating func add(_ run: Region.WaitingRun, blockedBy pin: Version) -> Bool {
    items.append(Item(run: run, pin: pin))
    units += Int(run.run.length)
    guard let position = pins.lastIndex(where: { $0.pin == pin }) else {
      pins.append(PinCount(pin: pin, count: 1))
      return true
    }
    pins[position].count += 1
    return false
  }

  /// Takes out what `pin` blocked, in the order in which it came.
  mutating func take(blockedBy pin: Version) -> [Region.WaitingRun] {
    guard let position = pins.lastIndex(where: { $0.pin == pin }) else { return [] }
    var left = pins.remove(at: position).count
    var taken: [Region.WaitingRun] = []
    taken.reserveCapacity(left)
    // From the end: what is left keeps its order, and what lies before the first is not touched.
    var first = items.count
    while left > 0 {
      first -= 1
      if items[first].pin == pin { left -= 1 }
    }
    var kept = first
    for index in first..<items.count {
      if items[index].pin == pin {
        taken.append(items[index].run)
        units -= Int(items[index].run.run.length)
      } else {
        items[kept] = items[index]
        kept += 1
      }
    }
    items.removeLast(items.count - kept)
    return taken
  }

  /// Removes what of `range` waits; returns how many units that was.
  mutating func remove(_ range: Region.Run) -> Int {
    let before = units
    let old = items
    items.removeAll()
    pins.removeAll()
    units = 0
    for item in old {
      let run = item.run.run
      let low = max(run.start, range.start)
      let high = min(run.end, range.end)
      if low >= high {
        _ = add(item.run, blockedBy: item.pin)
        continue
      }
      for (start, end) in [(run.start, low), (high, run.end)] where start < end {
        var rest = item.run
        rest.run = Region.Run(start: start, length: end - start)
        _ = add(rest, blockedBy: item.pin)
      }
    }
    return before - units
  }

  /// All of them, ascending.
  func sorted() -> [Region.WaitingRun] {
    items.map(\.run).sorted { $0.run.start < $1.run.start }
  }

  /// Stops the program if it contradicts itself.
  func checkInvariants() {
    let runs = sorted()
    precondition(runs.reduce(0) { $0 + Int($1.run.length) } == units, "waiting units")
    for (first, second) in zip(runs, runs.dropFirst()) {
      precondition(first.run.end <= second.run.start, "waiting runs overlap")
    }
    precondition(pins.reduce(0) { $0 + $1.count } == items.count, "waiting runs are miscounted")
    for pin in pins {
      precondition(pin.count == items.count { $0.pin == pin.pin }, "a pin's runs are miscounted")
      precondition(pin.count > 0, "a pin without runs is kept")
    }
  }
}
