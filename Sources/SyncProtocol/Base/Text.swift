/// A string that is compared by its bytes: the merge must not take for equal what the database
/// tells apart, and strings of the standard library are equal if their characters are.
public struct Text: Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
  /// The string.
  public let string: String

  /// Wraps a string.
  public init(_ string: String) { self.string = string }

  /// Wraps a literal.
  public init(stringLiteral value: String) { string = value }

  /// Whether all bytes are the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.string.utf8.elementsEqual(right.string.utf8)
  }

  /// By bytes.
  public static func < (left: Self, right: Self) -> Bool {
    left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
  }

  /// Feeds the string: what has the same bytes has the same characters.
  public func hash(into hasher: inout Hasher) { hasher.combine(string) }
}
