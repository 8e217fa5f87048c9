/// What `holdfast compact` did.
public struct CompactReport: Codable, Sendable, Equatable {
  public var path: String
  /// The copy that was written, if it was.
  public var copy: String?
  public var sizeBytesBefore: UInt64
  public var sizeBytesAfter: UInt64
  public var allocatedBytesBefore: UInt64
  public var allocatedBytesAfter: UInt64
  /// Transactions that it took; others could write in between.
  public var steps: Int
  public var movedBytes: UInt64
  public var seconds: Double
  /// Why it ended before nothing was left to gain, if it did.
  public var endedEarly: String?

  public init(
    path: String, copy: String?, sizeBytesBefore: UInt64, sizeBytesAfter: UInt64,
    allocatedBytesBefore: UInt64, allocatedBytesAfter: UInt64, steps: Int, movedBytes: UInt64,
    seconds: Double, endedEarly: String? = nil
  ) {
    self.path = path
    self.copy = copy
    self.sizeBytesBefore = sizeBytesBefore
    self.sizeBytesAfter = sizeBytesAfter
    self.allocatedBytesBefore = allocatedBytesBefore
    self.allocatedBytesAfter = allocatedBytesAfter
    self.steps = steps
    self.movedBytes = movedBytes
    self.seconds = seconds
    self.endedEarly = endedEarly
  }
}

extension CompactReport: TextReport {
  public var text: String {
    var lines = [
      "\(copy ?? path): \(Quantity.bytes(sizeBytesBefore)) -> \(Quantity.bytes(sizeBytesAfter)), "
        + "on disk \(Quantity.bytes(allocatedBytesBefore)) -> "
        + Quantity.bytes(allocatedBytesAfter)
    ]
    lines.append(
      "\(Quantity.number(of: steps, "step")), "
        + "\(Quantity.bytes(movedBytes)) moved in \(Quantity.seconds(seconds))"
    )
    if let endedEarly { lines.append("ended early: \(endedEarly)") }
    return lines.joined(separator: "\n")
  }
}
