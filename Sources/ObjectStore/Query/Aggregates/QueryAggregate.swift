import Storage

extension CompiledQuery {
  /// An aggregate of a property over the results.
  ///
  /// - Parameters:
  ///   - path: a property of the objects, or of an object that they link to.
  /// - Returns: null if no object has a value (a sum is zero then). Sums and averages of floats are
  ///   doubles, averages of integers too.
  /// - Throws: `StorageError`; see `AggregateColumn` for wrong paths.
  public func aggregate(
    _ operation: AggregateOperation, _ column: AggregateColumn, _ view: StoreView
  ) throws(StorageError) -> StoredValue {
    let context = EvaluationContext(view)
    if !hasAllMatches {
      let keys = try evaluate(context, limit: nil)
      return try Self.aggregate(operation, column, keys, context, table)
    }
    guard let plain = column.plainColumn else {
      var aggregate = RowAggregate(operation, column.path.kind)
      try forEachMatch(context) { (rows, selection) throws(StorageError) in
        var left = selection
        while let row = left.popFirst() {
          try column.add(context, rows.place(row), to: &aggregate)
        }
        return false
      }
      return aggregate.result.stored
    }
    var aggregate = ColumnAggregate(operation, plain)
    try forEachMatch(context, reading: plain) { (rows, selection) throws(StorageError) in
      let vector = try rows.cluster.vector(plain.key, of: plain.kind, in: context.source)
      try aggregate.add(vector, selection, context)
      return false
    }
    return aggregate.result
  }

  private static func aggregate(
    _ operation: AggregateOperation, _ column: AggregateColumn,
    _ keys: ContiguousArray<ObjectKey>, _ context: EvaluationContext, _ table: TableKey
  ) throws(StorageError) -> StoredValue {
    var aggregate = RowAggregate(operation, column.path.kind)
    guard let table = try context.table(table) else { return aggregate.result.stored }
    for key in keys {
      guard let position = try table.find(key) else { continue }
      try column.add(context, PathPlace(table: table, position: position), to: &aggregate)
    }
    return aggregate.result.stored
  }
}

/// A property that can be aggregated, resolved against a schema.
public struct AggregateColumn: Sendable {
  let path: CompiledPath

  /// - Throws: `QueryError` if the path does not exist, goes through a collection, or ends in
  ///   something that has no such aggregate.
  public init(
    _ path: QueryPath, of table: TableKey, for operation: AggregateOperation,
    schema: SchemaDescription
  ) throws(QueryError) {
    let compiled = try PathCompiler(schema).compile(path, from: table)
    guard !compiled.isMultiple else {
      throw QueryError("Cannot aggregate '\(path.description)': it goes through a collection.")
    }
    guard AggregateRules.allow(operation, compiled.kind) else {
      throw QueryError(
        "Cannot calculate \(operation) of '\(path.description)': it is of kind \(compiled.kind).")
    }
    self.path = compiled
  }

  var plainColumn: ColumnInfo? {
    guard path.hops.isEmpty, case .value(let column) = path.end else { return nil }
    return column
  }

  func add(
    _ context: EvaluationContext, _ place: PathPlace, to aggregate: inout RowAggregate
  ) throws(StorageError) {
    var found = RowValue.null
    _ = try path.any(context, from: place) { (value) throws(StorageError) in
      found = value
      return true
    }
    aggregate.add(found)
  }
}

/// Which kinds have which aggregates.
enum AggregateRules {
  static func allow(_ operation: AggregateOperation, _ kind: ValueKind) -> Bool {
    switch kind {
    case .int, .float, .double, .decimal128, .any: true
    case .date, .string: operation == .minimum || operation == .maximum
    default: false
    }
  }
}

extension ListView {
  /// An aggregate over the elements of a list of numbers or dates (`AggregateRules`: others have
  /// none and give null).
  public func aggregate(_ operation: AggregateOperation) throws(StorageError) -> StoredValue {
    guard AggregateRules.allow(operation, kind) else { return .null }
    let context = EvaluationContext(self)
    let column = ColumnInfo(self)
    var aggregate = RowAggregate(operation, kind)
    var leaves = leaves()
    while let (vector, _) = try leaves.next() {
      for row in 0..<vector.count { aggregate.add(try context.read(vector, row, column)) }
    }
    return withExtendedLifetime(context) { aggregate.result.stored }
  }
}
