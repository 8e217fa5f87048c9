/// How two values are compared.
public enum QueryComparison: Hashable, Sendable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

  /// The comparison that holds for (b, a) when this one holds for (a, b).
  var swapped: QueryComparison {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .equal, .notEqual: self
    }
  }
}

/// What a string, or data, is tested for.
public enum TextOperation: Hashable, Sendable {
  case contains, begins, ends
  /// The whole string against a pattern: `*` stands for any characters, `?` for one.
  case like
}

/// What the elements of a collection, or a column, are boiled down to.
public enum AggregateOperation: Hashable, Sendable {
  case minimum, maximum, sum, average
}

/// A calculation with two numbers.
public enum ArithmeticOperation: Hashable, Sendable {
  case add, subtract, multiply, divide
}

/// A value that a predicate works with.
public enum QueryExpression: Hashable, Sendable {
  case value(StoredValue)
  /// Several values; a predicate then holds if it holds for any of them.
  case values([StoredValue])
  /// What is found at the end of a path: one value, or through lists and backlinks any number of
  /// them; a predicate then holds if it holds for any of them. A path through a link to nothing
  /// ends in null.
  case path(QueryPath)
  /// How many elements each collection at the end of the path has, how long a string or data is, or
  /// 1 for a link to an object and 0 for one to nothing.
  case count(of: QueryPath)
  /// An aggregate over a collection: of that property of its objects, or of its scalars. Null if
  /// it has no elements that are not null (a sum is zero then).
  case aggregate(AggregateOperation, of: QueryPath, property: String?)
  /// How many objects of the collection the predicate holds for.
  indirect case subqueryCount(QueryPath, QueryPredicate)
  /// Within a subquery the expression of the object that is so many subqueries further out.
  indirect case outer(Int, QueryExpression)
  /// Null if one of the two is no number, or where a whole number is divided by zero.
  indirect case arithmetic(QueryExpression, ArithmeticOperation, QueryExpression)
}

/// A condition on the objects of a class, or on the elements of a list of scalars.
///
/// Null equals null only, but is below all strings in a comparison of a string property of the
/// object itself with a constant. Strings are compared by their UTF-8 bytes unless options say
/// otherwise. Numbers of different kinds compare by value; values that cannot be compared are
/// different, and neither is less.
public enum QueryPredicate: Hashable, Sendable {
  case constant(Bool)
  case compare(
    QueryExpression, QueryComparison, QueryExpression, options: TextOptions = [])
  case text(QueryExpression, TextOperation, QueryExpression, options: TextOptions = [])
  /// A full-text search: all words of the text are in a string, whatever their case and diacritics.
  /// `abc*` stands for the words that begin so, `-word` for one that must not be there.
  case search(QueryExpression, String)
  /// An object at the end of the path is shaped like a GeoJSON point and lies within.
  case geoWithin(QueryPath, GeoShape)
  /// Equal to one of the values.
  case isIn(QueryExpression, [StoredValue])
  /// Not below the first and not above the second value; of several values one may be the former
  /// and another one the latter.
  case between(QueryExpression, StoredValue, StoredValue)
  /// Of one of these kinds.
  case isOfKind(QueryExpression, QueryKinds)
  /// The comparison holds for all values of its left side rather than for any.
  indirect case all(QueryPredicate)
  case and([QueryPredicate])
  case or([QueryPredicate])
  indirect case not(QueryPredicate)

  /// Whether it holds for every object without being looked at.
  public var isTrue: Bool { if case .constant(true) = self { true } else { false } }
}

/// Kinds that a value can be of.
public struct QueryKinds: Hashable, Sendable {
  /// Those of values; `object` is a link to an object.
  public var values: Set<ValueKind> = []
  /// Lists and maps.
  public var collections: Set<NestedCollection> = []
  public var hasNull = false

  public init(_ values: Set<ValueKind> = [], collections: Set<NestedCollection> = []) {
    self.values = values
    self.collections = collections
  }
}
