import Storage

/// A `QueryPath` resolved against a schema.
struct CompiledPath: Hashable, Sendable {
  /// A step from objects of one table to objects of another.
  enum Hop: Hashable, Sendable {
    case link(ColumnInfo)
    case list(ColumnInfo)
    /// Through the hidden `column`, to the objects of `origin` whose `originColumn` refers here.
    case backlinks(column: ColumnKey, origin: TableKey, originColumn: ColumnKey)

    var isMultiple: Bool { if case .link = self { false } else { true } }

    /// The table that the hop leads to.
    var table: TableKey {
      switch self {
      case .link(let column), .list(let column): column.target
      case .backlinks(_, let origin, _): origin
      }
    }
  }

  /// What is at the end of the hops.
  enum End: Hashable, Sendable {
    /// A property that is no collection.
    case value(ColumnInfo)
    /// The elements of a list.
    case list(ColumnInfo)
    /// The objects that link to the object.
    case backlinks(column: ColumnKey, origin: TableKey, originColumn: ColumnKey)
    /// The object itself.
    case object
  }

  var root: TableKey
  var hops: [Hop]
  var end: End

  /// The table that the last hop leads to.
  var lastTable: TableKey { hops.last?.table ?? root }

  /// Whether there may be any number of values rather than one.
  var isMultiple: Bool { hops.contains { $0.isMultiple } || isCollection }

  /// Whether the path ends in a collection.
  var isCollection: Bool {
    switch end {
    case .list, .backlinks: true
    case .value, .object: false
    }
  }

  /// The table of the objects that the path ends in, if it ends in objects.
  var objectTable: TableKey? {
    switch end {
    case .value(let column), .list(let column): column.kind == .object ? column.target : nil
    case .backlinks(_, let origin, _): origin
    case .object: lastTable
    }
  }

  /// What kind of values the path ends in.
  var kind: ValueKind {
    switch end {
    case .value(let column), .list(let column): column.kind
    case .backlinks, .object: .object
    }
  }
}

/// Where a walk along a path stands: an object of a table.
struct PathPlace {
  var table: Table
  var position: ObjectPosition
}

extension CompiledPath {
  /// Calls `body` with each value at the end of the path, until it returns true.
  ///
  /// A link to nothing on the way gives null, unless there is a collection further on: then it
  /// gives nothing.
  ///
  /// - Returns: whether `body` returned true.
  func any(
    _ context: EvaluationContext, from place: PathPlace,
    _ body: (RowValue) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    try anyPlace(context, from: place, hop: 0) { (end) throws(StorageError) in
      guard let end else { return isCollection ? false : try body(.null) }
      return try anyEnd(context, at: end, body)
    }
  }

  /// Calls `body` with each object that the hops lead to (nil for a link to nothing that no
  /// collection follows), until it returns true.
  func anyPlace(
    _ context: EvaluationContext, from place: PathPlace, hop index: Int,
    _ body: (PathPlace?) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    guard index < hops.count else { return try body(place) }
    let hop = hops[index]
    guard let table = try context.table(hop.table) else { return false }
    switch hop {
    case .link(let column):
      guard let key = try place.table.link(column.key, at: place.position),
        let position = try table.find(key)
      else {
        return hops[index...].contains { $0.isMultiple } ? false : try body(nil)
      }
      let next = PathPlace(table: table, position: position)
      return try anyPlace(context, from: next, hop: index + 1, body)
    case .list(let column):
      var leaves = try context.list(column, at: place).leaves()
      while let (vector, _) = try leaves.next() {
        for row in 0..<vector.count {
          guard let position = try table.find(ObjectKey(rawValue: vector.integer(row) &- 1))
          else { continue }
          let next = PathPlace(table: table, position: position)
          if try anyPlace(context, from: next, hop: index + 1, body) { return true }
        }
      }
      return false
    case .backlinks(let column, _, _):
      let view = try place.table.backlinks(column, at: place.position)
      for key in try view.keys() {
        guard let position = try table.find(key) else { continue }
        let next = PathPlace(table: table, position: position)
        if try anyPlace(context, from: next, hop: index + 1, body) { return true }
      }
      return false
    }
  }

  private func anyEnd(
    _ context: EvaluationContext, at place: PathPlace,
    _ body: (RowValue) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    switch end {
    case .value(let column):
      let vector = try place.position.cluster.vector(
        column.key, of: column.kind, in: context.source)
      return try body(try context.read(vector, place.position.row, column))
    case .object:
      return try body(.link(place.table.key, place.position.key))
    case .list(let column):
      var leaves = try context.list(column, at: place).leaves()
      while let (vector, _) = try leaves.next() {
        for row in 0..<vector.count
        where try body(try context.read(vector, row, column)) { return true }
      }
      return false
    case .backlinks(let column, let origin, _):
      for key in try place.table.backlinks(column, at: place.position).keys()
      where try body(.link(origin, key)) { return true }
      return false
    }
  }

  /// How many values there are; no value at all for a link to nothing.
  func count(
    _ context: EvaluationContext, from place: PathPlace
  ) throws(StorageError) -> Int {
    var total = 0
    _ = try anyPlace(context, from: place, hop: 0) { (end) throws(StorageError) in
      guard let end else { return false }
      switch self.end {
      case .value, .object: total += 1
      case .list(let column): total += try context.list(column, at: end).count
      case .backlinks(let column, _, _):
        total += try end.table.backlinks(column, at: end.position).count
      }
      return false
    }
    return total
  }
}

extension EvaluationContext {
  /// The list in `column` of an object.
  func list(_ column: ColumnInfo, at place: PathPlace) throws(StorageError) -> ListView {
    try ListView(
      root: place.table.listRoot(column.key, at: place.position), kind: column.kind,
      isOptional: column.isOptional, target: column.target, in: source)
  }
}
