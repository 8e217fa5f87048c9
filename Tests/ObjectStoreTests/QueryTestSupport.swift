/// A small generator with a seed, so that a failing test can be repeated.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  let seed: UInt64

  init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// True once in `times`.
  mutating func chance(_ times: Int) -> Bool { Int.random(in: 0..<times, using: &self) == 0 }
}

/// Seeds of a test run: always the same ones, and one that changes from run to run.
enum Seeds {
  static func list(_ count: Int) -> [UInt64] {
    Array(1...UInt64(count)) + [UInt64.random(in: 1 << 32..<1 << 62)]
  }
}
