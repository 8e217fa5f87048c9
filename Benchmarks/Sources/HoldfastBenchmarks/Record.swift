/// The record of every workload: what a small object looks like. Deterministic, so that every store
/// holds the same.
struct Record {
  var identifier: Int
  /// 14 to 20 bytes.
  var name: String
  /// 0 ..< 100.
  var age: Int
  var score: Double
  /// Seconds since 2001.
  var date: Double
  var flag: Bool

  init(_ identifier: Int) {
    let mixed = Self.mix(UInt64(identifier))
    self.identifier = identifier
    name = "Person " + String(mixed % 10_000_000_000, radix: 10)
    age = Int(mixed % 100)
    score = Double(mixed >> 11) / Double(1 << 53)
    date = 600_000_000 + Double(identifier)
    flag = mixed & 1 == 1
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    var mixed = value &* 0x9E37_79B9_7F4A_7C15
    mixed ^= mixed >> 32
    mixed = mixed &* 0xD6E8_FEB8_6659_FD93
    return mixed ^ (mixed >> 32)
  }
}
