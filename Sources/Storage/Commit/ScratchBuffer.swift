/// Memory that a database reuses for what it writes.
struct ScratchBuffer: ~Copyable {
  private(set) var bytes: UnsafeMutableRawBufferPointer

  init() {
    bytes = .allocate(byteCount: 1 << 16, alignment: 16)
  }

  mutating func reserve(_ size: Int, keeping used: Int) {
    if size <= bytes.count { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(size, min(bytes.count * 2, 1 << 22)), alignment: 16)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[0..<used]))
    bytes.deallocate()
    bytes = larger
  }

  deinit { bytes.deallocate() }
}
