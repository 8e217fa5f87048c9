/// Predicate strings that were read before, with places for their arguments: programs ask the same
/// again and again, with other constants.
///
/// Belongs to one realm instance and is confined like it.
struct PredicateTemplates {
  private struct Key: Hashable {
    var text: String
    var argumentCount: Int
  }

  /// Stands for an argument while the string is read.
  private struct Placeholder {
    let index: Int
  }

  /// Nil for a string whose meaning depends on its arguments, as with `%K`.
  private var templates: [Key: ParsedPredicate?] = [:]
  /// Programs that put constants into the string would fill the memory otherwise.
  private static let countMax = 1000

  /// The condition that the string and its arguments say.
  mutating func parse(
    _ text: String, _ arguments: [Any?]
  ) throws(InvalidPredicate) -> ParsedPredicate {
    let key = Key(text: text, argumentCount: arguments.count)
    if let known = templates[key] {
      guard let known else { return try PredicateParser.parse(text, arguments) }
      return ParsedPredicate(
        condition: known.condition.filled(with: arguments), stages: known.stages)
    }
    // With the arguments first: what is wrong with them is told as always.
    let parsed = try PredicateParser.parse(text, arguments)
    if templates.count >= Self.countMax { templates.removeAll() }
    let places = arguments.indices.map { Placeholder(index: $0) as Any? }
    let template = try? PredicateParser.parse(text, places)
    templates.updateValue(template, forKey: key)
    return parsed
  }

  fileprivate static func index(_ value: Any?) -> Int? {
    guard let value, type(of: value) == Placeholder.self else { return nil }
    return (value as! Placeholder).index
  }
}

extension PredicateNode {
  /// The condition with arguments in the places that stand for them.
  fileprivate func filled(with arguments: [Any?]) -> PredicateNode {
    switch self {
    case .constant, .truth: self
    case .comparison(let left, let comparison, let right, let options):
      .comparison(
        left.filled(with: arguments), comparison, right.filled(with: arguments), options)
    case .between(let value, let lower, let upper):
      .between(
        value.filled(with: arguments), lower.filled(with: arguments), upper.filled(with: arguments))
    case .and(let left, let right):
      .and(left.filled(with: arguments), right.filled(with: arguments))
    case .or(let left, let right): .or(left.filled(with: arguments), right.filled(with: arguments))
    case .not(let child): .not(child.filled(with: arguments))
    }
  }
}

extension PredicateOperand {
  fileprivate func filled(with arguments: [Any?]) -> PredicateOperand {
    switch self {
    case .value(let value):
      PredicateTemplates.index(value).map { .value(arguments[$0]) } ?? self
    case .list(let operands, let quantifier):
      .list(operands.map { $0.filled(with: arguments) }, quantifier)
    case .arithmetic(let left, let operation, let right):
      .arithmetic(left.filled(with: arguments), operation, right.filled(with: arguments))
    case .object(let className, let key):
      .object(className: className, key: key.filled(with: arguments))
    case .path: self
    case .subqueryCount(let path, let variable, let condition):
      .subqueryCount(path, variable: variable, condition.filled(with: arguments))
    }
  }
}
