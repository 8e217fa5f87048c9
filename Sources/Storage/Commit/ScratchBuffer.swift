import Platform

/// Memory that a database reuses for what it writes.
struct ScratchBuffer: ~Copyable {
  private(set) var bytes: UnsafeMutableRawBufferPointer
  /// Whether nodes are encrypted there: no core dump is to have it.
  private let isSecret: Bool

  init(isSecret: Bool = false) {
    self.isSecret = isSecret
    bytes = Self.memory(1 << 16, isSecret)
  }

  mutating func reserve(_ size: Int, keeping used: Int) {
    if size <= bytes.count { return }
    let larger = Self.memory(max(size, min(bytes.count * 2, 1 << 22)), isSecret)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[0..<used]))
    Self.giveBack(bytes, isSecret)
    bytes = larger
  }

  private static func memory(_ size: Int, _ isSecret: Bool) -> UnsafeMutableRawBufferPointer {
    if !isSecret { return .allocate(byteCount: size, alignment: 16) }
    guard let address = try? AnonymousMemory.mapSecret(length: size) else {
      preconditionFailure("There is no memory left for a commit.")
    }
    return UnsafeMutableRawBufferPointer(start: address, count: size)
  }

  private static func giveBack(_ bytes: UnsafeMutableRawBufferPointer, _ isSecret: Bool) {
    if !isSecret { return bytes.deallocate() }
    AnonymousMemory.unmap(bytes.baseAddress!, length: bytes.count)
  }

  deinit { Self.giveBack(bytes, isSecret) }
}
