import Glibc

/// Random bytes from the kernel, for keys and nonces.
public enum RandomBytes {
  /// Fills at most 256 bytes: so many come at once, whatever happens.
  public static func fill(_ bytes: UnsafeMutableRawBufferPointer) {
    guard getentropy(bytes.baseAddress, bytes.count) == 0 else {
      preconditionFailure("The kernel gives no random bytes.")
    }
  }

  public static func make(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      fill(UnsafeMutableRawBufferPointer(buffer))
      initialized = count
    }
  }
}
