import Storage

/// The outcome of a query on one version, which can be carried on to later versions.
///
/// A value: it holds keys, not objects, and belongs to no thread.
public struct QueryResults: Sendable {
  /// What is remembered of the outcome.
  enum Contents: Sendable {
    /// All objects of the table in their order; nothing to remember but how many they are.
    case wholeTable(count: Int)
    case keys(KeyList)
  }

  public let query: CompiledQuery
  var contents: Contents

  /// Runs the query.
  public init(_ query: CompiledQuery, _ view: StoreView) throws(StorageError) {
    self.query = query
    if query.isWholeTable {
      contents = .wholeTable(count: try view.table(query.table)?.count ?? 0)
    } else {
      contents = .keys(KeyList(try query.evaluate(view)))
    }
  }

  init(_ query: CompiledQuery, _ contents: Contents) {
    self.query = query
    self.contents = contents
  }

  /// The objects, unless they are just all of the table.
  public var keys: KeyList? {
    if case .keys(let keys) = contents { keys } else { nil }
  }

  public var count: Int {
    switch contents {
    case .wholeTable(let count): count
    case .keys(let keys): keys.count
    }
  }

  /// The object at `index`, which must be below `count`.
  ///
  /// - Parameter view: the version that these are the results of.
  public func key(at index: Int, _ view: StoreView) throws(StorageError) -> ObjectKey {
    switch contents {
    case .wholeTable:
      guard let table = try view.table(query.table) else { preconditionFailure("no such table") }
      return try table.position(at: index).key
    case .keys(let keys): return keys[index]
    }
  }

  /// Where the object stands, or nil if it is not among the results.
  public func index(of key: ObjectKey, _ view: StoreView) throws(StorageError) -> Int? {
    switch contents {
    case .wholeTable: return try view.table(query.table)?.index(of: key)
    case .keys(let keys):
      guard query.isOrderedByKey else {
        guard query.isIncremental else { return keys.firstIndex(of: key) }
        return try query.sortedIndex(of: key, in: keys, EvaluationContext(view))
      }
      let index = keys.partition { $0 < key }
      return index < keys.count && keys[index] == key ? index : nil
    }
  }
}

extension CompiledQuery {
  /// Whether the results stand in the order of their keys, each of them once.
  var isOrderedByKey: Bool {
    guard isPlain, case .table = description.source else { return false }
    return true
  }

  /// The tables whose objects decide who belongs, and where.
  public var tables: Set<TableKey> {
    dependencies.reduce(into: [table]) { $0.formUnion($1.tables) }
  }

  /// Whether the results can be kept by looking at the objects that a change concerns.
  public var isIncremental: Bool {
    guard hasAllMatches, case .table = description.source else {
      return false
    }
    return true
  }
}
