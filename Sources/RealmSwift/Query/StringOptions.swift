/// How strings are compared in `where` closures.
public struct StringOptions: OptionSet, Hashable, Sendable {
  public let rawValue: Int8

  public init(rawValue: Int8) {
    self.rawValue = rawValue
  }

  /// Upper and lower case are the same.
  public static let caseInsensitive = StringOptions(rawValue: 1)
  /// A letter with an accent is the same as without.
  public static let diacriticInsensitive = StringOptions(rawValue: 2)
}
