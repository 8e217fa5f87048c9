internal import CPlatform

/// CRC32C of `bytes`, continuing from `seed`.
@inline(__always)
public func checksum(_ bytes: UnsafeRawPointer, count: Int, seed: UInt32 = 0) -> UInt32 {
  holdfast_crc32c(seed, bytes, count)
}

/// The same without the processor's instruction, for tests to compare.
package func checksumByTable(_ bytes: UnsafeRawPointer, count: Int, seed: UInt32 = 0) -> UInt32 {
  holdfast_crc32c_by_table(seed, bytes, count)
}

/// The same of the bytes of an array.
public func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
  bytes.withUnsafeBytes { bytes in
    guard let first = bytes.baseAddress else { return 0 }
    return checksum(first, count: bytes.count)
  }
}
