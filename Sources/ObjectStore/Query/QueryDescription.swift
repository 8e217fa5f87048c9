/// What the objects of a query are taken from.
public enum QuerySource: Hashable, Sendable {
  /// All objects of a class, in the order of their keys.
  case table(TableKey)
  /// The objects in a list property, in the order of the list.
  case list(owner: TableKey, object: ObjectKey, column: ColumnKey)
  /// The objects that link to an object through a property, in the order of their keys.
  case backlinks(origin: TableKey, column: ColumnKey, target: ObjectKey)
}

/// What results are ordered by: values at a path, which may cross links to one object.
public struct SortKey: Hashable, Sendable {
  public var path: QueryPath
  public var ascending: Bool

  public init(_ path: QueryPath, ascending: Bool = true) {
    self.path = path
    self.ascending = ascending
  }
}

/// A query: where the objects come from, which of them, and in what order.
public struct QueryDescription: Hashable, Sendable {
  public var source: QuerySource
  public var predicate: QueryPredicate
  /// Most significant first. Null comes first in ascending order; equal objects stay in the order
  /// of the source. Empty: the order of the source.
  public var sort: [SortKey]
  /// Only the first object of each combination of values at these paths is kept (after sorting).
  public var distinct: [QueryPath]
  /// At most so many objects, after everything else.
  public var limit: Int?

  public init(
    _ source: QuerySource, where predicate: QueryPredicate = .constant(true),
    sort: [SortKey] = [], distinct: [QueryPath] = [], limit: Int? = nil
  ) {
    self.source = source
    self.predicate = predicate
    self.sort = sort
    self.distinct = distinct
    self.limit = limit
  }
}

/// Why a query makes no sense for a schema: a mistake of the program, in words for its author.
public struct QueryError: Error, Hashable, Sendable, CustomStringConvertible {
  public var reason: String
  public init(_ reason: String) { self.reason = reason }
  public var description: String { reason }
}
