import ObjectStore
import TestSupport

/// Random values: mostly out of few, so that values meet again, sometimes large.
struct ValueGenerator {
  private static let words = [
    "", "a", "ab", "abc", "b", "ba", "Bello", "bello", "zwölf", "日本語", "x y", "\u{0}",
  ]

  static func scalar(_ kind: ValueKind, _ random: inout SeededGenerator) -> StoredValue {
    switch kind {
    case .int: return .int(integer(&random))
    case .bool: return .bool(random.below(2) == 0)
    case .string: return .string(text(&random))
    case .data: return .data(bytes(&random))
    case .date: return .date(real(&random))
    case .float: return .float(Float(real(&random)))
    case .double: return .double(real(&random))
    case .objectId:
      return .objectId(ObjectIdBytes(head: UInt64(random.below(40)), tail: UInt32(random.below(2))))
    case .uuid: return .uuid(UUIDBytes(head: UInt64(random.below(40)), tail: 7))
    case .decimal128:
      let sign: UInt64 = random.below(4) == 0 ? 1 << 63 : 0
      return .decimal128(
        DecimalBits(low: UInt64(1 + random.below(30)), high: 0x3040_0000_0000_0000 | sign))
    case .object, .any: return .null
    }
  }

  private static func integer(_ random: inout SeededGenerator) -> Int64 {
    if random.below(3) != 0 { return Int64(random.below(41) - 20) }
    let bits = [0, 1, 2, 7, 8, 15, 16, 31, 33, 63][random.below(10)]
    return Int64(truncatingIfNeeded: random.next()) >> Int64(63 - bits)
  }

  /// Sums of these are exact.
  private static func real(_ random: inout SeededGenerator) -> Double {
    Double(random.below(161) - 80) / 8
  }

  private static func text(_ random: inout SeededGenerator) -> String {
    let word = words[random.below(words.count)]
    switch random.below(20) {
    case 0: return String(repeating: "m", count: [253, 254, 255, 256, 300][random.below(5)]) + word
    case 1: return String(repeating: word, count: random.below(40))
    case 2...8: return "\(random.below(50))"
    default: return word
    }
  }

  private static func bytes(_ random: inout SeededGenerator) -> [UInt8] {
    let lengths = [0, 1, 1, 2, 3, 9, 64, 254, 255, 256, 4096, 5000]
    var length = lengths[random.below(lengths.count)]
    if random.below(400) == 0 { length = 70_000 }
    let first = random.below(3)
    return (0..<length).map { UInt8(truncatingIfNeeded: $0 &+ first) }
  }

  /// A value of any kind but a link.
  static func unlinked(_ random: inout SeededGenerator) -> StoredValue {
    let kinds = LabSchema.scalars
    return scalar(kinds[random.below(kinds.count)], &random)
  }
}
