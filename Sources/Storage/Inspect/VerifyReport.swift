/// What a verification found.
public struct VerifyReport: Sendable {
  public struct Finding: Sendable, Hashable, CustomStringConvertible {
    /// Where in the file, bytes; nil for findings about the whole.
    public var offset: UInt64?
    public var message: String

    public var description: String {
      offset.map { "at byte \($0): \(message)" } ?? message
    }
  }

  public var findings: [Finding] = []
  /// The versions whose nodes were walked, the newest last.
  public var versions: [Version] = []
  public var logicalSize: UInt64 = 0
  /// Bytes of nodes that the newest version reaches.
  public var liveBytes: UInt64 = 0
  public var reusableBytes: UInt64 = 0
  /// Bytes that wait for a version older than the newest.
  public var waitingBytes: UInt64 = 0
  public var nodeCount = 0

  public var isSound: Bool { findings.isEmpty }

  /// Findings beyond this many are counted, not listed.
  static let findingsMax = 100
  public var findingsOmitted = 0

  mutating func add(_ message: String, at offset: UInt64? = nil) {
    if findings.count < Self.findingsMax {
      findings.append(Finding(offset: offset, message: message))
    } else {
      findingsOmitted += 1
    }
  }
}
