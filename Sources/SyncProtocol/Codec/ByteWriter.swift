/// Appends values in the encoding of docs/PROTOCOL.md.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

  /// Seven bits a byte, lowest first; the top bit says that there is more.
  mutating func number(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func count(_ value: Int) { number(UInt64(value)) }

  /// Small numbers of both signs are short.
  mutating func signed(_ value: Int64) {
    number(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  mutating func fixed32(_ value: UInt32) {
    for shift in stride(from: 0, to: 32, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
    }
  }

  mutating func fixed64(_ value: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
    }
  }

  mutating func raw(_ value: some Collection<UInt8>) { bytes.append(contentsOf: value) }

  mutating func data(_ value: some Collection<UInt8>) {
    count(value.count)
    bytes.append(contentsOf: value)
  }

  mutating func text(_ value: Text) { data(value.string.utf8) }
}
