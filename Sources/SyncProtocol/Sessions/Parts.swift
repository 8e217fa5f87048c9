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
  ///
  /// - Parameter first: The number of the first part.
  static func cut(
    _ bytes: [UInt8], from first: UInt64 = 0, _ frame: (UInt64, Bool, [UInt8]) -> Frame
  ) -> [Frame] {
    let size = Limits.frameBytes - headerBytes
    var frames: [Frame] = []
    var start = 0
    repeat {
      let end = min(start + size, bytes.count)
      let part = first + UInt64(frames.count)
      frames.append(frame(part, end == bytes.count, Array(bytes[start..<end])))
      start = end
    } while start < bytes.count
    return frames
  }

  /// What a frame has at most before the bytes of its part.
  private static let headerBytes = 32
}
