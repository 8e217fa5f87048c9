import Foundation

// What stands on one side of a comparison.
extension PredicateParser {
  mutating func operand(
    _ quantifier: PredicatePath.Quantifier
  ) throws(InvalidPredicate) -> PredicateOperand {
    try descend()
    defer { depth -= 1 }
    var left = try factor(quantifier)
    while let operation = takeArithmetic("+-") {
      try countOperation()
      left = .arithmetic(left, operation, try factor(quantifier))
    }
    return left
  }

  private mutating func factor(
    _ quantifier: PredicatePath.Quantifier
  ) throws(InvalidPredicate) -> PredicateOperand {
    var left = try atom(quantifier)
    while let operation = takeArithmetic("*/") {
      try countOperation()
      left = .arithmetic(left, operation, try atom(quantifier))
    }
    return left
  }

  private mutating func takeArithmetic(_ wanted: String) -> PredicateArithmetic? {
    guard case .symbol(let symbol) = peek, wanted.contains(symbol), let character = symbol.first
    else { return nil }
    advance()
    return PredicateArithmetic(rawValue: character)
  }

  private mutating func atom(
    _ quantifier: PredicatePath.Quantifier
  ) throws(InvalidPredicate) -> PredicateOperand {
    switch peek {
    case .argument:
      advance()
      return try quantified(try argument(), quantifier)
    case .keyPathArgument, .word: return try pathOrKeyword(quantifier)
    case .symbol("-"):
      try descend()
      defer { depth -= 1 }
      advance()
      return Self.negated(try atom(quantifier))
    case .symbol("+"):
      advance()
      return try atom(quantifier)
    case .symbol("("): return try bracketed(quantifier)
    case .symbol("{"): return .list(try list(), quantifier)
    default: return .value(try literal())
    }
  }

  private mutating func literal() throws(InvalidPredicate) -> any Sendable {
    let value: any Sendable
    switch peek {
    case .string(let text): value = text
    case .number(let text): value = try number(text)
    case .uuid(let text):
      guard let uuid = UUID(uuidString: text) else {
        throw InvalidPredicate("'\(text)' is not a UUID")
      }
      value = uuid
    case .objectId(let text):
      guard let id = try? ObjectId(string: text) else {
        throw InvalidPredicate("'\(text)' is not an ObjectId")
      }
      value = id
    case .base64(let text):
      guard let data = Data(base64Encoded: text) else {
        throw InvalidPredicate("'\(text)' is not base64")
      }
      value = data
    case .date(let seconds): value = Date(timeIntervalSinceReferenceDate: seconds)
    default: throw unexpected("a value or a key path")
    }
    advance()
    return value
  }

  /// An argument; with a quantifier it is a list.
  private func quantified(
    _ value: Any?, _ quantifier: PredicatePath.Quantifier
  ) throws(InvalidPredicate) -> PredicateOperand {
    if quantifier == .none { return .value(value) }
    guard let elements = elements(ofCollection: value) else {
      throw InvalidPredicate("\(quantifier.rawValue) needs a list or a key path")
    }
    return .list(elements.map { .value($0) }, quantifier)
  }

  private mutating func bracketed(
    _ quantifier: PredicatePath.Quantifier
  ) throws(InvalidPredicate) -> PredicateOperand {
    advance()
    let inner = try operand(quantifier)
    try expect(")")
    return inner
  }

  private mutating func list() throws(InvalidPredicate) -> [PredicateOperand] {
    advance()
    var operands: [PredicateOperand] = []
    if take(symbol: "}") { return [] }
    repeat { operands.append(try operand(.none)) } while take(symbol: ",")
    try expect("}")
    return operands
  }

  private func number(_ text: String) throws(InvalidPredicate) -> any Sendable {
    if let value = Int64(text) { return value }
    if text.lowercased().hasPrefix("0x"), let value = Int64(text.dropFirst(2), radix: 16) {
      return value
    }
    if let last = text.last, "fF".contains(last), let value = Float(text.dropLast()) {
      return value
    }
    guard let value = Double(text) else { throw InvalidPredicate("'\(text)' is not a number") }
    return value
  }

