import ObjectStore

// Embedded objects, and custom types that are stored as such, compared by their properties. One
// that was made for the condition is in no realm, so nothing that is stored could be the same.
extension PredicateLowering {
  /// Whether the plain properties of the object at the end of a path equal those of a constant:
  /// not links and collections. Nil for anything but an unmanaged embedded object.
  ///
  /// - Parameter lowered: what the constant has been lowered to.
  func compareMembers(
    _ left: PredicateOperand, _ comparison: PredicateOperator, _ right: PredicateOperand,
    _ lowered: QueryExpression
  ) throws(InvalidPredicate) -> QueryPredicate? {
    guard comparison == .equal || comparison == .notEqual,
      case .value(.link(.unassigned, _)) = lowered, case .path(let path) = left,
      path.quantifier == .none, case .value(let constant) = right,
      let object = persistedArgument(constant) as? EmbeddedObject, !object._isManaged
    else { return nil }
    var members: [PredicateNode] = []
    var isNil = true
    for property in ClassInfo.of(type(of: object)).properties
    where property.description.collection == .none && property.description.target == nil {
      let value = object._value(ofProperty: property.name)
      var member = path
      member.components.append(property.name)
      members.append(.comparison(.path(member), .equal, .value(value), []))
      isNil = isNil && value == nil
    }
    // What is nil would hold for the properties of nothing, too.
    if isNil { members.append(.comparison(left, .notEqual, .value(nil), [])) }
    let equal = try lower(members.dropFirst().reduce(members[0]) { .and($0, $1) })
    return comparison == .equal ? equal : .not(equal)
  }
}
