import Foundation
import RealmSwift
import TestSupport

/// A condition in several forms.
struct RandomCondition {
  var text: String
  var query: ((Query<IndexedItem>) -> Query<Bool>)?
  var predicate: Foundation.Predicate<IndexedItem>?
  /// What the plainest evaluation says of an item.
  var holds: (PlainItem) -> Bool
}

/// Makes conditions on items, of which some are related to others.
struct RandomConditions {
  let items: [PlainItem]
  var random: SeededGenerator

  enum Operator: String, CaseIterable {
    case equal = "==", notEqual = "!=", less = "<", lessOrEqual = "<=", greater = ">"
    case greaterOrEqual = ">="

    /// Nil equals nil, and otherwise is neither less nor greater.
    func holds<Value: Comparable>(_ left: Value?, _ right: Value?) -> Bool {
      if left == nil || right == nil {
        let areEqual = left == nil && right == nil
        switch self {
        case .equal, .lessOrEqual, .greaterOrEqual: return areEqual
        case .notEqual: return !areEqual
        case .less, .greater: return false
        }
      }
      let (left, right) = (left!, right!)
      switch self {
      case .equal: return left == right
      case .notEqual: return left != right
      case .less: return left < right
      case .lessOrEqual: return left <= right
      case .greater: return left > right
      case .greaterOrEqual: return left >= right
      }
    }

    /// The order of strings is that of their bytes; nil is below all of them.
    func holdsForText(_ left: String?, _ right: String) -> Bool {
      func bytes(_ text: String?) -> String {
        text.map { "1" + $0.utf8.map { String(format: "%02x", $0) }.joined() } ?? "0"
      }
      return holds(bytes(left), bytes(right))
    }

    func query<Value>(_ left: Query<Value>, _ right: Value) -> Query<Bool>
    where Value: _HasPersistedType, Value.PersistedType: _QueryNumeric {
      switch self {
      case .equal: left == right
      case .notEqual: left != right
      case .less: left < right
      case .lessOrEqual: left <= right
      case .greater: left > right
      case .greaterOrEqual: left >= right
      }
    }

    func listQuery(_ left: Query<List<Int>>, _ right: Int) -> Query<Bool> {
      switch self {
      case .equal: left == right
      case .notEqual: left != right
      case .less: left < right
      case .lessOrEqual: left <= right
      case .greater: left > right
      case .greaterOrEqual: left >= right
      }
    }

    func textQuery<Value>(_ left: Query<Value>, _ right: Value) -> Query<Bool>
    where Value: _HasPersistedType, Value.PersistedType: _QueryBinary {
      switch self {
      case .equal: left == right
      case .notEqual: left != right
      case .less: left < right
      case .lessOrEqual: left <= right
      case .greater: left > right
      case .greaterOrEqual: left >= right
      }
    }
  }

  private mutating func one<Element>(of elements: [Element]) -> Element {
    elements[random.below(elements.count)]
  }

  mutating func condition(depth: Int) -> RandomCondition {
    guard depth > 0, random.below(4) > 0 else { return leaf() }
    let left = condition(depth: depth - 1)
    let right = condition(depth: depth - 1)
    var queries: (Query<IndexedItem>) -> Query<Bool> = { $0.flag }
    let (first, second) = (left.query, right.query)
    let hasQueries = first != nil && second != nil
    switch random.below(3) {
    case 0:
      if let first, let second { queries = { first($0) && second($0) } }
      return RandomCondition(
        text: "(\(left.text) AND \(right.text))", query: hasQueries ? queries : nil,
        holds: { left.holds($0) && right.holds($0) })
    case 1:
      if let first, let second { queries = { first($0) || second($0) } }
      return RandomCondition(
        text: "(\(left.text) || \(right.text))", query: hasQueries ? queries : nil,
        holds: { left.holds($0) || right.holds($0) })
    default:
      return RandomCondition(
        text: "NOT (\(left.text))", query: first.map { first in { !first($0) } },
        holds: { !left.holds($0) })
    }
  }

  private mutating func leaf() -> RandomCondition {
    switch random.below(6) {
    case 5: return mixedLeaf()
    case 0: return numberLeaf()
    case 1: return textLeaf()
    case 2: return relationLeaf()
    case 3: return collectionLeaf()
    default: return otherLeaf()
    }
  }

