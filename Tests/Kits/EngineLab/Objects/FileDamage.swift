import TestSupport

/// Ways in which the bytes of a file get lost or changed.
public enum FileDamage {
  public static func apply(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    if bytes.count < 16 { return }
    let place = random.below(bytes.count - 8)
    switch random.below(7) {
    case 0: bytes[place] ^= UInt8(1 << random.below(8))
    case 1: bytes[place] = UInt8(random.below(256))
    case 2:
      for index in place..<min(bytes.count, place + 1 + random.below(600)) {
        bytes[index] = UInt8(random.below(256))
      }
    case 3:
      let sector = place & ~511
      for index in sector..<min(bytes.count, sector + 512) { bytes[index] = 0 }
    case 4: bytes.removeSubrange(place...)
    case 5:
      // A word that may be a count, an offset or a reference.
      let word = place & ~7
      let value = [0, 1, UInt64.max, 1 << 63, random.next(), UInt64(random.below(bytes.count))][
        random.below(6)]
      unsafe withUnsafeBytes(of: value) { unsafe bytes.replaceSubrange(word..<word + 8, with: $0) }
    default:
      // A sector of the file in the place of another one.
      let from = random.below(bytes.count) & ~511
      let to = place & ~511
      let count = min(512, bytes.count - max(from, to))
      bytes.replaceSubrange(to..<to + count, with: Array(bytes[from..<from + count]))
    }
  }
}
