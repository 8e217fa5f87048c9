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
    case .value: operand
    case .list(let operands): .list(operands.map { rewrite($0) })
    case .path(let path): .path(rewrite(path))
    case .subqueryCount(let path, let variable, let condition):
      .subqueryCount(rewrite(path), variable: variable, condition)
    }
  }

  private mutating func rewrite(_ path: PredicatePath) -> PredicatePath {
    guard let depth = path.firstCollection else { return path }
    let prefix = PredicatePath(Array(path.components[..<depth]))
    if let collection, collection.components != prefix.components {
      throwRealmException("Subqueries are only allowed on one collection per subquery.")
    }
    collection = prefix
    var inner = path
    inner.components = [Self.variable] + path.components[depth...]
    inner.collectionCount -= 1
    inner.firstCollection = nil
    if inner.collectionCount == 0 { inner.quantifier = .none }
    return inner
  }
}
