/// A pattern with `*` (any characters, or none) and `?` (one character). A backslash takes the
/// meaning from a character that follows it. A character is a Unicode scalar.
struct LikePattern: Hashable, Sendable {
  private enum Part: Hashable, Sendable {
    case byte(UInt8)
    case one
    case many
  }

  private let parts: [Part]

  /// - Parameter pattern: UTF-8, folded like the strings that will be matched.
  init(_ pattern: some Sequence<UInt8>) {
    var parts: [Part] = []
    var isEscaped = false
    for byte in pattern {
      if isEscaped {
        parts.append(.byte(byte))
        isEscaped = false
        continue
      }
      switch byte {
      case UInt8(ascii: "\\"): isEscaped = true
      case UInt8(ascii: "*"): if parts.last != .many { parts.append(.many) }
      case UInt8(ascii: "?"): parts.append(.one)
      default: parts.append(.byte(byte))
      }
    }
    if isEscaped { parts.append(.byte(UInt8(ascii: "\\"))) }
    self.parts = parts
  }

  /// Whether the whole of the UTF-8 `text` fits. Goes back to the last `*` only, so the time is at
  /// most the product of the two lengths.
  ///
  /// - Parameter left: how many bytes may be looked at once more; when it is below zero the answer
  ///   is of no use.
  func matches(_ text: UnsafeRawBufferPointer, left: inout Int) -> Bool {
    var part = 0
    var place = 0
    var starPart = -1
    var starPlace = 0
    while place < text.count {
      if part < parts.count {
        switch parts[part] {
        case .many:
          starPart = part
          starPlace = place
          part += 1
          continue
        case .one:
          unsafe place += Self.scalarLength(text, place)
          part += 1
          continue
        case .byte(let byte):
          if unsafe text[place] == byte {
            place += 1
            part += 1
            continue
          }
        }
      }
      if starPart < 0 { return false }
      left &-= place - starPlace
      if left < 0 { return false }
      unsafe starPlace += Self.scalarLength(text, starPlace)
      place = starPlace
      part = starPart + 1
    }
    while part < parts.count, parts[part] == .many { part += 1 }
    return part == parts.count
  }

  private static func scalarLength(_ text: UnsafeRawBufferPointer, _ place: Int) -> Int {
    var length = 1
    while place + length < text.count, unsafe text[place + length] & 0xC0 == 0x80 { length += 1 }
    return length
  }
}
