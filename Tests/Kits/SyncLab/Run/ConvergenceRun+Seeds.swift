import SyncProtocol

extension ConvergenceRun {
  /// A device gets a file of its own that begins with a copy of another one's, if that has sent
  /// everything. What its earlier file had not sent is gone with that.
  mutating func beginAnew(_ number: Int) {
    let device = devices[number]
    // Programs of one version, and with clocks of which what they write is promised.
    let origins = devices.filter {
      $0.number != number && $0.isNew == device.isNew && !$0.core.isDirty
        && $0.skew <= Int64(Limits.clockAheadMilliseconds) && $0.core.storage.record.epoch != 0
    }
    guard !origins.isEmpty, let choice = seeding?.below(origins.count) else { return }
    let origin = origins[choice]
    trace("device \(number): begins with a copy of the file of device \(origin.number)")
    let client = ClientID(device.id.rawValue + 0x100)
    devices[number].core.storage = origin.core.storage
    devices[number].core.storage.record = ClientRecord(
      client: client, seededBy: origin.core.storage.record)
    do {
      try devices[number].core.storage.commit()
    } catch {
      // As if it had been killed before.
      devices[number] = device
      return
    }
    devices[number].promises = Promises()
    devices[number].refused = [:]
    devices[number].refusedElements = [:]
    devices[number].refusedContainers = [:]
    saved[number] = nil
    // The earlier file may have been the only one that had it.
    givenBack = []
    noteHalves(putBack: number)
    open(number)
    disconnect(number)
  }
}
