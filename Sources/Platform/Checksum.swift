internal import CPlatform

/// CRC32C of `bytes`, continuing from `seed`.
@inline(__always)
public func checksum(_ bytes: UnsafeRawPointer, count: Int, seed: UInt32 = 0) -> UInt32 {
  holdfast_crc32c(seed, bytes, count)
}
