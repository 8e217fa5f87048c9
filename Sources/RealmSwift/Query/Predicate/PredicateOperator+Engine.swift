import ObjectStore

// Operators in the engine's terms.

extension TextOptions {
  init(_ options: StringOptions) {
    self = []
    if options.contains(.caseInsensitive) { insert(.caseInsensitive) }
    if options.contains(.diacriticInsensitive) { insert(.diacriticInsensitive) }
  }
}

extension PredicateOperator {
  /// The operator that holds for (b, a) where this one holds for (a, b); nil if there is none.
  var swapped: PredicateOperator? {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .contains, .beginsWith, .endsWith, .like, .matches, .isIn, .text: nil
    }
  }
}

extension ArithmeticOperation {
  init(_ operation: PredicateArithmetic) {
    switch operation {
    case .add: self = .add
    case .subtract: self = .subtract
    case .multiply: self = .multiply
    case .divide: self = .divide
    }
  }
}

extension QueryComparison {
  /// Nil for operators that are not comparisons.
  init?(_ comparison: PredicateOperator) {
    switch comparison {
    case .equal: self = .equal
    case .notEqual: self = .notEqual
    case .less: self = .less
    case .lessOrEqual: self = .lessOrEqual
    case .greater: self = .greater
    case .greaterOrEqual: self = .greaterOrEqual
    case .contains, .beginsWith, .endsWith, .like, .matches, .isIn, .text: return nil
    }
  }
}

extension TextOperation {
  /// Nil for operators that do not look into strings.
  init?(_ comparison: PredicateOperator) {
    switch comparison {
    case .contains: self = .contains
    case .beginsWith: self = .begins
    case .endsWith: self = .ends
    case .like: self = .like
    default: return nil
    }
  }
}
