import Glibc

func memoryIsEqual(
  _ one: UnsafeRawPointer, _ other: UnsafeRawPointer, _ count: Int
) -> Bool {
  unsafe memcmp(one, other, count) == 0
}

/// In one go, also where the compiler does not optimise.
func bytesCopied(from bytes: UnsafeRawBufferPointer) -> [UInt8] {
  unsafe [UInt8](unsafeUninitializedCapacity: bytes.count) { target, count in
    unsafe memcpy(target.baseAddress!, bytes.baseAddress!, bytes.count)
    count = bytes.count
  }
}
