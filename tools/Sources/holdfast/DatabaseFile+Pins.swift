import Coordination
import Storage
import ToolReports

extension DatabaseFile {
  /// - Parameter reaping: take back the pins of dead processes first.
  func pins(reaping: Bool) throws -> PinsReport {
    let database = try open()
    let reaped = reaping ? database.reapPins() : nil
    let space = try database.space()
    var participants: [Int: PinsReport.Participant] = [:]
    for pin in database.pins() {
      var participant =
        participants[pin.participant]
        ?? .init(
          slot: pin.participant, processIdentifier: Int32(truncatingIfNeeded: pin.process),
          name: pin.processName, isAlive: pin.isAlive, pins: [])
      participant.pins.append(
        .init(
          version: pin.version.rawValue, label: pin.label, ageSeconds: Double(pin.age) / 1e9,
          retainedBytes: space.retainedBytes[pin.version]))
      participants[pin.participant] = participant
    }
    return PinsReport(
      path: path, newestVersion: space.version.rawValue,
      participants: participants.values.sorted { $0.slot < $1.slot }, reaped: reaped)
  }
}
