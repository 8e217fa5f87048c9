import TestSupport
import Testing

@testable import ObjectStore

@Suite("Scans over vectors agree with one element at a time")
struct QueryKernelTests {
  private static let counts = [1, 7, 8, 9, 31, 63, 64, 65, 100, 128, 200, 255, 256]

  /// The elements' bytes, with other values behind the last one that must not be read.
  private func packed<T: FixedWidthInteger>(_ values: [Int64], _ type: T.Type) -> [T] {
    values.map { T(truncatingIfNeeded: $0) } + [T](repeating: T(truncatingIfNeeded: 1), count: 64)
  }

  private func rows(_ selection: Selection) -> [Int] {
    var left = selection
    var rows: [Int] = []
    while let row = left.popFirst() { rows.append(row) }
    return rows
  }

  @Test("integers of every width within bounds", arguments: Seeds.list(8))
  func integerRanges(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for count in Self.counts {
      for width in [8, 16, 32, 64] {
        let limit = width == 64 ? Int64.max : Int64(1) << (width - 1) - 1
        let spread = random.chance(2) ? min(limit, 9) : limit
        let values = (0..<count).map { _ in Int64.random(in: -spread...spread, using: &random) }
        let ends = [Int64.min, .max, 0, values[0], values[count - 1], spread, -spread, -1]
        let low = ends.randomElement(using: &random)!
        let high = ends.randomElement(using: &random)!
        if low > high { continue }
        let bytes: [UInt8]
        switch width {
        case 8: bytes = unsafe packed(values, Int8.self).withUnsafeBytes { unsafe Array($0) }
        case 16: bytes = unsafe packed(values, Int16.self).withUnsafeBytes { unsafe Array($0) }
        case 32: bytes = unsafe packed(values, Int32.self).withUnsafeBytes { unsafe Array($0) }
        default: bytes = unsafe packed(values, Int64.self).withUnsafeBytes { unsafe Array($0) }
        }
        let found = unsafe bytes.withUnsafeBytes {
          unsafe ColumnScan.integers($0.baseAddress!, width: width, count: count, in: low...high)
        }
        let expected = values.indices.filter { (low...high).contains(values[$0]) }
        #expect(rows(found) == expected, "seed \(seed), width \(width), count \(count)")
      }
    }
  }

  @Test("one bit, and no bits at all")
  func narrowIntegers() {
    let words: [UInt64] = [0b1011, 1 << 63, 0, .max]
    unsafe words.withUnsafeBytes { bytes in
      let base = bytes.baseAddress!
      let ones = unsafe ColumnScan.integers(base, width: 1, count: 200, in: 1...5)
      #expect(rows(ones) == [0, 1, 3, 127] + Array(192..<200))
      #expect(
        unsafe ColumnScan.integers(base, width: 1, count: 200, in: 0...0).count == 200 - ones.count)
      #expect(unsafe ColumnScan.integers(base, width: 1, count: 200, in: -3...3) == .first(200))
      #expect(unsafe ColumnScan.integers(base, width: 1, count: 200, in: 2...3) == .none)
      #expect(unsafe ColumnScan.integers(base, width: 0, count: 9, in: 0...0) == .first(9))
      #expect(unsafe ColumnScan.integers(base, width: 0, count: 9, in: 1...2) == .none)
    }
  }

  @Test("doubles and floats, with infinities and what is no number", arguments: Seeds.list(4))
  func realRanges(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let special = [0, -0.0, .infinity, -.infinity, .nan, 1, -1, Double.leastNonzeroMagnitude]
    for count in Self.counts {
      let values = (0..<count).map { _ in
        random.chance(3)
          ? special.randomElement(using: &random)! : Double.random(in: -2...2, using: &random)
      }
      let bounds = [-.infinity, -1, 0, values[0], 1, .infinity].filter { !$0.isNaN }
      let low = bounds.randomElement(using: &random)!
      let high = bounds.randomElement(using: &random)!
      let found = unsafe values.withUnsafeBytes {
        unsafe ColumnScan.doubles($0.baseAddress!, count: count, lower: low, upper: high)
      }
      #expect(rows(found) == values.indices.filter { low <= values[$0] && values[$0] <= high })
      let floats = values.map { Float($0) }
      let foundFloats = unsafe floats.withUnsafeBytes {
        unsafe ColumnScan.floats(
          $0.baseAddress!, count: count, lower: Float(low), upper: Float(high))
      }
      #expect(
        rows(foundFloats)
          == floats.indices.filter { Float(low) <= floats[$0] && floats[$0] <= Float(high) },
        "seed \(seed)")
    }
  }

  @Test("elements of twelve and sixteen bytes that are equal")
  func fixedElements() {
    for stride in [12, 16] {
      var bytes = [UInt8](repeating: 7, count: stride * 100)
      bytes[stride * 99 + stride - 1] = 8
      bytes[stride * 3] = 8
      bytes[stride * 50 + stride / 2] = 8
      let value = [UInt8](repeating: 7, count: stride)
      let found = unsafe bytes.withUnsafeBytes { data in
        unsafe value.withUnsafeBytes {
          unsafe ColumnScan.fixed(
            data.baseAddress!, stride: stride, count: 100, equal: $0.baseAddress!)
        }
      }
      #expect(rows(found) == (0..<100).filter { ![3, 50, 99].contains($0) })
    }
  }
}
