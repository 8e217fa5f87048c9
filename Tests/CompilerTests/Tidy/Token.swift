/// A piece of Swift source that is neither a comment nor the text of a string.
struct Token {
  /// The word without backticks, or one character of punctuation.
  let text: Substring
  /// From 1.
  let line: Int

  var isWord: Bool {
    guard let first = text.utf8.first else { return false }
    return Lexer.isWordStart(first)
  }
}

/// Splits Swift source into tokens. Comments and strings are left out, but for what is interpolated
/// into strings, which is code.
struct Lexer {
  private let text: String
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private(set) var tokens: [Token] = []

  init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
    tokens.reserveCapacity(bytes.count / 5)
  }

  static func tokens(of text: String) -> [Token] {
    var lexer = Lexer(text)
    lexer.scan(untilParenthesis: false)
    return lexer.tokens
  }

  static func isWordStart(_ byte: UInt8) -> Bool {
    (byte >= 97 && byte <= 122) || (byte >= 65 && byte <= 90) || byte == 95 || byte >= 128
  }

  private static func isWordPart(_ byte: UInt8) -> Bool {
    isWordStart(byte) || (byte >= 48 && byte <= 57)
  }

  private func peek(_ distance: Int = 0) -> UInt8 {
    position + distance < bytes.count ? bytes[position + distance] : 0
  }

  private mutating func advance() {
    if bytes[position] == 10 { line += 1 }
    position += 1
  }

  /// Up to the end, or to the parenthesis that ends an interpolation.
  private mutating func scan(untilParenthesis: Bool) {
    var depth = 0
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case 9, 10, 13, 32: advance()
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"): skipLine()
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): skipComment()
      case UInt8(ascii: "\""): string(pounds: 0)
      case UInt8(ascii: "#"): pound()
      case UInt8(ascii: "`"):
        advance()
      case _ where Self.isWordStart(byte): append { Self.isWordPart($0) }
      case 48...57: append { Self.isWordPart($0) }
      default:
        if byte == UInt8(ascii: "(") { depth += 1 }
        if byte == UInt8(ascii: ")") {
          if depth == 0, untilParenthesis { return }
          depth -= 1
        }
        appendOne()
      }
    }
  }

  private mutating func append(while belongs: (UInt8) -> Bool) {
    let start = position
    while position < bytes.count, belongs(bytes[position]) { position += 1 }
    add(start)
  }

  private mutating func appendOne() {
    position += 1
    add(position - 1)
  }

  private mutating func add(_ start: Int) {
    let view = text.utf8
    let lower = view.index(view.startIndex, offsetBy: start)
    tokens.append(
      Token(text: text[lower..<view.index(lower, offsetBy: position - start)], line: line))
  }

  private mutating func skipLine() {
    while position < bytes.count, bytes[position] != 10 { position += 1 }
  }

  private mutating func skipComment() {
    var depth = 0
    while position < bytes.count {
      if peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
        depth += 1
        position += 2
      } else if peek() == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
        depth -= 1
        position += 2
        if depth == 0 { return }
      } else {
        advance()
      }
    }
  }

  /// A raw string, or a directive such as `#if`.
  private mutating func pound() {
    var pounds = 0
    while peek(pounds) == UInt8(ascii: "#") { pounds += 1 }
    if peek(pounds) == UInt8(ascii: "\"") {
      position += pounds
      string(pounds: pounds)
    } else {
      appendOne()
    }
  }

  private mutating func string(pounds: Int) {
    let quote = UInt8(ascii: "\"")
    let quotes = peek(1) == quote && peek(2) == quote ? 3 : 1
    position += quotes
    while position < bytes.count {
      if peek() == UInt8(ascii: "\\"), hasPounds(after: 1, pounds) {
        position += 1 + pounds
        if peek() == UInt8(ascii: "(") {
          position += 1
          scan(untilParenthesis: true)
        }
        if position < bytes.count { advance() }
      } else if peek() == quote, quotes == 1 || (peek(1) == quote && peek(2) == quote),
        hasPounds(after: quotes, pounds)
      {
        position += quotes + pounds
        return
      } else {
        advance()
      }
    }
  }

  private func hasPounds(after distance: Int, _ pounds: Int) -> Bool {
    (0..<pounds).allSatisfy { peek(distance + $0) == UInt8(ascii: "#") }
  }
}
