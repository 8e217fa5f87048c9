/// How strings are compared; without options by their UTF-8 bytes.
public struct TextOptions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let caseInsensitive = TextOptions(rawValue: 1)
  public static let diacriticInsensitive = TextOptions(rawValue: 2)
}
