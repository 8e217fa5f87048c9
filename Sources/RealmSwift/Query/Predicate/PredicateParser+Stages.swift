// What may stand behind a condition: `SORT(age DESC, name ASC) DISTINCT(name) LIMIT(5)`.
extension PredicateParser {
  /// The next of them; nil if there is none.
  mutating func stage() throws(InvalidPredicate) -> PredicateStage? {
    guard case .word(let word) = peek else { return nil }
    switch word.uppercased() {
    case "SORT":
      return .sort(try inBrackets { (parser) throws(InvalidPredicate) in try parser.key() })
    case "DISTINCT":
      return .distinct(
        try inBrackets { (parser) throws(InvalidPredicate) in try parser.plainPath() })
    case "LIMIT":
      let counts = try inBrackets { (parser) throws(InvalidPredicate) in try parser.count() }
      guard counts.count == 1 else { throw InvalidPredicate("LIMIT takes one number") }
      return .limit(counts[0])
    default: return nil
    }
  }

  private mutating func inBrackets<Item>(
    _ item: (inout PredicateParser) throws(InvalidPredicate) -> Item
  ) throws(InvalidPredicate) -> [Item] {
    advance()
    try expect("(")
    var items: [Item] = []
    repeat { items.append(try item(&self)) } while take(symbol: ",")
    try expect(")")
    return items
  }

  private mutating func key() throws(InvalidPredicate) -> SortDescriptor {
    let path = try plainPath()
    if take(keyword: "ASC") || take(keyword: "ASCENDING") {
      return SortDescriptor(keyPath: path, ascending: true)
    }
    guard take(keyword: "DESC") || take(keyword: "DESCENDING") else {
      throw unexpected("ASC or DESC")
    }
    return SortDescriptor(keyPath: path, ascending: false)
  }

  private mutating func plainPath() throws(InvalidPredicate) -> String {
    let path = try path(.none)
    if !path.subscripts.isEmpty { throw InvalidPredicate("'\(path.text)' cannot be sorted by") }
    return path.text
  }

  private mutating func count() throws(InvalidPredicate) -> Int {
    guard case .number(let text) = peek, let count = Int(text) else { throw unexpected("a number") }
    advance()
    return count
  }
}
