import Platform
import Testing

struct ChecksumTests {
  private static func sum(_ bytes: [UInt8], seed: UInt32 = 0) -> UInt32 {
    unsafe bytes.withUnsafeBytes { unsafe checksum($0.baseAddress!, count: $0.count, seed: seed) }
  }

  /// The check values of the polynomial, from RFC 3720, B.4.
  @Test("sums are CRC32C")
  func published() {
    #expect(Self.sum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    #expect(Self.sum([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
    #expect(Self.sum(Array(0..<32)) == 0x46DD_794E)
    #expect(Self.sum(Array("123456789".utf8)) == 0xE306_9283)
  }

  @Test("sums of every length and alignment agree with the table's, and can be continued")
  func lengths() {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<4200).map { _ in UInt8.random(in: 0...255, using: &generator) }
    unsafe bytes.withUnsafeBytes { bytes in
      for count in Array(0...700) + [1535, 1536, 1537, 1728, 3071, 3072, 3073, 4100] {
        for start in [0, 1, 3, 7] {
          let place = unsafe bytes.baseAddress! + start
          let expected = unsafe checksumByTable(place, count: count)
          #expect(unsafe checksum(place, count: count) == expected, "\(count) bytes at \(start)")
          let head = count / 3
          let joined = unsafe checksum(
            place + head, count: count - head, seed: checksum(place, count: head))
          #expect(joined == expected, "\(count) bytes at \(start), in two parts")
        }
      }
    }
  }
}