  private static func negated(_ operand: PredicateOperand) -> PredicateOperand {
    switch operand {
    case .value(let value as Int64): .value(0 &- value)
    case .value(let value as Double): .value(-value)
    case .value(let value as Float): .value(-value)
    default: .arithmetic(.value(Int64(0)), .subtract, operand)
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
      case "INF", "INFINITY":
        advance()
        return .value(Double.infinity)
      case "NAN":
        advance()
        return .value(Double.nan)
      case "SUBQUERY": return try subquery()
      case "OBJ" where tokens[position + 1] == .symbol("("): return try object()
      default: break
      }
      if let number = Self.argumentNumber(word, prefix: "$") {
        advance()
        return try quantified(try argument(number), quantifier)
      }
    }
    let path = try path(quantifier)
    if isNext(symbol: "(") {
      throw InvalidPredicate(
        "Function expressions are not supported ('\(path.text)')", name: "Unsupported predicate")
    }
    return .path(path)
  }

  /// `$3`, or with a longer prefix `$K3`.
  private static func argumentNumber(_ word: String, prefix: String) -> Int? {
    guard word.hasPrefix(prefix), let number = Int(word.dropFirst(prefix.count)), number >= 0 else {
      return nil
    }
    return number
  }

  /// `obj("Dog", 3)`: the object of a class with that primary key.
  private mutating func object() throws(InvalidPredicate) -> PredicateOperand {
    advance()
    try expect("(")
    guard case .string(let className) = peek else { throw unexpected("the name of a class") }
    advance()
    try expect(",")
    let key = try operand(.none)
    try expect(")")
    return .object(className: className, key: key)
  }

  mutating func path(
    _ quantifier: PredicatePath.Quantifier
  ) throws(InvalidPredicate) -> PredicatePath {
    var path = PredicatePath([], quantifier: quantifier)
    repeat {
      let names: String
      switch peek {
      case .word(let word):
        if let number = Self.argumentNumber(word, prefix: "$K") {
          names = try name(try argument(number))
        } else {
          names = word
        }
      case .keyPathArgument: names = try name(try argument())
      default: throw unexpected("a key path")
      }
      advance()
      path.components += names.split(separator: ".").map { Self.unescaped(String($0)) }
      if path.components.isEmpty { throw InvalidPredicate("a key path is empty") }
      while take(symbol: "[") {
        path.append(try element())
        try expect("]")
      }
    } while take(symbol: ".")
    return path
  }

  private func name(_ argument: Any?) throws(InvalidPredicate) -> String {
    guard let name = argument as? String else {
      throw InvalidPredicate("the argument for %K must be a string")
    }
    return name
  }

  /// What stands between the brackets after a property.
  private mutating func element() throws(InvalidPredicate) -> PredicatePath.Subscript {
    let token = peek
    advance()
    switch token {
    case .string(let key): return .key(key)
    case .argument: return try element(try argument())
    case .keyPathArgument: return try element(try argument())
    case .number(let text):
      guard let index = Int(text) else { break }
      return .index(index)
    case .symbol("*"): return .any
    case .word(let word):
      switch word.uppercased() {
      case "FIRST": return .first
      case "LAST": return .last
      case "SIZE": return .size
      case "#ANY": return .any
      default: break
      }
      if let number = Self.argumentNumber(word, prefix: "$") {
        return try element(try argument(number))
      }
    default: break
    }
    throw InvalidPredicate("a key or an index was expected between '[' and ']'")
  }

  private func element(_ argument: Any?) throws(InvalidPredicate) -> PredicatePath.Subscript {
    switch argument {
    case "#any" as String: return .any
    case let key as String: return .key(key)
    case let index as any BinaryInteger:
      guard let index = Int(exactly: index) else { break }
      return .index(index)
    default: break
    }
    throw InvalidPredicate("a key must be a string, an index a whole number")
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
    guard take(symbol: "."), take(keyword: "@COUNT") || take(keyword: "@SIZE") else {
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
