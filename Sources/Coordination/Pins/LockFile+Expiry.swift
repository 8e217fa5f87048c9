import Synchronization

// A writer asks a reader to give a pin back: it copies the slot's word into a field of the slot.
// Only the reader frees the slot, when it does not read any more; until then the pin counts as
// before.
extension LockFile {
  /// Asks the holder of a pin to give it back. Nothing happens if that has been done meanwhile.
  public func expire(_ pin: PinDescription) {
    requireUsable()
    let slot = memory.pinOffset(pin.slot)
    let word = memory[slot + LockFileLayout.pinWord].load(ordering: .relaxed)
    guard PinTable.version(in: word) == pin.version else { return }
    memory[slot + LockFileLayout.pinExpired].store(word, ordering: .relaxed)
  }

  /// Whether this process has been asked to give the pin back. Two loads.
  public func isExpired(_ pin: Pin) -> Bool {
    let slot = memory.pinOffset(pin.slot)
    let asked = memory[slot + LockFileLayout.pinExpired].load(ordering: .relaxed)
    return PinTable.version(in: asked) == pin.version
      && asked == memory[slot + LockFileLayout.pinWord].load(ordering: .relaxed)
  }
}
