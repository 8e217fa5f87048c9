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

/// What is done with the objects that a predicate holds for.
public enum QueryStage: Hashable, Sendable {
  /// Orders them; most significant first. In ascending order null comes first, and what is behind a
  /// link to nothing last. Equal objects stay in the order that they had.
  case sort([SortKey])
  /// Keeps the first object of each combination of values at these paths, and none for which one of
  /// them is behind a link to nothing.
  case distinct([QueryPath])
  /// Keeps so many at most.
  case limit(Int)
}

/// A query: where the objects come from, which of them, and in what order.
public struct QueryDescription: Hashable, Sendable {
  public var source: QuerySource
  public var predicate: QueryPredicate
  /// What is done with the matches, one after the other. Without any they are in the order of the
  /// source.
  public private(set) var stages: [QueryStage] = []

  public init(
    _ source: QuerySource, where predicate: QueryPredicate = .constant(true),
    sort: [SortKey] = [], distinct: [QueryPath] = [], limit: Int? = nil
  ) {
    self.source = source
    self.predicate = predicate
    if !sort.isEmpty { append(.sort(sort)) }
    if !distinct.isEmpty { append(.distinct(distinct)) }
    if let limit { append(.limit(limit)) }
  }

  /// Adds what is to be done after all else.
  public mutating func append(_ stage: QueryStage) {
    switch (stage, stages.last) {
    case (.sort(let keys), _) where keys.isEmpty: return
    case (.sort(let keys), .sort(let earlier)):
      // A sort keeps the order of what is equal.
      stages[stages.count - 1] = .sort(keys + earlier)
    case (.limit(let count), .limit(let earlier)):
      stages[stages.count - 1] = .limit(min(count, earlier))
    default: stages.append(stage)
    }
  }

  /// Whether there is nothing but a sort, or not even that.
  public var hasAllMatches: Bool {
    stages.allSatisfy { if case .sort = $0 { true } else { false } }
  }

  /// Whether the first few objects can be found without all others: after a sort at most.
  public var hasHead: Bool {
    stages.allSatisfy { if case .distinct = $0 { false } else { true } } && stages.count <= 2
  }

  public var isSorted: Bool { stages.contains { if case .sort = $0 { true } else { false } } }
}

/// Why a query makes no sense for a schema: a mistake of the program, in words for its author.
public struct QueryError: Error, Hashable, Sendable, CustomStringConvertible {
  public var reason: String
  public init(_ reason: String) { self.reason = reason }
  public var description: String { reason }
}
