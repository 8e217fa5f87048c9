/// Which kinds of values can be compared with which.
enum KindRules {
  static func areComparable(_ left: ValueKind, _ right: ValueKind) -> Bool {
    left == right || left == .any || right == .any || (isNumber(left) && isNumber(right))
  }

  static func isNumber(_ kind: ValueKind) -> Bool {
    switch kind {
    case .int, .float, .double, .decimal128: true
    default: false
    }
  }

  /// The constant as values of that kind are compared with it, or nil if they cannot be. Doubles
  /// become floats for a float column, as what was written for the column surely meant.
  static func coerce(_ value: StoredValue, to kind: ValueKind) -> StoredValue? {
    switch (kind, value) {
    case (.any, _), (_, .null): value
    case (.float, .double(let real)): .float(Float(real))
    case (.bool, .int(let integer)) where integer == 0 || integer == 1: .bool(integer == 1)
    case (.int, .bool(let flag)): .int(flag ? 1 : 0)
    default: areComparable(kind, self.kind(of: value)) ? value : nil
    }
  }

  static func kind(of value: StoredValue) -> ValueKind {
    switch value {
    case .null: .any
    case .int: .int
    case .bool: .bool
    case .float: .float
    case .double: .double
    case .string: .string
    case .data: .data
    case .date: .date
    case .objectId: .objectId
    case .uuid: .uuid
    case .decimal128: .decimal128
    case .link: .object
    }
  }
}

extension CompiledExpression {
  /// Whether there may be any number of values rather than one.
  var isMultiple: Bool {
    switch self {
    case .value, .aggregate, .subqueryCount: false
    case .values: true
    case .outer(_, let expression): expression.isMultiple
    case .arithmetic(let left, _, let right): left.isMultiple || right.isMultiple
    case .path(let path): path.isMultiple
    case .count(let path): path.hops.contains { $0.isMultiple }
    }
  }

  /// What kind of values there will be; nil for constants.
  var kind: ValueKind? {
    switch self {
    case .value, .values: nil
    case .outer(_, let expression): expression.kind
    case .arithmetic(let left, _, let right): Self.calculated(left.resultKind, right.resultKind)
    case .path(let path): path.kind
    case .count, .subqueryCount: .int
    case .aggregate(.average, let path): path.kind == .decimal128 ? .decimal128 : .double
    case .aggregate(_, let path): path.kind
    }
  }

  /// The kind, also that of a constant.
  var resultKind: ValueKind {
    if case .value(let constant) = self { return KindRules.kind(of: constant.stored) }
    return kind ?? .any
  }

  private static func calculated(_ left: ValueKind, _ right: ValueKind) -> ValueKind {
    let kinds = [left, right]
    if kinds.contains(.decimal128) { return .decimal128 }
    return kinds.contains(.any) ? .any : kinds == [.int, .int] ? .int : .double
  }
}

extension QueryExpression {
  /// The expression in words, for messages.
  var words: String {
    switch self {
    case .value(let value): "\(value)"
    case .path(let path): path.steps.isEmpty ? "self" : path.description
    case .count(let path): "\(path.description).@count"
    case .aggregate(let operation, let path, let property):
      "\(path.description).@\(operation)" + (property.map { ".\($0)" } ?? "")
    case .subqueryCount(let path, _): "SUBQUERY(\(path.description), ...).@count"
    case .values(let values): "\(values)"
    case .outer(_, let expression): expression.words
    case .arithmetic(let left, let operation, let right):
      "\(left.words) \(operation.symbol) \(right.words)"
    }
  }
}

extension ArithmeticOperation {
  fileprivate var symbol: String {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    }
  }
}
