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
}

/// What stands on one side of a comparison.
enum PredicateOperand {
  /// A literal or an argument; nil and `NSNull` are null.
  case value(Any?)
  /// Several of them: `{1, 2}`.
  case list([PredicateOperand])
  case path(PredicatePath)
  /// The number of a collection's elements that a condition holds for. The condition's paths start
  /// with the variable.
  indirect case subqueryCount(PredicatePath, variable: String, PredicateNode)
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

  var components: [String]
  var quantifier = Quantifier.none
  /// How many components lead to the first collection, where that is known (in `where` closures).
  var firstCollection: Int?
  /// How many collections are on the way, where that is known.
  var collectionCount = 0

  init(_ components: [String], quantifier: Quantifier = .none) {
    self.components = components
    self.quantifier = quantifier
  }

  var text: String { components.joined(separator: ".") }
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
