/// How strings are compared in `where` closures.
public struct StringOptions: OptionSet, Hashable, Sendable {
  /// The options as bits.
  public let rawValue: Int8

  /// Makes options from bits.
  public init(rawValue: Int8) {
    self.rawValue = rawValue
  }

  /// Upper and lower case are the same.
  public static let caseInsensitive = StringOptions(rawValue: 1)
  /// A letter with an accent is the same as without.
  public static let diacriticInsensitive = StringOptions(rawValue: 2)
}
