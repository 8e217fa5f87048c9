/// A multiset of pairs of numbers, as sums of a random function of each: two are equal, as good as
/// certainly, if their sums are. A few kilobytes for any number of pairs.
struct PairSums: Equatable {
  static let bucketCount = 256
  private var sums = [UInt64](repeating: 0, count: PairSums.bucketCount)

  /// Differs in each process, so that no file can be made to fit it.
  private static let key = UInt64.random(in: .min ... .max)

  mutating func add(_ first: Int64, _ second: Int64) {
    sums[Self.bucket(first)] &+= Self.mix(
      Self.mix(UInt64(bitPattern: first)) ^ UInt64(bitPattern: second))
  }

  /// Where the pairs with that first number are summed up.
  static func bucket(_ first: Int64) -> Int {
    Int(truncatingIfNeeded: mix(UInt64(bitPattern: first)) >> 56)
  }

  /// The buckets in which two multisets differ.
  func difference(from other: PairSums) -> Set<Int> {
    Set(sums.indices.filter { sums[$0] != other.sums[$0] })
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value &+ key
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// Pairs of two sides, of which those that both have cancel each other out.
struct PairDifference {
  private var balance: [IndexPair: Int] = [:]
  private let buckets: Set<Int>
  /// Pairs that are kept at a time; of more, some are not told.
  private static let pairsMax = 1 << 18

  init(buckets: Set<Int>) { self.buckets = buckets }

  mutating func add(_ first: Int64, _ second: Int64, _ change: Int) {
    guard buckets.contains(PairSums.bucket(first)) else { return }
    let pair = IndexPair(first, second)
    if balance.count >= Self.pairsMax, balance[pair] == nil { return }
    let sum = balance[pair, default: 0] + change
    balance[pair] = sum == 0 ? nil : sum
  }

  /// What the side that was added has more of, and the side that was taken away.
  var rest: (more: [IndexPair], fewer: [IndexPair]) {
    (
      balance.filter { $0.value > 0 }.keys.sorted(),
      balance.filter { $0.value < 0 }.keys.sorted()
    )
  }
}
