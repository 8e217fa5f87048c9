/// One word of a predicate string.
enum PredicateToken: Equatable {
  case number(String)
  case string(String)
  /// A key path, keyword, variable (`$item`) or collection operator (`@count`), dots included.
  case word(String)
  /// An operator or a bracket.
  case symbol(String)
  /// `%@` and its relatives: an argument that is a value.
  case argument
  /// `uuid(...)`, `oid(...)` and `B64"..."`, with what is inside.
  case uuid(String), objectId(String), base64(String)
  /// A point in time, in seconds since the reference date.
  case date(Double)
  /// `%K`: an argument that is a key path.
  case keyPathArgument
  case end
}

/// Splits a predicate string into words.
struct PredicateLexer {
  let characters: [Character]
  var position = 0

  init(_ text: String) {
    characters = Array(text)
  }

  static func tokens(of text: String) throws(InvalidPredicate) -> [PredicateToken] {
    var lexer = PredicateLexer(text)
    var tokens: [PredicateToken] = []
    while true {
      let token = try lexer.next()
      tokens.append(token)
      if token == .end { return tokens }
    }
  }

  private mutating func next() throws(InvalidPredicate) -> PredicateToken {
    while let character = peek(), character.isWhitespace { position += 1 }
    guard let character = peek() else { return .end }
    switch character {
    case "'", "\"": return try string(quote: character)
    case "%": return try placeholder()
    case _ where character.isASCII && character.isNumber: return try date() ?? number()
    case "." where isDigit(peek(1)): return number()
    case _ where Self.isWordStart(character): return try literal() ?? word()
    default: return try symbol()
    }
  }

  func peek(_ distance: Int = 0) -> Character? {
    let index = position + distance
    return index < characters.count ? characters[index] : nil
  }

  func isDigit(_ character: Character?) -> Bool {
    character.map { $0.isASCII && $0.isNumber } ?? false
  }

  private static func isWordStart(_ character: Character) -> Bool {
    character.isLetter || character == "_" || character == "$" || character == "@"
      || character == "#"
  }

  private mutating func string(quote: Character) throws(InvalidPredicate) -> PredicateToken {
    position += 1
    var value = ""
    while let character = peek() {
      position += 1
      if character == quote { return .string(value) }
      guard character == "\\", let escaped = peek() else {
        value.append(character)
        continue
      }
      position += 1
      switch escaped {
      case "n": value.append("\n")
      case "t": value.append("\t")
      case "r": value.append("\r")
      default: value.append(escaped)
      }
    }
    throw InvalidPredicate("the string that starts with \(quote)\(value) has no end")
  }

  /// `%@`, `%K`, or a number format of C such as `%d`, `%lu`, `%.2f`.
  private mutating func placeholder() throws(InvalidPredicate) -> PredicateToken {
    position += 1
    while let character = peek(), "lhqzjt.0123456789".contains(character) { position += 1 }
    guard let character = peek() else { throw InvalidPredicate("'%' at the end") }
    position += 1
    if character == "K" { return .keyPathArgument }
    guard "@dDiuUxXoOfFeEgGcCsSaA".contains(character) else {
      throw InvalidPredicate("'%\(character)' is not a format for an argument")
    }
    return .argument
  }

  private mutating func number() -> PredicateToken {
    let start = position
    while let character = peek() {
      let isExponentSign =
        (character == "+" || character == "-") && position > start
        && "eE".contains(characters[position - 1]) && characters[start...].first != "x"
      guard isDigit(character) || character == "." || character.isLetter || isExponentSign else {
        break
      }
      position += 1
    }
    return .number(String(characters[start..<position]))
  }

  private mutating func word() -> PredicateToken {
    let start = position
    while let character = peek() {
      let continues =
        Self.isWordStart(character) || character.isNumber
        || (character == "." && peek(1).map { Self.isWordStart($0) || $0.isNumber } ?? false)
      guard continues else { break }
      position += 1
    }
    return .word(String(characters[start..<position]))
  }

  private mutating func symbol() throws(InvalidPredicate) -> PredicateToken {
    let two = String(characters[position..<min(position + 2, characters.count)])
    if ["==", "!=", "<>", "<=", ">=", "=<", "=>", "&&", "||"].contains(two) {
      position += 2
      return .symbol(two)
    }
    let one = characters[position]
    guard "=<>!(){}[],+-*/:.".contains(one) else {
      throw InvalidPredicate("'\(one)' is not expected here")
    }
    position += 1
    return .symbol(String(one))
  }
}
