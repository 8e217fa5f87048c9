/// Reads what `ByteWriter` writes, from bytes that may have been made to do harm: every length is
/// compared with what is there before anything is allocated or read.
struct ByteReader {
  private let bytes: [UInt8]
  private var position: Int
  private let end: Int

  init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count) }

  /// Reads a part; the range must lie within the bytes.
  init(_ bytes: [UInt8], _ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
  }

  var remaining: Int { end - position }

  func finish() throws(WireError) {
    if position != end { throw .trailingBytes }
  }

  mutating func byte() throws(WireError) -> UInt8 {
    guard position < end else { throw .truncated }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func flag() throws(WireError) -> Bool {
    switch try byte() {
    case 0: return false
    case 1: return true
    default: throw .numberOutOfRange
    }
  }

  mutating func number() throws(WireError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte()
      let bits = UInt64(next & 0x7F)
      if shift == 63, bits > 1 { throw .numberOutOfRange }
      value |= bits << shift
      if next < 0x80 { return value }
      shift += 7
      if shift > 63 { throw .numberOutOfRange }
    }
  }

  mutating func number(upTo limit: UInt64) throws(WireError) -> UInt64 {
    let value = try number()
    if value > limit { throw .beyondLimit }
    return value
  }

  /// How many elements follow, each of which takes at least `size` bytes.
  mutating func count(
    of size: Int, upTo limit: Int = .max
  ) throws(WireError) -> Int {
    let value = try number()
    if value > UInt64(limit) { throw .beyondLimit }
    if value > UInt64(remaining / size) { throw .truncated }
    return Int(value)
  }

  mutating func signed() throws(WireError) -> Int64 {
    let value = try number()
    return Int64(bitPattern: value >> 1) ^ -Int64(value & 1)
  }

  mutating func fixed32() throws(WireError) -> UInt32 {
    var value: UInt32 = 0
    for shift in stride(from: 0, to: 32, by: 8) { value |= UInt32(try byte()) << UInt32(shift) }
    return value
  }

  mutating func fixed64() throws(WireError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 8) { value |= UInt64(try byte()) << UInt64(shift) }
    return value
  }

  mutating func data(upTo limit: Int) throws(WireError) -> [UInt8] {
    let range = try lengthAndRange(upTo: limit)
    return Array(bytes[range])
  }

  mutating func text(upTo limit: Int) throws(WireError) -> Text {
    let range = try lengthAndRange(upTo: limit)
    guard let string = String(validating: bytes[range], as: UTF8.self) else { throw .invalidText }
    return Text(string)
  }

  /// All that is left.
  mutating func rest() -> [UInt8] {
    defer { position = end }
    return Array(bytes[position..<end])
  }

  private mutating func lengthAndRange(upTo limit: Int) throws(WireError) -> Range<Int> {
    let length = try count(of: 1, upTo: limit)
    defer { position += length }
    return position..<(position + length)
  }
}
