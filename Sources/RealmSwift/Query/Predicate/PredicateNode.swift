// A condition as its author wrote it, by names of Swift properties: what the parser of predicate
// strings and the `where` closures both make. `PredicateLowering` turns it into the engine's terms.

/// A condition.
enum PredicateNode {
  case constant(Bool)
  /// A boolean property standing alone, or negated.
  case truth(PredicatePath, is: Bool)
  case comparison(PredicateOperand, PredicateOperator, PredicateOperand, StringOptions)
  case between(PredicateOperand, PredicateOperand, PredicateOperand)
  indirect case and(PredicateNode, PredicateNode)
  indirect case or(PredicateNode, PredicateNode)
  indirect case not(PredicateNode)

  /// How many conditions a condition can be in: each level takes stack.
  static let depthMax = 200

  static let nestedTooDeep = InvalidPredicate("it is nested too deep")
}

/// How two operands are compared.
enum PredicateOperator: String, Sendable {
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case contains = "CONTAINS"
  case beginsWith = "BEGINSWITH"
  case endsWith = "ENDSWITH"
  case like = "LIKE"
  case matches = "MATCHES"
  case isIn = "IN"
  /// A full-text search.
  case text = "TEXT"
}

/// A calculation in a predicate string.
enum PredicateArithmetic: Character, Sendable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
}

/// What stands on one side of a comparison.
enum PredicateOperand {
  /// A literal or an argument; nil and `NSNull` are null.
  case value(Any?)
  /// Several of them: `{1, 2}`. With a quantifier a condition is about any of them, or about all.
  case list([PredicateOperand], PredicatePath.Quantifier = .none)
  case path(PredicatePath)
  /// The number of a collection's elements that a condition holds for. The condition's paths start
  /// with the variable.
  indirect case subqueryCount(PredicatePath, variable: String, PredicateNode)
  indirect case arithmetic(PredicateOperand, PredicateArithmetic, PredicateOperand)
  /// The object of a class with that primary key: `obj("Dog", 3)`.
  indirect case object(className: String, key: PredicateOperand)
}

/// Names of properties and operators such as `@count`, from the object (or a subquery's variable).
struct PredicatePath: Hashable, Sendable {
  /// Which elements of the collections on the way a condition is about.
  enum Quantifier: String, Hashable, Sendable {
    case none = ""
    case any = "ANY"
    case all = "ALL"
    case noneOf = "NONE"
  }

  /// What stands in brackets after a component.
  enum Subscript: Hashable, Sendable {
    case key(String)
    case index(Int)
    case any, first, last, size
  }

  var components: [String]
  /// By the index of the component that they follow.
  var subscripts: [Int: [Subscript]] = [:]
  var quantifier = Quantifier.none
  /// How many components lead to the first collection, where that is known (in `where` closures).
  var firstCollection: Int?
  /// How many collections are on the way, where that is known.
  var collectionCount = 0

  init(_ components: [String], quantifier: Quantifier = .none) {
    self.components = components
    self.quantifier = quantifier
  }

  /// The path as it is written, without its quantifier.
  var text: String {
    components.indices.map { index in
      components[index] + (subscripts[index] ?? []).map { "[\($0.text)]" }.joined()
    }.joined(separator: ".")
  }

  /// Adds brackets after the last component.
  mutating func append(_ element: Subscript) {
    subscripts[components.count - 1, default: []].append(element)
  }

  /// The components in a range of their indices, with their brackets.
  func part(_ range: Range<Int>) -> PredicatePath {
    var part = PredicatePath(Array(components[range]), quantifier: quantifier)
    for (index, elements) in subscripts where range.contains(index) {
      part.subscripts[index - range.lowerBound] = elements
    }
    return part
  }
}

extension PredicatePath.Subscript {
  fileprivate var text: String {
    switch self {
    case .key(let key): "'\(key)'"
    case .index(let index): "\(index)"
    case .any: "#any"
    case .first: "FIRST"
    case .last: "LAST"
    case .size: "SIZE"
    }
  }
}

/// What is done with the objects that a predicate string finds: its `SORT`, `DISTINCT` and `LIMIT`.
enum PredicateStage {
  case sort([SortDescriptor])
  case distinct([String])
  case limit(Int)
}

/// A predicate string that was read.
struct ParsedPredicate {
  var condition: PredicateNode
  var stages: [PredicateStage] = []
}

/// Why a predicate cannot be used: a mistake of the program.
struct InvalidPredicate: Error, Hashable {
  /// The name that the misuse is reported under.
  var name: String
  var reason: String

  init(_ reason: String, name: String = "Invalid predicate") {
    self.name = name
    self.reason = reason
  }
}

/// Reports a predicate that cannot be used as misuse.
func checkingPredicate<Value>(_ body: () throws(InvalidPredicate) -> Value) -> Value {
  do {
    return try body()
  } catch {
    throwRealmException(error.reason, name: error.name)
  }
}
