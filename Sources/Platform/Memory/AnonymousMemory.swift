import Glibc

/// Zeroed private memory whose pages come into being when they are touched.
public enum AnonymousMemory {
  public static func map(length: Int) throws(SystemError) -> UnsafeMutableRawPointer {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | Int32(MAP_NORESERVE)
    guard let address = mmap(nil, length, PROT_READ | PROT_WRITE, flags, -1, 0),
      address != MAP_FAILED
    else { throw SystemError(call: .mmap, path: "(anonymous memory)", code: errno) }
    return address
  }

  /// The same for what is to stay in this process: a core dump does not have it.
  public static func mapSecret(length: Int) throws(SystemError) -> UnsafeMutableRawPointer {
    let address = try map(length: length)
    madvise(address, length, MADV_DONTDUMP)
    // A single look-up should not take the memory of a huge page.
    madvise(address, length, MADV_NOHUGEPAGE)
    return address
  }

  /// Gives the pages within a range back to the kernel; they read as zeros afterwards.
  public static func release(_ address: UnsafeMutableRawPointer, length: Int) {
    madvise(address, length, MADV_DONTNEED)
  }

  public static func unmap(_ address: UnsafeMutableRawPointer, length: Int) {
    munmap(address, length)
  }
}

/// Memory for what is to stay in this process, which goes with it.
public final class SecretBuffer {
  public let bytes: UnsafeMutableRawBufferPointer

  public init(byteCount: Int) {
    guard let address = try? AnonymousMemory.mapSecret(length: byteCount) else {
      preconditionFailure("There is no memory left for decrypted data.")
    }
    bytes = UnsafeMutableRawBufferPointer(start: address, count: byteCount)
  }

  deinit { AnonymousMemory.unmap(bytes.baseAddress!, length: bytes.count) }
}
