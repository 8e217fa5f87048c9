/// Which kinds of values can be compared with which.
enum KindRules {
  static func areComparable(_ left: ValueKind, _ right: ValueKind) -> Bool {
    left == right || left == .any || right == .any || (isNumber(left) && isNumber(right))
  }

  static func isNumber(_ kind: ValueKind) -> Bool {
    switch kind {
    case .int, .bool, .float, .double, .decimal128: true
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
  /// What kind of values there will be; nil for constants.
  var kind: ValueKind? {
    switch self {
    case .value: nil
    case .path(let path): path.kind
    case .count, .subqueryCount: .int
    case .aggregate(.average, let path): path.kind == .decimal128 ? .decimal128 : .double
    case .aggregate(_, let path): path.kind
    }
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
    }
  }
}
