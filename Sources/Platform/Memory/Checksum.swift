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
