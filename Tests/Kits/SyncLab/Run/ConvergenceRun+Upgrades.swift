import SyncProtocol

extension ConvergenceRun {
  /// The device's program becomes the newer one.
  mutating func upgrade(_ number: Int) {
    guard !devices[number].isNew else { return }
    crash(number)
    trace("device \(number): is upgraded")
    let earlier = devices[number]
    devices[number].upgrade()
    do {
      try devices[number].core.storage.commit()
      // The newer program would upgrade that file as well.
      saved[number] = nil
    } catch {
      // As if it had been killed before.
      devices[number] = earlier
    }
  }
}
