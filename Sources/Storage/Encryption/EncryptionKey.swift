/// What a file is encrypted with: 64 bytes that only the program knows.
public struct EncryptionKey: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  public static let byteCount = 64

  let bytes: [UInt8]

  /// nil unless there are 64 bytes.
  public init?(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    guard self.bytes.count == Self.byteCount else { return nil }
  }

  /// Not the bytes.
  public var description: String { "(64 bytes)" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
