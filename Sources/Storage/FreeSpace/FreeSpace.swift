/// What of the file is free, in the view of the writer: which bytes may be reused now, and which
/// wait for a version that somebody still reads.
///
/// The interval rule: bytes written by version b and let go of by version f are needed by the
/// versions b, b+1, ... f-1 and by no other. They may be reused as soon as no pinned version is
/// among those. The newest version and the last flushed one count as pinned.
///
/// One instance belongs to a `Database` and is touched only by whoever has the writer lock. It
/// describes exactly `version`; when another process has committed since, it replays the operations
/// which that process recorded in the file (`FreeSpaceLog`).
struct FreeSpace {
  struct Waiting {
    var extent: Extent
    var born: UInt64
    var freed: UInt64
  }

  /// The version whose free space this is; nil when it has to be read anew.
  var version: UInt64?
  var logicalSize: UInt64 = 0
  private(set) var reusable = ExtentSet()
  /// Waiting extents by the newest pinned version that needs them. They are looked at again only
  /// when that version is no longer pinned.
  private(set) var waiting: [UInt64: [Waiting]] = [:]
  private(set) var waitingBytes: UInt64 = 0
  private var pins: [UInt64] = []
  /// Reusable runs whose blocks have been given back to the file system.
  private(set) var returned = ExtentSet()

  init() {}

  /// The newest pinned version in `born ..< freed`.
  private func blockingPin(born: UInt64, freed: UInt64) -> UInt64? {
    var low = 0
    var high = pins.count
    while low < high {
      let middle = (low + high) / 2
      if pins[middle] < freed { low = middle + 1 } else { high = middle }
    }
    guard low > 0, pins[low - 1] >= born else { return nil }
    return pins[low - 1]
  }

  /// Adds what a commit let go of. Until the next `release` it waits for the version before.
  mutating func add(_ item: Waiting) {
    if item.born >= item.freed {
      reusable.insert(item.extent)
    } else {
      waiting[item.freed - 1, default: []].append(item)
      waitingBytes += item.extent.length
    }
  }

  /// Moves what no pinned version needs to the reusable space.
  ///
  /// - Parameters:
  ///   - pins: every version that somebody reads, and the newest, ascending.
  ///   - durable: the version that a power loss would lead back to.
  mutating func release(pins: [UInt64], durable: UInt64?) {
    self.pins.removeAll(keepingCapacity: true)
    self.pins.append(contentsOf: pins)
    if let durable, !isPinned(durable) {
      self.pins.insert(durable, at: self.pins.firstIndex { $0 > durable } ?? self.pins.count)
    }
    for key in Array(waiting.keys) where !isPinned(key) {
      guard let items = waiting.removeValue(forKey: key) else { continue }
      for item in items {
        if let pin = blockingPin(born: item.born, freed: item.freed) {
          waiting[pin, default: []].append(item)
        } else {
          waitingBytes -= item.extent.length
          reusable.insert(item.extent)
        }
      }
    }
  }

  private func isPinned(_ version: UInt64) -> Bool {
    var low = 0
    var high = pins.count
    while low < high {
      let middle = (low + high) / 2
      if pins[middle] < version { low = middle + 1 } else { high = middle }
    }
    return low < pins.count && pins[low] == version
  }

  // MARK: taking

  mutating func takeFirst(fitting length: UInt64) -> Extent? {
    let extent = reusable.takeFirst(fitting: length)
    if let extent { forgetReturned(extent) }
    return extent
  }

  mutating func takeBest(fitting length: UInt64) -> Extent? {
    let extent = reusable.takeBest(fitting: length)
    if let extent { forgetReturned(extent) }
    return extent
  }

  mutating func take(exactly range: Extent) -> Bool {
    guard reusable.take(exactly: range) else { return false }
    forgetReturned(range)
    return true
  }

  /// Takes all reusable parts of `range` out, to be put back.
  mutating func hide(_ range: Extent) -> [Extent] { reusable.subtract(range) }

  private mutating func forgetReturned(_ extent: Extent) {
    if !returned.isEmpty { returned.subtract(extent) }
  }

  /// Gives back what was taken and not used.
  mutating func putBack(_ extent: Extent) {
    reusable.insert(extent)
  }

  /// Takes `range` out, wherever it is: another process has allocated it.
  mutating func replayAllocation(_ range: Extent) {
    forgetReturned(range)
    let found = reusable.subtract(range)
    var left = range.length - found.reduce(0) { $0 + $1.length }
    if left == 0 { return }
    for (key, items) in waiting {
      var kept: [Waiting] = []
      var changed = false
      for item in items {
        let low = max(item.extent.offset, range.offset)
        let high = min(item.extent.end, range.end)
        guard low < high else {
          kept.append(item)
          continue
        }
        changed = true
        // A log that names bytes twice is for `verify` to tell, not to trap on.
        left -= min(left, high - low)
        waitingBytes -= high - low
        if item.extent.offset < low {
          var part = item
          part.extent.length = low - item.extent.offset
          kept.append(part)
        }
        if high < item.extent.end {
          var part = item
          part.extent = Extent(offset: high, length: item.extent.end - high)
          kept.append(part)
        }
      }
      if changed { waiting[key] = kept }
      if left == 0 { return }
    }
  }

  /// Everything, reusable (born and freed zero) and waiting, in no particular order.
  func forEach(_ body: (Waiting) -> Void) {
    reusable.forEach { body(Waiting(extent: $0, born: 0, freed: 0)) }
    for items in waiting.values {
      for item in items { body(item) }
    }
  }

  var entryCount: Int { reusable.count + waiting.values.reduce(0) { $0 + $1.count } }
}

// MARK: - giving space back

extension FreeSpace {
  /// Bytes that hold something: live, or waiting for a version.
  var usedBytes: UInt64 { logicalSize - reusable.total }

  /// Whether the last bytes of the file are free.
  var hasFreeEnd: Bool {
    guard let last = reusable.last else { return false }
    return last.end == logicalSize && last.length >= Placement.cutSizeMin
  }

  /// Reusable runs of at least `length` bytes that still hold blocks.
  func runsToReturn(atLeast length: UInt64) -> [Extent] {
    var runs: [Extent] = []
    reusable.forEach { run in
      guard run.length >= length else { return }
      let held = run.length - returned.bytes(in: run)
      if held >= length / 2 { runs.append(run) }
    }
    return runs
  }

  mutating func markReturned(_ run: Extent) {
    returned.subtract(run)
    returned.insert(run)
  }
}
