import Foundation

/// Writes a condition as a predicate string with its arguments, in the form that Apple's SDK gives
/// to `where` closures; programs compare these strings in their tests.
struct PredicateFormatter {
  private var text = ""
  private var arguments: [Any] = []
  private var subqueryCount = 0
  /// The number of the subquery whose condition is being written.
  private var variableNumber = 0

  static func format(_ condition: PredicateNode) -> (String, [Any]) {
    var formatter = PredicateFormatter()
    formatter.write(condition)
    return (formatter.text, formatter.arguments)
  }

  private mutating func write(_ node: PredicateNode) {
    switch node {
    case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .truth(let path, let value):
      write(path)
      text += " == \(value)"
    case .comparison(let left, let comparison, let right, let options):
      text += "("
      write(left)
      text += " \(comparison.rawValue)\(Self.brackets(options)) "
      write(right)
      text += ")"
    case .between(let value, let lower, let upper):
      text += "("
      write(value)
      text += " BETWEEN "
      write(.list([lower, upper]))
      text += ")"
    case .and(let left, let right): write(left, "&&", right)
    case .or(let left, let right): write(left, "||", right)
    case .not(let child):
      text += "NOT "
      write(child)
    }
  }

  private mutating func write(_ left: PredicateNode, _ word: String, _ right: PredicateNode) {
    text += "("
    write(left)
    text += " \(word) "
    write(right)
    text += ")"
  }

  private mutating func write(_ operand: PredicateOperand) {
    switch operand {
    case .value(let value):
      text += "%@"
      arguments.append(persistedArgument(value) ?? NSNull())
    case .list(let operands, let quantifier):
      if quantifier != .none { text += quantifier.rawValue + " " }
      text += "{"
      for (index, operand) in operands.enumerated() {
        if index > 0 { text += ", " }
        write(operand)
      }
      text += "}"
    case .path(let path): write(path)
    case .arithmetic(let left, let operation, let right):
      text += "("
      write(left)
      text += " \(operation.rawValue) "
      write(right)
      text += ")"
    case .object(let className, let key):
      text += "obj('\(className)', "
      write(key)
      text += ")"
    case .subqueryCount(let collection, _, let condition): write(collection, condition)
    }
  }

  private mutating func write(_ collection: PredicatePath, _ condition: PredicateNode) {
    subqueryCount += 1
    let number = subqueryCount
    text += "SUBQUERY("
    write(collection)
    text += ", $col\(number), "
    let outer = variableNumber
    variableNumber = number
    write(condition)
    variableNumber = outer
    text += ").@count"
  }

  private mutating func write(_ path: PredicatePath) {
    if path.quantifier != .none { text += path.quantifier.rawValue + " " }
    if path.components.isEmpty {
      text += "self"
      for element in path.subscripts[-1] ?? [] { write(element) }
      return
    }
    for (index, component) in path.components.enumerated() {
      if index > 0 { text += "." }
      text += component == SubqueryRewriter.variable ? "$col\(variableNumber)" : component
      for element in path.subscripts[index] ?? [] { write(element) }
    }
  }

  private mutating func write(_ element: PredicatePath.Subscript) {
    switch element {
    case .key(let key):
      text += "[%@]"
      arguments.append(key)
    case .index(let index):
      text += "[%@]"
      arguments.append(index)
    case .any:
      text += "[%K]"
      arguments.append("#any")
    case .first: text += "[FIRST]"
    case .last: text += "[LAST]"
    case .size: text += "[SIZE]"
    }
  }

  private static func brackets(_ options: StringOptions) -> String {
    var letters = ""
    if options.contains(.caseInsensitive) { letters += "c" }
    if options.contains(.diacriticInsensitive) { letters += "d" }
    return letters.isEmpty ? "" : "[\(letters)]"
  }
}

/// An argument as it is stored: without optionals, and for enumerations and custom types what they
/// stand for. Nil for null.
///
/// - Parameter levels: of how many lists, one in the other, the elements are converted too.
func persistedArgument(_ value: Any?, listLevels levels: Int = 2) -> Any? {
  guard let value, !(value is NSNull) else { return nil }
  if let optional = value as? any OptionalProtocol {
    return persistedArgument(erased(optional), listLevels: levels)
  }
  if let enumeration = value as? any PersistableEnum { return enumeration.rawValue }
  if let custom = value as? any _CustomPersistable {
    return persistedArgument(custom.persistableValue, listLevels: levels)
  }
  if let any = value as? AnyRealmValue { return any.content }
  if levels > 0, let values = value as? [Any], !values.isEmpty {
    return values.map { persistedArgument($0, listLevels: levels - 1) ?? NSNull() }
  }
  return value
}

private func erased(_ optional: some OptionalProtocol) -> Any? { optional._optionalValue }
