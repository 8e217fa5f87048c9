/// A run of bytes in the file.
public struct Extent: Hashable, Sendable {
  public var offset: UInt64
  public var length: UInt64
  public var end: UInt64 { offset + length }

  public init(offset: UInt64, length: UInt64) {
    self.offset = offset
    self.length = length
  }

  /// What both have in common; nil if that is nothing.
  func intersection(_ other: Extent) -> Extent? {
    let low = max(offset, other.offset)
    let high = min(end, other.end)
    return low < high ? Extent(offset: low, length: high - low) : nil
  }
}
