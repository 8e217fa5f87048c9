/// Whether extents, given in any order, cover a file without gap or overlap, in memory that does
/// not grow with their number.
///
/// They do exactly if each begins where another ends, but for the first, and each ends where
/// another begins, but for the last: as they only lead upwards, they then are one chain. So it
/// suffices to compare the beginnings with the ends, as sums of a random function of each, one sum
/// for each megabyte of the file: those that are not zero say where to look.
struct Coverage {
  static let windowSize: UInt64 = 1 << 20

  private let end: UInt64
  private var balance: [UInt64]
  private let key = UInt64.random(in: .min ... .max)

  /// - Parameter range: what is to be covered.
  init(_ range: Range<UInt64>) {
    end = range.upperBound
    balance = Array(repeating: 0, count: Int(end / Self.windowSize) + 1)
    close(range.lowerBound)
    open(range.upperBound)
  }

  /// - Returns: false if the extent does not lie within the file; then it is not counted.
  mutating func add(_ extent: Extent) -> Bool {
    guard extent.offset <= end, extent.length <= end - extent.offset else { return false }
    if extent.length == 0 { return true }
    open(extent.offset)
    close(extent.end)
    return true
  }

  private mutating func open(_ offset: UInt64) {
    balance[Int(offset / Self.windowSize)] &+= mix(offset)
  }

  private mutating func close(_ offset: UInt64) {
    balance[Int(offset / Self.windowSize)] &-= mix(offset)
  }

  private func mix(_ offset: UInt64) -> UInt64 {
    var z = offset &* 0x9E37_79B9_7F4A_7C15 ^ key
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Where beginnings and ends differ, as parts of the file, at most so many.
  func gaps(max: Int) -> [Extent] {
    var result: [Extent] = []
    for (window, sum) in balance.enumerated() where sum != 0 {
      if result.count == max { break }
      let start = UInt64(window) * Self.windowSize
      let length = Swift.min(Self.windowSize, end + 1 - start)
      if let last = result.last, last.end == start {
        result[result.count - 1].length += length
      } else {
        result.append(Extent(offset: start, length: length))
      }
    }
    return result
  }
}
