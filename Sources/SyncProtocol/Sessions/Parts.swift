/// Bytes that are larger than a frame, in parts.
struct Parts {
  private(set) var bytes: [UInt8] = []
  private var next: UInt64 = 0
  private var number: UInt64 = 0

  /// The bytes when the last part has come. Parts come in their order, or not at all.
  mutating func add(
    _ part: UInt64, of number: UInt64, isLast: Bool, _ new: [UInt8], upTo limit: Int
  ) throws(SyncError) -> [UInt8]? {
    if part == 0 {
      self = Parts()
      self.number = number
    }
    guard part == next, number == self.number else {
      throw SyncError(.unexpectedFrame, "A part is missing.")
    }
    guard bytes.count + new.count <= limit else {
      throw SyncError(.beyondLimit, "Too many bytes in one batch.")
    }
    bytes += new
    next += 1
    guard isLast else { return nil }
    defer { self = Parts() }
    return bytes
  }

  /// Cuts bytes into parts that fit into frames.
  static func cut(_ bytes: [UInt8], _ frame: (UInt64, Bool, [UInt8]) -> Frame) -> [Frame] {
    var parts = OutgoingParts(bytes)
    var frames: [Frame] = []
    while true {
      let (part, isLast) = parts.next()
      frames.append(frame(UInt64(frames.count), isLast, part))
      if isLast { return frames }
    }
  }
}

/// Bytes that leave in parts, one after the other.
struct OutgoingParts {
  let bytes: [UInt8]
  private var start = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The next part, which there is until the last one was taken.
  mutating func next() -> (bytes: [UInt8], isLast: Bool) {
    let end = min(start + Limits.frameBytes - Self.headerBytes, bytes.count)
    defer { start = end }
    return (Array(bytes[start..<end]), end == bytes.count)
  }

  /// What a frame has at most before the bytes of its part.
  private static let headerBytes = 32
}
