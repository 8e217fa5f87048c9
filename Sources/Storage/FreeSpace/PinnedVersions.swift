import Platform

/// The versions that somebody reads, and the regions in which something waits for one of them.
struct PinnedVersions {
  private struct Blocked {
    var pin: Version
    var regions: [Int]
  }

  /// Ascending. None: everything that was freed waits for the version before.
  private(set) var versions: [Version] = []
  /// In the order in which the versions came to block something.
  private var blocked: [Blocked] = []

  mutating func set(_ pins: [Version], durable: Version?) {
    versions.removeAll(keepingCapacity: true)
    for pin in pins { versions.append(pin) }
    guard let durable, let place = pins.firstIndex(where: { $0 >= durable }) else { return }
    if pins[place] != durable { versions.insert(durable, at: place) }
  }

  /// The newest pinned version in `createdIn ..< freed`.
  func blocking(createdIn: Version, freed: Version) -> Version? {
    if versions.isEmpty { return freed.previous }
    let place = versions.indices.partitionPoint { versions[$0] < freed }
    guard place > 0, versions[place - 1] >= createdIn else { return nil }
    return versions[place - 1]
  }

  func contains(_ version: Version) -> Bool {
    blocking(createdIn: version, freed: version.next) != nil
  }

  // MARK: Regions

  /// Remembers that something in a region waits for `pin`.
  mutating func block(_ region: Int, by pin: Version) {
    guard let position = blocked.lastIndex(where: { $0.pin == pin }) else {
      blocked.append(Blocked(pin: pin, regions: [region]))
      return
    }
    if blocked[position].regions.last != region { blocked[position].regions.append(region) }
  }

  /// Takes out the regions that wait for a version that is not pinned any more, each once, with
  /// that version; nil: there are none.
  mutating func takeUnblocked() -> (pin: Version, regions: [Int])? {
    if versions.isEmpty { return nil }
    guard let position = blocked.firstIndex(where: { !contains($0.pin) }) else { return nil }
    let found = blocked.remove(at: position)
    guard found.regions.count > 1 else { return (found.pin, found.regions) }
    return (found.pin, Set(found.regions).sorted())
  }

  mutating func forgetRegions() { blocked = [] }
}
