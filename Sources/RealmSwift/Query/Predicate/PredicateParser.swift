// Predicate strings: recursive descent, one function for each rule.
//
//   whole       = predicate { "SORT" "(" keys ")" | "DISTINCT" "(" paths ")" | "LIMIT" "(" n ")" }
//   predicate   = and { ("OR" | "||") and }
//   and         = not { ("AND" | "&&") not }
//   not         = ("NOT" | "!") not | primary
//   primary     = "(" predicate ")" | "TRUEPREDICATE" | "FALSEPREDICATE" | comparison
//   comparison  = [ quantifier ] operand operator [ "[" options "]" ] [ quantifier ] operand
//   quantifier  = "ANY" | "SOME" | "ALL" | "NONE"
//   operand     = factor { ("+" | "-") factor }
//   factor      = atom { ("*" | "/") atom }
//   atom        = literal | argument | "{" operands "}" | path | subquery | "-" atom
//   subquery    = "SUBQUERY" "(" path "," variable "," predicate ")" "." "@count"
//
// A "(" may also open an operand; which one it is shows only after its ")", so `primary` tries a
// predicate first and starts again at the "(" if that fails.

/// Reads a predicate string with its arguments.
struct PredicateParser {
  private let text: String
  let tokens: [PredicateToken]
  private let arguments: [Any?]
  var position = 0
  private var argumentPosition = 0
  /// How many arguments `$0` and its like reach.
  private var positionalCount = 0
  /// How deep in brackets, so that no input can overflow the stack.
  var depth = 0
  private var operations = 0
  private static let operationsMax = 1000

  /// The condition that the string and its arguments say.
  static func parse(
    _ text: String, _ arguments: [Any?]
  ) throws(InvalidPredicate) -> ParsedPredicate {
    do {
      var parser = try PredicateParser(text, arguments)
      return try parser.whole()
    } catch  where error.name == "Invalid predicate" {
      throw InvalidPredicate(
        "Unable to parse the format string \"\(text)\": \(error.reason)", name: error.name)
    }
  }

  private init(_ text: String, _ arguments: [Any?]) throws(InvalidPredicate) {
    self.text = text
    self.arguments = arguments
    tokens = try PredicateLexer.tokens(of: text)
  }

  private mutating func whole() throws(InvalidPredicate) -> ParsedPredicate {
    var parsed = ParsedPredicate(condition: try predicate())
    while let stage = try stage() { parsed.stages.append(stage) }
    if peek != .end { throw unexpected("the end") }
    let used = max(argumentPosition, positionalCount)
    if used < arguments.count {
      throw InvalidPredicate("there are \(arguments.count) arguments, but only \(used) are used")
    }
    return parsed
  }

  // MARK: - Tokens

  var peek: PredicateToken { tokens[position] }

  mutating func advance() {
    if position < tokens.count - 1 { position += 1 }
  }

  func isNext(symbol: String) -> Bool { peek == .symbol(symbol) }

  private func isNext(keyword: String) -> Bool {
    guard case .word(let word) = peek else { return false }
    return word.uppercased() == keyword
  }

  mutating func take(symbol: String) -> Bool {
    guard isNext(symbol: symbol) else { return false }
    advance()
    return true
  }

  mutating func take(keyword: String) -> Bool {
    guard isNext(keyword: keyword) else { return false }
    advance()
    return true
  }

  mutating func expect(_ symbol: String) throws(InvalidPredicate) {
    if !take(symbol: symbol) { throw unexpected("'\(symbol)'") }
  }

  func unexpected(_ expected: String) -> InvalidPredicate {
    let found =
      switch peek {
      case .number(let text), .word(let text), .symbol(let text): "'\(text)'"
      case .string(let text): "the string '\(text)'"
      case .argument, .keyPathArgument: "an argument"
      case .uuid(let text), .objectId(let text), .base64(let text): "'\(text)'"
      case .date: "a date"
      case .end: "the end"
      }
    return InvalidPredicate("expected \(expected), but found \(found)")
  }

  mutating func descend() throws(InvalidPredicate) {
    depth += 1
    if depth > PredicateNode.depthMax { throw PredicateNode.nestedTooDeep }
  }

  /// Operands of a sum or product are nested one in the other, however they are written.
  mutating func countOperation() throws(InvalidPredicate) {
    operations += 1
    if operations > Self.operationsMax {
      throw InvalidPredicate("it has more than \(Self.operationsMax) arithmetic operators")
    }
  }

  mutating func argument() throws(InvalidPredicate) -> Any? {
    guard argumentPosition < arguments.count else {
      throw InvalidPredicate("there are only \(arguments.count) arguments")
    }
    argumentPosition += 1
    return arguments[argumentPosition - 1]
  }

