/// Why bytes of a peer could not be decoded.
public enum WireError: Error, Hashable, Sendable {
  /// The bytes end before the value does.
  case truncated
  /// There are bytes after the end.
  case trailingBytes
  /// A number has no such size.
  case numberOutOfRange
  /// A length or a count is beyond its limit.
  case beyondLimit
  /// A string is not valid UTF-8.
  case invalidText
  /// There is no frame, value or field of this kind.
  case unknownKind(UInt8)
  /// An index does not point into its table.
  case indexOutOfRange
}
