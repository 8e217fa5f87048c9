import Foundation
import Synchronization

/// Twelve bytes that name an object uniquely without coordination between processes or machines:
/// four bytes of seconds since 1970, five that differ from process to process, and a counter of
/// three. Ordered by those bytes, so ids sort by the time at which they were generated.
@frozen public struct ObjectId: Hashable, Sendable {
  // The twelve bytes, most significant first.
  @usableFromInline let high: UInt64
  @usableFromInline let low: UInt32

  @inlinable init(high: UInt64, low: UInt32) {
    self.high = high
    self.low = low
  }

  /// The id of twelve zero bytes. Use `generate()` for a new unique one.
  @inlinable public init() {
    self.init(high: 0, low: 0)
  }

  /// An id from its parts.
  ///
  /// - Parameters:
  ///   - timestamp: Kept to the second; from 1970 to 2106.
  ///   - machineId: Its low 24 bits are kept.
  ///   - processId: Its low 16 bits are kept.
  public init(timestamp: Date, machineId: Int, processId: Int) {
    let origin =
      UInt64(truncatingIfNeeded: machineId & 0xFF_FFFF) << 16
      | UInt64(truncatingIfNeeded: processId & 0xFFFF)
    self.init(seconds: ObjectId.seconds(timestamp), origin: origin, counter: ObjectId.nextCounter())
  }

  /// A new id that no other process makes.
  public static func generate() -> ObjectId {
    // The process id goes in each time: a forked child shares the random bytes and the counter.
    let process = UInt64(UInt32(bitPattern: ProcessInfo.processInfo.processIdentifier))
    return ObjectId(
      seconds: seconds(Date()),
      origin: processOrigin ^ process,
      counter: nextCounter()
    )
  }

  /// When the id was generated, to the second.
  public var timestamp: Date {
    Date(timeIntervalSince1970: TimeInterval(high >> 32))
  }

  /// Five bytes of origin, of which four stand in `high` and one in `low`.
  private init(seconds: UInt32, origin: UInt64, counter: UInt32) {
    self.init(
      high: UInt64(seconds) << 32 | (origin >> 8) & 0xFFFF_FFFF,
      low: UInt32(truncatingIfNeeded: origin & 0xFF) << 24 | counter & 0xFF_FFFF
    )
  }

  private static func seconds(_ date: Date) -> UInt32 {
    UInt32(max(0, min(date.timeIntervalSince1970, TimeInterval(UInt32.max))))
  }

  private static let processOrigin = UInt64.random(in: 0..<(1 << 40))
  private static let counter = Atomic<UInt32>(UInt32.random(in: 0...UInt32.max))

  private static func nextCounter() -> UInt32 {
    counter.wrappingAdd(1, ordering: .relaxed).newValue
  }
}

extension ObjectId {
  /// An id from its twelve bytes, most significant first; nil if there are not twelve.
  init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 12 else { return nil }
    var high: UInt64 = 0
    var low: UInt32 = 0
    for (index, byte) in bytes.enumerated() {
      if index < 8 {
        high = high << 8 | UInt64(byte)
      } else {
        low = low << 8 | UInt32(byte)
      }
    }
    self.init(high: high, low: low)
  }

  /// The twelve bytes, most significant first.
  var bytes: [UInt8] {
    (0..<12).map { (index: Int) -> UInt8 in
      if index < 8 { return UInt8(truncatingIfNeeded: high >> (56 - 8 * index)) }
      return UInt8(truncatingIfNeeded: low >> (24 - 8 * (index - 8)))
    }
  }
}

extension ObjectId: Comparable {
  /// Compares byte by byte, so that identifiers made later are greater, to the second.
  @inlinable public static func < (left: ObjectId, right: ObjectId) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

// MARK: - Text

extension ObjectId: CustomStringConvertible {
  /// An id from its 24 hexadecimal digits.
  ///
  /// - Throws: `Realm.Error.invalidInput` for anything else.
  public init(string: String) throws {
    guard let parsed = ObjectId(hexadecimal: string.utf8) else {
      throw RLMError(
        .invalidInput,
        "'\(string)' is not an ObjectId: it must be 24 hexadecimal digits"
      )
    }
    self = parsed
  }

  /// An id from a literal of 24 hexadecimal digits; anything else is a misuse.
  public init(_ literal: StaticString) {
    let text = literal.description
    guard let parsed = ObjectId(hexadecimal: text.utf8) else {
      throwRealmException("'\(text)' is not an ObjectId: it must be 24 hexadecimal digits")
    }
    self = parsed
  }

  /// The 24 lower-case hexadecimal digits.
  public var stringValue: String {
    let digits = Array("0123456789abcdef".utf8)
    return unsafe String(unsafeUninitializedCapacity: 24) { buffer in
      for (index, byte) in bytes.enumerated() {
        unsafe buffer[2 * index] = digits[Int(byte >> 4)]
        unsafe buffer[2 * index + 1] = digits[Int(byte & 15)]
      }
      return 24
    }
  }

  /// The 24 hexadecimal digits, like ``stringValue``.
  public var description: String { stringValue }

  private init?(hexadecimal text: some Collection<UInt8>) {
    guard text.count == 24 else { return nil }
    var high: UInt64 = 0
    var low: UInt32 = 0
    for (index, character) in text.enumerated() {
      guard let digit = hexadecimalValue(character) else { return nil }
      if index < 16 {
        high = high << 4 | UInt64(digit)
      } else {
        low = low << 4 | UInt32(digit)
      }
    }
    self.init(high: high, low: low)
  }
}

private func hexadecimalValue(_ character: UInt8) -> UInt8? {
  switch character {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
  default: nil
  }
}

/// Coded as the string of hexadecimal digits.
extension ObjectId: Codable {
  /// Decodes the identifier from its hexadecimal digits.
  ///
  /// - Throws: `Realm.Error.invalidInput` if the string is not an identifier; what the decoder
  /// throws.
  public init(from decoder: any Decoder) throws {
    try self.init(string: String(from: decoder))
  }

  /// Encodes the identifier as its hexadecimal digits.
  public func encode(to encoder: any Encoder) throws {
    try stringValue.encode(to: encoder)
  }
}