  private mutating func numberLeaf() -> RandomCondition {
    let n = random.below(10)
    let o = one(of: Operator.allCases)
    switch random.below(8) {
    case 0:
      return RandomCondition(
        text: "number \(o.rawValue) \(n)", query: { o.query($0.number, n) },
        predicate: o == .less ? #Predicate<IndexedItem> { $0.number < n } : nil
      ) { o.holds($0.number, n) }
    case 1:
      return RandomCondition(text: "maybe \(o.rawValue) \(n)", query: { o.query($0.maybe, n) }) {
        o.holds($0.maybe, n)
      }
    case 2:
      return RandomCondition(
        text: "maybe \(o.rawValue) nil", query: { o.query($0.maybe, nil) },
        predicate: o == .equal ? #Predicate<IndexedItem> { $0.maybe == nil } : nil
      ) { o.holds($0.maybe, nil) }
    case 3:
      let real = Double(n) / 2 - 2
      return RandomCondition(
        text: "real \(o.rawValue) \(real)", query: { o.query($0.real, real) }
      ) { o.holds($0.real, real) }
    case 4:
      return RandomCondition(text: "number \(o.rawValue) maybe") { o.holds($0.number, $0.maybe) }
    case 5:
      return RandomCondition(
        text: "number BETWEEN {\(n), \(n + 3)}", query: { $0.number.contains(n...n + 3) },
        predicate: #Predicate<IndexedItem> { $0.number >= n && $0.number <= n + 3 }
      ) { (n...n + 3).contains($0.number) }
    case 6:
      return RandomCondition(
        text: "maybe IN {\(n), nil, \(n / 2)}", query: { $0.maybe.in([n, nil, n / 2]) }
      ) { $0.maybe == nil || $0.maybe == n || $0.maybe == n / 2 }
    default:
      return RandomCondition(text: "number * 2 - maybe \(o.rawValue) \(n)") { item in
        o.holds(item.maybe.map { item.number * 2 - $0 }, n)
      }
    }
  }

  private mutating func textLeaf() -> RandomCondition {
    let t = one(of: PlainItem.texts)
    let o = one(of: Operator.allCases)
    switch random.below(6) {
    case 0:
      return RandomCondition(
        text: "text \(o.rawValue) '\(t)'", query: { o.textQuery($0.text, t) },
        predicate: o == .equal ? #Predicate<IndexedItem> { $0.text == t } : nil
      ) { o.holdsForText($0.text, t) }
    case 1:
      return RandomCondition(
        text: "word \(o.rawValue) '\(t)'", query: { o.textQuery($0.word, t) }
      ) { o.holdsForText($0.word, t) }
    case 2:
      return RandomCondition(
        text: "text CONTAINS '\(t)'", query: { $0.text.contains(t) }
      ) { item in !t.isEmpty && item.text.contains(t) }
    case 3:
      return RandomCondition(
        text: "word BEGINSWITH[c] '\(t)'",
        query: { $0.word.starts(with: t, options: .caseInsensitive) }
      ) { item in
        !t.isEmpty && (item.word.map { Self.folded($0).hasPrefix(Self.folded(t)) } ?? false)
      }
    case 4:
      let words = [t, one(of: PlainItem.texts), one(of: PlainItem.texts)]
      return RandomCondition(text: "text IN {\(words.map { "'\($0)'" }.joined(separator: ", "))}") {
        words.contains($0.text)
      }
    default:
      return RandomCondition(
        text: "text ==[c] '\(t)'", query: { $0.text.equals(t, options: .caseInsensitive) }
      ) { Self.folded($0.text) == Self.folded(t) }
    }
  }

  private static func folded(_ text: String) -> String { text.uppercased().lowercased() }

