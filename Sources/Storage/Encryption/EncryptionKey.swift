public import Platform

/// What a file is encrypted with: 64 bytes that only the program knows. No core dump has them.
public struct EncryptionKey: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  public static let byteCount = 64

  public let bytes: SecretBytes

  /// nil unless there are 64 bytes.
  public init?(_ bytes: some Sequence<UInt8>) {
    var rest = bytes.makeIterator()
    var count = 0
    // Byte for byte: an array in between would leave them in memory that is not overwritten.
    self.bytes = SecretBytes(count: Self.byteCount) { target in
      while count < target.count, let byte = rest.next() {
        target[count] = byte
        count += 1
      }
    }
    guard count == Self.byteCount, rest.next() == nil else { return nil }
  }

  /// Not the bytes.
  public var description: String { "(64 bytes)" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
