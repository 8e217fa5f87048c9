/// A test whether a key is among many: bits where the keys lie close enough, else a search.
struct KeyFilter {
  private let base: Int64
  /// The key, where there is one only.
  let only: Int64?
  private var bits: [UInt64] = []
  private let keys: KeySet

  /// - Parameter keys: in order, at least one.
  init(sorted keys: some RandomAccessCollection<ObjectKey>) {
    base = keys.first!.rawValue
    only = keys.first! == keys.last! ? base : nil
    let span = Int(keys.last!.rawValue - base) + 1
    if span / 64 <= 16 * keys.count {
      self.keys = KeySet()
      bits = Array(repeating: 0, count: span / 64 + 1)
      for key in keys {
        let distance = UInt64(key.rawValue - base)
        bits[Int(distance >> 6)] |= 1 << (distance & 63)
      }
    } else {
      self.keys = KeySet(sorted: Array(keys))
    }
  }

  @inline(__always)
  func contains(_ key: Int64) -> Bool {
    if bits.isEmpty { return keys.contains(key) }
    let distance = UInt64(bitPattern: key &- base)
    let word = distance >> 6
    return word < UInt64(bits.count) && bits[Int(word)] & (1 << (distance & 63)) != 0
  }
}
