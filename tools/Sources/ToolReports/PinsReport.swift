/// What `holdfast pins` says: which process keeps which version, and what that costs.
public struct PinsReport: Codable, Sendable, Equatable {
  public struct Pin: Codable, Sendable, Equatable {
    public var version: UInt64
    /// What the process says about itself.
    public var label: String
    public var ageSeconds: Double
    /// Bytes of the file that could be reused if this version were let go alone.
    public var retainedBytes: UInt64?

    public init(version: UInt64, label: String, ageSeconds: Double, retainedBytes: UInt64?) {
      self.version = version
      self.label = label
      self.ageSeconds = ageSeconds
      self.retainedBytes = retainedBytes
    }
  }

  public struct Participant: Codable, Sendable, Equatable {
    public var slot: Int
    /// As the process sees itself; in another container it may mean another process here.
    public var processIdentifier: Int32
    public var name: String
    public var isAlive: Bool
    public var pins: [Pin]

    public init(
      slot: Int, processIdentifier: Int32, name: String, isAlive: Bool, pins: [Pin]
    ) {
      self.slot = slot
      self.processIdentifier = processIdentifier
      self.name = name
      self.isAlive = isAlive
      self.pins = pins
    }
  }

  public var path: String
  public var newestVersion: UInt64
  public var participants: [Participant]
  /// Pins of dead processes that `--reap` has taken back.
  public var reaped: Int?

  public init(path: String, newestVersion: UInt64, participants: [Participant], reaped: Int? = nil)
  {
    self.path = path
    self.newestVersion = newestVersion
    self.participants = participants
    self.reaped = reaped
  }
}

extension PinsReport: TextReport {
  public var text: String {
    var table = TextTable([
      ("process", .right), ("name", .left), ("state", .left), ("version", .right),
      ("behind", .right), ("for", .right), ("retains", .right), ("label", .left),
    ])
    for participant in participants {
      let process = [
        String(participant.processIdentifier), participant.name,
        participant.isAlive ? "alive" : "dead",
      ]
      if participant.pins.isEmpty { table.add(process) }
      for pin in participant.pins { table.add(process + cells(of: pin)) }
    }
    var lines = ["\(path): newest version \(newestVersion)"]
    lines.append(table.isEmpty ? "nobody keeps a version" : table.text())
    if let reaped {
      lines.append("taken back from dead processes: \(Quantity.number(of: reaped, "pin"))")
    }
    return lines.joined(separator: "\n")
  }

  private func cells(of pin: Pin) -> [String] {
    let behind = newestVersion > pin.version ? newestVersion - pin.version : 0
    return [
      String(pin.version), Quantity.count(behind),
      Quantity.seconds(pin.ageSeconds),
      pin.retainedBytes.map(Quantity.bytes) ?? "?", pin.label,
    ]
  }
}
