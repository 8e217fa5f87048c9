import SyncProtocol

/// In which generation of its object each write was merged. It ends with that: if it is merged in a
/// later one, what another device has deleted has come back.
struct MergedWrites {
  private struct Write: Hashable {
    var object: ObjectID
    var slot: Slot
    var stamp: Stamp
  }

  private var generations: [Write: Generation] = [:]

  /// Takes note of a change that was merged.
  ///
  /// - Returns: whether something of it was merged before, in an earlier generation.
  mutating func hasComeBack(_ change: ObjectChange) -> Bool {
    var hasComeBack = false
    for container in change.containers where container.id == .root {
      for register in container.registers where register.stamp.isExplicit {
        let write = Write(object: change.id, slot: register.slot, stamp: register.stamp.stamp)
        let before = generations.updateValue(change.generation, forKey: write)
        if let before, before < change.generation { hasComeBack = true }
      }
    }
    return hasComeBack
  }
}
