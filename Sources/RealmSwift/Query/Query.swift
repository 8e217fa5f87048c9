/// A condition in the making: what a `where` closure gets for the object, and what its members and
/// operators return.
///
/// ```swift
/// realm.objects(Person.self).where { $0.age > 30 && $0.dogs.name.starts(with: "R") }
/// ```
@dynamicMemberLookup
public struct Query<T> {
  let content: QueryContent

  /// The object, or the element of a collection of scalars, itself.
  @usableFromInline
  init() {
    content = .operand(.path(PredicatePath([])))
  }

  init(_ operand: PredicateOperand) {
    content = .operand(operand)
  }

  init(_ condition: PredicateNode) {
    content = .condition(condition)
  }

  /// A query for a test of what it is made into.
  public static func _constructForTesting() -> Query<T> { Query<T>() }

  /// The query as a predicate string and its arguments.
  public func _constructPredicate() -> (String, [Any]) {
    PredicateFormatter.format(condition)
  }
}

/// What a query stands for so far.
enum QueryContent {
  case operand(PredicateOperand)
  case condition(PredicateNode)
}

// Not methods of `Query`: for one that is not known until the program runs its type would have to
// be looked up first, which takes as long as the comparison.
extension QueryContent {
  /// What it is as something to compare.
  fileprivate var operand: PredicateOperand {
    switch self {
    case .operand(let operand): operand
    case .condition: throwRealmException("A condition cannot be compared with a value.")
    }
  }

  func compared(_ comparison: PredicateOperator, to value: Any?) -> Query<Bool> {
    Query<Bool>(.comparison(operand, comparison, .value(value), []))
  }
}

extension Query {
  /// The query as something to compare.
  var operand: PredicateOperand { content.operand }

  /// The query as a condition; a property alone must be a boolean one.
  var condition: PredicateNode {
    switch content {
    case .condition(let condition): condition
    case .operand(.path(let path)): .truth(path, is: true)
    case .operand(.value(let value as Bool)): .constant(value)
    case .operand: throwRealmException("A query must end in a condition, not in a value.")
    }
  }

  /// The path that the query stands for.
  var path: PredicatePath {
    guard case .operand(.path(let path)) = content else {
      throwRealmException("A key path must start at the object of the query.")
    }
    return path
  }

  /// The path of further steps, which may lead to a collection.
  func appending(_ names: [String], isCollection: Bool = false) -> PredicateOperand {
    var path = path
    if path.components.isEmpty { path.components = names } else { path.components += names }
    if isCollection {
      path.quantifier = .any
      path.collectionCount += 1
      if path.firstCollection == nil { path.firstCollection = path.components.count }
    }
    return .path(path)
  }

  /// The path of one more step that takes the whole collection: `@count` and its like.
  func appending(aggregate name: String) -> PredicateOperand {
    var path = path
    path.components.append(name)
    path.quantifier = .none
    return .path(path)
  }

  /// The collection as a whole.
  var collection: PredicateOperand {
    var path = path
    path.quantifier = .none
    return .path(path)
  }

  /// The path with a key or an index behind it. One element is no collection any more.
  func appending(_ element: PredicatePath.Subscript, ofCollection: Bool = false) -> PredicateOperand
  {
    var path = path
    path.append(element)
    guard ofCollection else { return .path(path) }
    path.collectionCount -= 1
    if path.firstCollection == path.components.count { path.firstCollection = nil }
    if path.collectionCount == 0 { path.quantifier = .none }
    return .path(path)
  }

  static func compare(
    _ left: PredicateOperand, _ comparison: PredicateOperator, _ right: PredicateOperand,
    _ options: StringOptions = []
  ) -> Query<Bool> {
    Query<Bool>(.comparison(left, comparison, right, options))
  }

  func compare(_ comparison: PredicateOperator, _ value: Any?) -> Query<Bool> {
    content.compared(comparison, to: value)
  }
}

// MARK: - Members

extension Query where T: ObjectBase {
  /// A map of the object; conditions on its values hold if they hold for any of them.
  public subscript<V: RealmKeyedCollection>(
    dynamicMember member: KeyPath<T, V>
  ) -> Query<V> {
    Query<V>(appending(_names(for: member), isCollection: true))
  }

  /// A property of the object.
  public subscript<V>(dynamicMember member: KeyPath<T, V>) -> Query<V> {
    Query<V>(appending(_names(for: member)))
  }

  /// A collection of the object; conditions on it hold if they hold for any of its elements.
  public subscript<V: RealmCollectionBase>(dynamicMember member: KeyPath<T, V>) -> Query<V> {
    Query<V>(appending(_names(for: member), isCollection: true))
  }
}

extension Query where T: OptionalProtocol, T.Wrapped: ObjectBase {
  /// A map of the object; conditions on its values hold if they hold for any of them.
  public subscript<V: RealmKeyedCollection>(
    dynamicMember member: KeyPath<T.Wrapped, V>
  ) -> Query<V> {
    Query<V>(appending(_names(for: member), isCollection: true))
  }

  /// A property of the object that is linked to.
  public subscript<V>(dynamicMember member: KeyPath<T.Wrapped, V>) -> Query<V> {
    Query<V>(appending(_names(for: member)))
  }

  /// A collection of the object that is linked to.
  public subscript<V: RealmCollectionBase>(
    dynamicMember member: KeyPath<T.Wrapped, V>
  ) -> Query<V> {
    Query<V>(appending(_names(for: member), isCollection: true))
  }
}

extension Query where T: RealmCollection, T.Element: ObjectBase {
  /// A map of the object; conditions on its values hold if they hold for any of them.
  public subscript<V: RealmKeyedCollection>(
    dynamicMember member: KeyPath<T.Element, V>
  ) -> Query<V> {
    Query<V>(appending(_names(for: member), isCollection: true))
  }

  /// A property of the collection's objects.
  public subscript<V>(dynamicMember member: KeyPath<T.Element, V>) -> Query<V> {
    Query<V>(appending(_names(for: member)))
  }

  /// A collection of the collection's objects.
  public subscript<V: RealmCollectionBase>(
    dynamicMember member: KeyPath<T.Element, V>
  ) -> Query<V> {
    Query<V>(appending(_names(for: member), isCollection: true))
  }
}

// MARK: - Logic

extension Query where T == Bool {
  /// Whether the condition does not hold.
  public static prefix func ! (query: Query) -> Query<Bool> {
    if case .truth(let path, let value) = query.condition {
      return Query<Bool>(.truth(path, is: !value))
    }
    return Query<Bool>(.not(query.condition))
  }

  /// Whether both conditions hold.
  public static func && (left: Query, right: Query) -> Query<Bool> {
    Query<Bool>(.and(left.condition, right.condition))
  }

  /// Whether at least one of the conditions holds.
  public static func || (left: Query, right: Query) -> Query<Bool> {
    Query<Bool>(.or(left.condition, right.condition))
  }

  /// How many elements of the collection the condition holds for:
  /// `($0.dogs.age > 3 && $0.dogs.name == "Rex").count`.
  public var count: Query<Int> {
    Query<Int>(SubqueryRewriter.count(condition))
  }
}