  /// The argument with that number: `$0` is the first.
  mutating func argument(_ number: Int) throws(InvalidPredicate) -> Any? {
    guard arguments.indices.contains(number) else {
      throw InvalidPredicate("there are only \(arguments.count) arguments")
    }
    positionalCount = max(positionalCount, number + 1)
    return arguments[number]
  }

  // MARK: - Conditions

  mutating func predicate() throws(InvalidPredicate) -> PredicateNode {
    try descend()
    defer { depth -= 1 }
    var node = try conjunction()
    while take(keyword: "OR") || take(symbol: "||") {
      node = .or(node, try conjunction())
    }
    return node
  }

  private mutating func conjunction() throws(InvalidPredicate) -> PredicateNode {
    var node = try negation()
    while take(keyword: "AND") || take(symbol: "&&") {
      node = .and(node, try negation())
    }
    return node
  }

  private mutating func negation() throws(InvalidPredicate) -> PredicateNode {
    var isNegated = false
    while take(keyword: "NOT") || take(symbol: "!") { isNegated.toggle() }
    let node = try primary()
    return isNegated ? .not(node) : node
  }

  private mutating func primary() throws(InvalidPredicate) -> PredicateNode {
    if take(keyword: "TRUEPREDICATE") { return .constant(true) }
    if take(keyword: "FALSEPREDICATE") { return .constant(false) }
    guard isNext(symbol: "(") else { return try comparison() }
    let start = self
    do {
      advance()
      let node = try predicate()
      try expect(")")
      if !continuesOperand { return node }
    } catch {
      // Not a condition in brackets, then. If it is no operand either, this error is the better
      // one to report, since it comes from further inside.
      self = start
      if let node = try? comparison() { return node }
      throw error
    }
    self = start
    return try comparison()
  }

  /// Whether what was read so far can only have been an operand.
  private var continuesOperand: Bool {
    switch peek {
    case .symbol(let symbol): Self.symbolOperators[symbol] != nil || "+-*/".contains(symbol)
    case .word(let word):
      Self.wordOperators[word.uppercased()] != nil || word.uppercased() == "BETWEEN"
    default: false
    }
  }

  private mutating func quantifier() -> PredicatePath.Quantifier {
    if take(keyword: "ANY") || take(keyword: "SOME") { return .any }
    if take(keyword: "ALL") { return .all }
    if take(keyword: "NONE") { return .noneOf }
    return .none
  }

  private mutating func comparison() throws(InvalidPredicate) -> PredicateNode {
    let quantifier = quantifier()
    let left = try operand(quantifier == .noneOf ? .any : quantifier)
    let node: PredicateNode
    if take(keyword: "BETWEEN") {
      node = try between(left)
    } else {
      let comparison = try comparisonOperator()
      let options = try options()
      let other = self.quantifier()
      if other == .noneOf { throw InvalidPredicate("NONE must stand before a whole comparison") }
      node = .comparison(left, comparison, try operand(other), options)
    }
    return quantifier == .noneOf ? .not(node) : node
  }

  private mutating func between(_ operand: PredicateOperand) throws(InvalidPredicate)
    -> PredicateNode
  {
    let bounds: [PredicateOperand]
    switch try self.operand(.none) {
    case .list(let operands, _): bounds = operands
    case .value(let value):
      bounds = elements(ofCollection: value).map { $0.map { .value($0) } } ?? []
    default: bounds = []
    }
    guard bounds.count == 2 else {
      throw InvalidPredicate(
        "NSBetweenPredicateOperatorType requires exactly two values", name: "Invalid value")
    }
    return .between(operand, bounds[0], bounds[1])
  }

  private static let symbolOperators: [String: PredicateOperator] = [
    "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual,
    "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
  ]

  private static let wordOperators: [String: PredicateOperator] = [
    "CONTAINS": .contains, "BEGINSWITH": .beginsWith, "ENDSWITH": .endsWith, "LIKE": .like,
    "MATCHES": .matches, "IN": .isIn, "TEXT": .text,
  ]

  private mutating func comparisonOperator() throws(InvalidPredicate) -> PredicateOperator {
    switch peek {
    case .symbol(let symbol):
      if let found = Self.symbolOperators[symbol] {
        advance()
        return found
      }
    case .word(let word):
      if let found = Self.wordOperators[word.uppercased()] {
        advance()
        return found
      }
    default: break
    }
    throw unexpected("an operator")
  }

  /// `[c]`, `[d]`, `[cd]`; `n` and `l` are taken and change nothing.
  private mutating func options() throws(InvalidPredicate) -> StringOptions {
    guard take(symbol: "[") else { return [] }
    guard case .word(let letters) = peek else { throw unexpected("c, d or cd") }
    advance()
    try expect("]")
    var options: StringOptions = []
    for letter in letters.lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      case "n", "l": break
      default: throw InvalidPredicate("'\(letter)' is not an option of a comparison")
      }
    }
    return options
  }
}
