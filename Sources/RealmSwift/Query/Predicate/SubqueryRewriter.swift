/// Makes a condition on a collection's elements into the number of elements that it holds for.
struct SubqueryRewriter {
  /// Stands for the element in the condition; the formatter numbers such variables.
  static let variable = "$col"

  private var collection: PredicatePath?

  /// The count for a condition whose paths go through one collection.
  static func count(_ condition: PredicateNode) -> PredicateOperand {
    var rewriter = SubqueryRewriter()
    let inner = rewriter.rewrite(condition)
    guard let collection = rewriter.collection else {
      throwRealmException(
        "Subqueries must contain a keypath starting with a collection.")
    }
    return .subqueryCount(collection, variable: variable, inner)
  }

  private mutating func rewrite(_ node: PredicateNode) -> PredicateNode {
    switch node {
    case .constant: node
    case .truth(let path, let value): .truth(rewrite(path), is: value)
    case .comparison(let left, let comparison, let right, let options):
      .comparison(rewrite(left), comparison, rewrite(right), options)
    case .between(let value, let lower, let upper):
      .between(rewrite(value), rewrite(lower), rewrite(upper))
    case .and(let left, let right): .and(rewrite(left), rewrite(right))
    case .or(let left, let right): .or(rewrite(left), rewrite(right))
    case .not(let child): .not(rewrite(child))
    }
  }

  private mutating func rewrite(_ operand: PredicateOperand) -> PredicateOperand {
    switch operand {
    case .value, .object: operand
    case .list(let operands, let quantifier): .list(operands.map { rewrite($0) }, quantifier)
    case .path(let path): .path(rewrite(path))
    case .arithmetic(let left, let operation, let right):
      .arithmetic(rewrite(left), operation, rewrite(right))
    case .subqueryCount(let path, let variable, let condition):
      .subqueryCount(rewrite(path), variable: variable, condition)
    }
  }

  private mutating func rewrite(_ path: PredicatePath) -> PredicatePath {
    guard let depth = path.firstCollection else { return path }
    var prefix = path.part(0..<depth)
    prefix.quantifier = .none
    if let collection, collection != prefix {
      throwRealmException("Subqueries are only allowed on one collection per subquery.")
    }
    collection = prefix
    var inner = path.part((depth - 1)..<path.components.count)
    inner.components[0] = Self.variable
    inner.subscripts[0] = nil
    inner.collectionCount = path.collectionCount - 1
    if inner.collectionCount == 0 { inner.quantifier = .none }
    return inner
  }
}
