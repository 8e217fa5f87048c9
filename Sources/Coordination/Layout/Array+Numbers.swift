/// Numbers in records of bytes, little-endian, as in a lock-file.
extension [UInt8] {
  func number<Number: FixedWidthInteger & UnsignedInteger>(
    at offset: Int, as type: Number.Type = Number.self
  ) -> Number {
    self[offset..<offset + Number.bitWidth / 8].reversed().reduce(0) { $0 << 8 | Number($1) }
  }

  mutating func store(_ number: some FixedWidthInteger & UnsignedInteger, at offset: Int) {
    for index in 0..<type(of: number).bitWidth / 8 {
      self[offset + index] = UInt8(truncatingIfNeeded: number >> (index * 8))
    }
  }
}
