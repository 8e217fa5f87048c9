import Foundation

// What stands on one side of a comparison.
extension PredicateParser {
  mutating func operand(
    _ quantifier: PredicatePath.Quantifier
  ) throws(InvalidPredicate) -> PredicateOperand {
    switch peek {
    case .argument:
      advance()
      return .value(try argument())
    case .keyPathArgument, .word:
      return try pathOrKeyword(quantifier)
    case .string(let value):
      advance()
      return .value(value)
    case .number(let text):
      advance()
      return .value(try number(text))
    case .symbol("-"):
      advance()
      return try negated(try operand(.none))
    case .symbol("("):
      return try bracketed(quantifier)
    case .symbol("{"):
      return try list()
    default:
      throw unexpected("a value or a key path")
    }
  }

  private mutating func bracketed(
    _ quantifier: PredicatePath.Quantifier
  ) throws(InvalidPredicate) -> PredicateOperand {
    try descend()
    defer { depth -= 1 }
    advance()
    let inner = try operand(quantifier)
    try expect(")")
    return inner
  }

  private mutating func list() throws(InvalidPredicate) -> PredicateOperand {
    try descend()
    defer { depth -= 1 }
    advance()
    var operands: [PredicateOperand] = []
    if take(symbol: "}") { return .list([]) }
    repeat { operands.append(try operand(.none)) } while take(symbol: ",")
    try expect("}")
    return .list(operands)
  }

  private func number(_ text: String) throws(InvalidPredicate) -> any Sendable {
    if let value = Int64(text) { return value }
    if text.lowercased().hasPrefix("0x"), let value = Int64(text.dropFirst(2), radix: 16) {
      return value
    }
    guard let value = Double(text) else { throw InvalidPredicate("'\(text)' is not a number") }
    return value
  }

  private func negated(_ operand: PredicateOperand) throws(InvalidPredicate) -> PredicateOperand {
    switch operand {
    case .value(let value as Int64): return .value(-value)
    case .value(let value as Double): return .value(-value)
    default: throw InvalidPredicate("'-' must stand before a number")
    }
  }

  private mutating func pathOrKeyword(
    _ quantifier: PredicatePath.Quantifier
  ) throws(InvalidPredicate) -> PredicateOperand {
    if case .word(let word) = peek {
      switch word.uppercased() {
      case "TRUE", "YES":
        advance()
        return .value(true)
      case "FALSE", "NO":
        advance()
        return .value(false)
      case "NIL", "NULL":
        advance()
        return .value(nil)
      case "SUBQUERY": return try subquery()
      default: break
      }
    }
    let path = try path(quantifier)
    if isNext(symbol: "(") {
      throw InvalidPredicate(
        "Function expressions are not supported ('\(path.text)')", name: "Unsupported predicate")
    }
    return .path(path)
  }

  private mutating func path(
    _ quantifier: PredicatePath.Quantifier
  ) throws(InvalidPredicate) -> PredicatePath {
    var components: [String] = []
    repeat {
      switch peek {
      case .word(let word):
        components += word.split(separator: ".").map(String.init)
      case .keyPathArgument:
        guard let name = try argument() as? String else {
          throw InvalidPredicate("the argument for %K must be a string")
        }
        components += name.split(separator: ".").map(String.init)
      default: throw unexpected("a key path")
      }
      advance()
    } while take(symbol: ".")
    if isNext(symbol: "[") && !isOptionBracket {
      throw InvalidPredicate(
        "Subscripts are only supported for maps, and "
          + "'\(components.joined(separator: "."))' is none",
        name: "Unsupported predicate")
    }
    return PredicatePath(components.map(Self.unescaped), quantifier: quantifier)
  }

  private var isOptionBracket: Bool {
    guard position + 2 < tokens.count, case .word = tokens[position + 1] else { return false }
    return tokens[position + 2] == .symbol("]")
  }

  /// `#name` is the property `name` where that is also a keyword.
  private static func unescaped(_ component: String) -> String {
    component.hasPrefix("#") ? String(component.dropFirst()) : component
  }

  private mutating func subquery() throws(InvalidPredicate) -> PredicateOperand {
    advance()
    try expect("(")
    let collection = try path(.none)
    try expect(",")
    guard case .word(let variable) = peek, variable.hasPrefix("$"), !variable.contains(".") else {
      throw unexpected("a variable such as $item")
    }
    advance()
    try expect(",")
    let condition = try predicate()
    try expect(")")
    guard take(symbol: "."), take(keyword: "@COUNT") else {
      throw InvalidPredicate(
        "SUBQUERY is only supported when immediately followed by .@count that is compared with a "
          + "constant number.", name: "Invalid predicate")
    }
    return .subqueryCount(collection, variable: variable, condition)
  }
}

/// The elements of an array, set or other sequence; nil for anything else, strings and data
/// included.
func elements(ofCollection value: Any?) -> [Any]? {
  switch value {
  case nil, is String, is Substring, is NSString, is Data, is NSData: return nil
  case let sequence as any Sequence: return elements(of: sequence)
  default: return nil
  }
}

private func elements<Elements: Sequence>(of sequence: Elements) -> [Any] {
  sequence.map { $0 as Any }
}