  private mutating func relationLeaf() -> RandomCondition {
    let n = random.below(10)
    let o = one(of: Operator.allCases)
    let items = items
    switch random.below(6) {
    case 0:
      return RandomCondition(
        text: "other.number \(o.rawValue) \(n)", query: { o.query($0.other.number, n) }
      ) { o.holds($0.other.map { items[$0].number }, n) }
    case 1:
      return RandomCondition(text: "other == nil", query: { $0.other == nil }) { $0.other == nil }
    case 2:
      return RandomCondition(
        text: "ANY parts.maybe \(o.rawValue) \(n)", query: { o.query($0.parts.maybe, n) }
      ) { $0.parts.contains { o.holds(items[$0].maybe, n) } }
    case 3:
      return RandomCondition(text: "ALL parts.number \(o.rawValue) \(n)") {
        $0.parts.allSatisfy { o.holds(items[$0].number, n) }
      }
    case 4:
      return RandomCondition(
        text: "SUBQUERY(parts, $p, $p.flag == YES AND $p.number < \(n)).@count > 0",
        query: { ($0.parts.flag && $0.parts.number < n).count > 0 }
      ) { $0.parts.contains { items[$0].flag && items[$0].number < n } }
    default:
      return RandomCondition(
        text: "SUBQUERY(parts, $p, $p.number \(o.rawValue) number).@count >= 2"
      ) { item in item.parts.count { o.holds(items[$0].number, item.number) } >= 2 }
    }
  }

  private mutating func collectionLeaf() -> RandomCondition {
    let n = random.below(10)
    let o = one(of: Operator.allCases)
    let key = one(of: PlainItem.keys)
    let t = one(of: PlainItem.texts)
    let size = n % 4
    switch random.below(8) {
    case 0:
      return RandomCondition(
        text: "numbers.@count \(o.rawValue) \(n % 4)", query: { o.query($0.numbers.count, n % 4) },
        predicate: o == .equal ? #Predicate<IndexedItem> { $0.numbers.count == size } : nil
      ) { o.holds($0.numbers.count, n % 4) }
    case 1:
      return RandomCondition(
        text: "ANY numbers \(o.rawValue) \(n)", query: { o.listQuery($0.numbers, n) }
      ) { $0.numbers.contains { o.holds($0, n) } }
    case 2:
      return RandomCondition(text: "NONE numbers \(o.rawValue) \(n)") {
        !$0.numbers.contains { o.holds($0, n) }
      }
    case 3:
      return RandomCondition(
        text: "numbers.@max \(o.rawValue) \(n)", query: { o.query($0.numbers.max, n) }
      ) { o.holds($0.numbers.max(), n) }
    case 4:
      return RandomCondition(text: "numbers.@sum \(o.rawValue) \(n)") {
        o.holds($0.numbers.reduce(0, +), n)
      }
    case 5:
      return RandomCondition(
        text: "scores['\(key)'] \(o.rawValue) \(n)", query: { o.query($0.scores[key], n) }
      ) { o.holds($0.scores[key], n) }
    case 6:
      return RandomCondition(
        text: "ANY scores.@allValues \(o.rawValue) \(n)", query: { o.query($0.scores.values, n) }
      ) { $0.scores.values.contains { o.holds($0, n) } }
    default:
      return RandomCondition(text: "'\(t)' IN words", query: { $0.words.contains(t) }) {
        $0.words.contains(t)
      }
    }
  }

  private mutating func otherLeaf() -> RandomCondition {
    let o = one(of: Operator.allCases)
    switch random.below(5) {
    case 0:
      return RandomCondition(
        text: "flag == YES", query: { $0.flag }, predicate: #Predicate<IndexedItem> { $0.flag }
      ) { $0.flag }
    case 1:
      let seconds = Double(random.below(10)) * 86_400
      let day = Date(timeIntervalSinceReferenceDate: seconds)
      return RandomCondition(
        text: "day \(o.rawValue) T\(Int(seconds) + 978_307_200):0", query: { o.query($0.day, day) }
      ) { o.holds($0.day, day) }
    case 2:
      let word = one(of: ["red", "fox", "blue", "bleu"])
      return RandomCondition(
        text: "note TEXT '\(word)'", query: { $0.note.text(word) }
      ) { Self.words($0.note).contains(word) }
    case 3:
      return RandomCondition(
        text: "note TEXT 'fox* -blue'", query: { $0.note.text("fox* -blue") }
      ) { item in
        let words = Self.words(item.note)
        return words.contains { $0.hasPrefix("fox") } && !words.contains("blue")
      }
    default:
      let id = random.below(items.count)
      return RandomCondition(
        text: "id == \(id)", query: { $0.id == id },
        predicate: #Predicate<IndexedItem> { $0.id == id }
      ) { $0.id == id }
    }
  }

  private static func words(_ note: String) -> Set<String> {
    Set(note.lowercased().split { !$0.isLetter }.map(String.init))
  }
}
