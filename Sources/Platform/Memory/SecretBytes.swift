import Glibc

/// Bytes that are to stay in this process, such as a key: in pages of their own, which a core dump
/// does not have and, where the limit on locked memory allows, the kernel does not swap out. They
/// are overwritten when the last reference to them goes.
public final class SecretBytes: Sendable {
  public let count: Int
  nonisolated(unsafe) private let address: UnsafeMutableRawPointer  // written by `init` alone

  /// - Parameter fill: is given so many zeros, to write the bytes over.
  public init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
    guard let address = try? AnonymousMemory.mapSecret(length: max(count, 1)) else {
      preconditionFailure("There is no memory left for a key.")
    }
    mlock(address, count)
    self.count = count
    self.address = address
    fill(UnsafeMutableRawBufferPointer(start: address, count: count))
  }

  public convenience init(_ bytes: some Collection<UInt8>) {
    self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
  }

  deinit {
    explicit_bzero(address, count)
    AnonymousMemory.unmap(address, length: max(count, 1))
  }

  public func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try body(UnsafeRawBufferPointer(start: address, count: count))
  }
}

extension SecretBytes: Hashable {
  public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
    left === right
      || left.withUnsafeBytes { left in right.withUnsafeBytes { left.elementsEqual($0) } }
  }

  public func hash(into hasher: inout Hasher) { withUnsafeBytes { hasher.combine(bytes: $0) } }
}

extension UnsafeMutableRawBufferPointer {
  /// Gives back memory from `allocate` that has held something secret.
  public func wipeAndDeallocate() {
    if let baseAddress { explicit_bzero(baseAddress, count) }
    deallocate()
  }
}
