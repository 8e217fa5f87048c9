import Storage

/// A query for the objects of a table that hold a value in one indexed property: answered by the
/// index, for less than it takes to compile a query.
public struct IndexedEquality {
  private let index: ColumnIndex
  private let value: StoredValue

  /// Nil if the query is anything else, or there is no such index.
  ///
  /// - Parameters:
  ///   - schema: of what the query is run on.
  ///   - table: that of the query's source. Only asked for where the schema has it.
  public init?(
    _ query: QueryDescription, _ schema: StoredSchema, _ table: @autoclosure () -> Table
  ) throws(StorageError) {
    guard case .table(let key) = query.source, query.stages.isEmpty,
      case .compare(.path(let path), .equal, .value(let value), let options) = query.predicate,
      options.isEmpty, path.steps.count == 1, case .property(let name) = path.steps[0],
      let property = schema.description.property(named: name, of: key),
      property.indexSlot != 0, property.collection == .none, !property.isFullText,
      Self.isAnswered(value, property.kind), let index = try table().index(of: property)
    else { return nil }
    self.index = index
    self.value = value
  }

  /// Constants of the property's own kind, which are found as they are.
  private static func isAnswered(_ value: StoredValue, _ kind: ValueKind) -> Bool {
    switch (value, kind) {
    case (.int, .int), (.bool, .bool), (.string, .string): true
    default: false
    }
  }

  /// How many objects hold the value.
  public var count: Int { get throws(StorageError) { try index.count(equal: value) } }

  /// The first of them, nil if there is none.
  public var first: ObjectKey? {
    get throws(StorageError) { try index.firstKey(equal: value) }
  }
}
