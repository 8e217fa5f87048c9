/// What a pin is for, as the tool shows it: up to 24 bytes of UTF-8.
@frozen public struct PinLabel: Hashable, Sendable, CustomStringConvertible {
  // The bytes in file order, as little-endian words.
  @usableFromInline let first: UInt64
  @usableFromInline let second: UInt64
  @usableFromInline let third: UInt64

  public static let none = PinLabel("")

  /// Cuts what is too long, between characters.
  public init(_ text: String) {
    var bytes: [UInt8] = []
    for character in text {
      let encoded = character.utf8
      guard bytes.count + encoded.count <= LockFileLayout.pinLabelSize else { break }
      bytes.append(contentsOf: encoded)
    }
    bytes += repeatElement(0, count: LockFileLayout.pinLabelSize - bytes.count)
    func word(_ index: Int) -> UInt64 {
      bytes[index * 8..<index * 8 + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    self.init(word(0), word(1), word(2))
  }

  init(_ first: UInt64, _ second: UInt64, _ third: UInt64) {
    self.first = first
    self.second = second
    self.third = third
  }

  public var description: String {
    let bytes = [first, second, third].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
