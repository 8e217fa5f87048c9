/// How values of indexed columns become the integers that an index is ordered by.
@usableFromInline
enum IndexValue {
  /// Order-preserving over all doubles; -0 and 0 fall together, NaN stands at the ends.
  @inlinable
  static func ordered(_ value: Double) -> Int64 {
    let bits = Int64(bitPattern: (value + 0).bitPattern)
    return bits >= 0 ? bits : Int64.min &- bits &- 1
  }

  /// A hash of bytes that is part of the format: the index of a string, ObjectId or UUID column.
  static func hash(_ bytes: UnsafeRawBufferPointer) -> Int64 {
    var state = 0x9E37_79B9_7F4A_7C15 ^ UInt64(bytes.count)
    var offset = 0
    while offset &+ 8 <= bytes.count {
      state = unsafe mix(state, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset &+= 8
    }
    var rest: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.count {
      unsafe rest |= UInt64(bytes[offset]) &<< shift
      shift &+= 8
      offset &+= 1
    }
    return Int64(bitPattern: mix(mix(state, rest), 0xD6E8_FEB8_6659_FD93))
  }

  /// Multiplies to 128 bits and folds.
  @inline(__always)
  private static func mix(_ state: UInt64, _ word: UInt64) -> UInt64 {
    let product = (state ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(
      by: word ^ 0xE703_7ED1_A0B4_28DB)
    return product.high ^ product.low ^ (state &>> 29)
  }

  static func hash(_ value: ObjectIdBytes) -> Int64 {
    unsafe withUnsafeTemporaryAllocation(byteCount: 12, alignment: 8) { buffer in
      unsafe buffer.storeBytes(of: value.head, as: UInt64.self)
      unsafe buffer.storeBytes(of: value.tail, toByteOffset: 8, as: UInt32.self)
      return unsafe hash(UnsafeRawBufferPointer(buffer))
    }
  }

  static func hash(_ value: UUIDBytes) -> Int64 {
    unsafe withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { buffer in
      unsafe buffer.storeBytes(of: value.head, as: UInt64.self)
      unsafe buffer.storeBytes(of: value.tail, toByteOffset: 8, as: UInt64.self)
      return unsafe hash(UnsafeRawBufferPointer(buffer))
    }
  }
}
