/// Appends numbers and strings to bytes: unsigned numbers of seven bits a byte, lowest first, the
/// high bit saying that more follow; signed ones zigzagged onto unsigned ones.
package struct ByteEncoder {
  package private(set) var bytes: [UInt8] = []

  /// - Parameter count: bytes for which there is to be room at once.
  package init(reserving count: Int = 0) { bytes.reserveCapacity(count) }

  @inline(__always)
  package mutating func append(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  package mutating func append(signed value: Int64) {
    append(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  package mutating func append(_ value: Int) { append(UInt64(value)) }

  package mutating func append(_ text: String) {
    append(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  package mutating func append(data: [UInt8]) {
    append(data.count)
    bytes += data
  }
}

/// Reads what `ByteEncoder` wrote; nil where the bytes end too early or make no sense. Used while
/// the bytes are there: every read is within them.
@safe package struct ByteDecoder {
  private let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  package init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

  package var isAtEnd: Bool { unsafe position == bytes.count }

  @inline(__always)
  package mutating func unsigned() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while unsafe position < bytes.count, shift < 64 {
      let byte = unsafe bytes[position]
      position += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  package mutating func signed() -> Int64? {
    guard let value = unsigned() else { return nil }
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// A number that fits an Int; for counts, at most the bytes that are left.
  package mutating func integer() -> Int? {
    guard let value = unsigned() else { return nil }
    return Int(exactly: value)
  }

  package mutating func count() -> Int? {
    guard let value = integer(), unsafe value <= bytes.count - position else { return nil }
    return value
  }

  package mutating func text() -> String? {
    guard let range = range() else { return nil }
    return unsafe String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
  }

  package mutating func data() -> [UInt8]? {
    guard let range = range() else { return nil }
    return unsafe [UInt8](bytes[range])
  }

  /// Where as many bytes are as the next number says.
  private mutating func range() -> Range<Int>? {
    guard let length = count() else { return nil }
    defer { position += length }
    return position..<(position + length)
  }
}
