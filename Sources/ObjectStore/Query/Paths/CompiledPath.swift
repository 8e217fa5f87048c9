import Storage

/// A `QueryPath` resolved against a schema.
struct CompiledPath: Hashable, Sendable {
  /// A step from objects of one table to objects of another.
  enum Hop: Hashable, Sendable {
    case link(ColumnInfo)
    case list(ColumnInfo)
    /// One element of a list or map.
    case element(ColumnInfo, CompiledElement)
    /// Through the hidden `column`, to the objects of `origin` whose `originColumn` refers here.
    case backlinks(column: ColumnKey, origin: TableKey, originColumn: ColumnKey)

    var isMultiple: Bool {
      switch self {
      case .link, .element: false
      case .list, .backlinks: true
      }
    }

    /// The table that the hop leads to.
    var table: TableKey {
      switch self {
      case .link(let column), .list(let column), .element(let column, _): column.target
      case .backlinks(_, let origin, _): origin
      }
    }
  }

  /// What is at the end of the hops.
  enum End: Hashable, Sendable {
    /// A property that is no collection.
    case value(ColumnInfo)
    /// The elements of a list, or the keys of a map.
    case list(ColumnInfo)
    /// One element of a list or map.
    case element(ColumnInfo, CompiledElement)
    /// The objects that link to the object.
    case backlinks(column: ColumnKey, origin: TableKey, originColumn: ColumnKey)
    /// The objects of all classes that link to the object, which are counted only. The hops lead to
    /// those of each class and property from which there may be links.
    case links([Hop])
    /// The object itself.
    case object
    /// What steps into a value of any kind lead to; what that is the end of has no such steps.
    indirect case inside(End, [NestedStep])

    /// Whether it is one value, or some inside of one.
    var isValue: Bool {
      switch self {
      case .value, .element, .inside: true
      case .list, .backlinks, .links, .object: false
      }
    }

    var isMultiple: Bool {
      switch self {
      case .list, .backlinks, .links: true
      case .value, .element, .object: false
      case .inside(let end, let steps): end.isMultiple || steps.contains(.any)
      }
    }
  }

  var root: TableKey
  var hops: [Hop]
  var end: End

  /// The table that the last hop leads to.
  var lastTable: TableKey { hops.last?.table ?? root }

  /// Whether there may be any number of values rather than one.
  var isMultiple: Bool { hops.contains { $0.isMultiple } || end.isMultiple }

  /// Whether the path ends in a collection.
  var isCollection: Bool {
    switch end {
    case .list, .backlinks, .links: true
    case .value, .element, .object, .inside: false
    }
  }

  /// The table of the objects that the path ends in, if it ends in objects.
  var objectTable: TableKey? {
    switch end {
    case .value(let column), .list(let column), .element(let column, _):
      column.kind == .object ? column.target : nil
    case .backlinks(_, let origin, _): origin
    case .object: lastTable
    case .links, .inside: nil
    }
  }

  /// What kind of values the path ends in.
  var kind: ValueKind {
    switch end {
    case .value(let column), .list(let column), .element(let column, _): column.kind
    case .backlinks, .links, .object: .object
    case .inside: .any
    }
  }
}

/// Which element of a collection a path goes through.
enum CompiledElement: Hashable, Sendable {
  case index(Int)
  case last
  /// The value of a key, given in UTF-8; the keys are in a column of their own.
  case key([UInt8], of: ColumnKey)
}

/// Where a walk along a path stands: an object of a table.
struct PathPlace {
  var table: Table
  var position: ObjectPosition
}

extension CompiledPath {
  /// Calls `body` with each value at the end of the path, until it returns true.
  ///
  /// A link to nothing on the way gives null, unless there is a collection on the path: then it
  /// gives nothing.
  ///
  /// - Parameter isOnce: whether an object to which several ways lead need not be gone on from more
  ///   than once, since `body` only looks for a value. Where a class links to itself there are as
  ///   many ways as the length of its lists to the power of the number of steps.
  /// - Returns: whether `body` returned true.
  func any(
    _ context: EvaluationContext, from place: PathPlace, isOnce: Bool = false,
    _ body: (RowValue) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    try anyPlace(context, from: place, isOnce: isOnce) { (end) throws(StorageError) in
      guard let end else { return try body(.null) }
      return try self.end.any(context, at: end, isMultiple: isMultiple, body)
    }
  }

  /// The value at the end of a path without collections; nil if a link on the way leads to nothing.
  func single(
    _ context: EvaluationContext, from place: PathPlace
  ) throws(StorageError) -> RowValue? {
    var value: RowValue?
    _ = try anyPlace(context, from: place) { (end) throws(StorageError) in
      guard let end else { return true }
      return try self.end.any(context, at: end, isMultiple: false) {
        (found) throws(StorageError) in
        value = found
        return true
      }
    }
    return value
  }

  /// Calls `body` with each object that the hops lead to (nil for a link to nothing, if there is no
  /// collection on the path), until it returns true.
  ///
  /// - Parameter isOnce: as for `any`.
  func anyPlace(
    _ context: EvaluationContext, from place: PathPlace, isOnce: Bool = false,
    _ body: (PathPlace?) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    var seen = SeenPlaces(isOnce ? self : nil)
    return try walk(context, from: place, hop: 0, &seen, body)
  }

  private func walk(
    _ context: EvaluationContext, from place: PathPlace, hop index: Int, _ seen: inout SeenPlaces,
    _ body: (PathPlace?) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    guard index < hops.count else { return try body(place) }
    let hop = hops[index]
    guard let table = try context.table(hop.table) else { return false }
    switch hop {
    case .link, .element:
      try context.spend(1)
      guard let key = try hop.key(context, from: place), let position = try table.find(key) else {
        return isMultiple ? false : try body(nil)
      }
      let next = PathPlace(table: table, position: position)
      return try walk(context, from: next, hop: index + 1, &seen, body)
    case .list(let column):
      var leaves = try context.list(column, at: place).leaves()
      while let (vector, _) = try leaves.next() {
        try context.spend(vector.count)
        for row in 0..<vector.count {
          let key = ObjectKey(rawValue: vector.integer(row) &- 1)
          guard seen.isNew(key, after: index), let position = try table.find(key) else { continue }
          let next = PathPlace(table: table, position: position)
          if try walk(context, from: next, hop: index + 1, &seen, body) { return true }
        }
      }
      return false
    case .backlinks(let column, _, _):
      let view = try place.table.backlinks(column, at: place.position)
      let keys = try view.keys()
      try context.spend(keys.count)
      for key in keys {
        guard seen.isNew(key, after: index), let position = try table.find(key) else { continue }
        let next = PathPlace(table: table, position: position)
        if try walk(context, from: next, hop: index + 1, &seen, body) { return true }
      }
      return false
    }
  }

  /// Calls `body` with the size of each collection that the path leads to, until it returns true:
  /// how many elements it has, how long a string or data is, whether a link goes anywhere. A
  /// collection behind a link to nothing is empty, unless it is reached through another collection.
  func anyCount(
    _ context: EvaluationContext, from place: PathPlace,
    _ body: (RowValue) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    var isReached = false
    let isFound = try anyPlace(context, from: place, isOnce: true) { (end) throws(StorageError) in
      guard let place = end else { return false }
      isReached = true
      if self.end.isValue {
        return try self.end.any(context, at: place, isMultiple: isMultiple) {
          (value) throws(StorageError) in try body(try size(of: value, context))
        }
      }
      return try body(try size(context, at: place))
    }
    if isReached || isFound || hops.contains(where: \.isMultiple) { return isFound }
    return try body(.int(0))
  }

  private func size(
    _ context: EvaluationContext, at place: PathPlace
  ) throws(StorageError) -> RowValue {
    switch end {
    case .object: return .int(1)
    case .list(let column): return .int(Int64(try context.list(column, at: place).count))
    case .backlinks(let column, _, _):
      return .int(Int64(try place.table.backlinks(column, at: place.position).count))
    case .links:
      // Columns for links among values of any kind may have come since the query was compiled.
      let target = context.view.schema.description(of: place.table.key)
      var count = 0
      for backlink in target?.backlinks ?? [] {
        count += try place.table.backlinks(backlink.columnKey, at: place.position).count
      }
      return .int(Int64(count))
    case .value, .element, .inside: return .null
    }
  }

  private func size(
    of value: RowValue, _ context: EvaluationContext
  ) throws(StorageError) -> RowValue {
    switch value {
    case .string(let bytes), .data(let bytes): .int(Int64(bytes.count))
    case .link: .int(Int64(try context.nestedCount(value) ?? 1))
    default: kind == .object ? .int(0) : .null
    }
  }
}

extension CompiledPath.End {
  /// Calls `body` with each value at the end of a path, until it returns true.
  ///
  /// - Parameter isMultiple: whether the path leads to any number of values.
  func any(
    _ context: EvaluationContext, at place: PathPlace, isMultiple: Bool,
    _ body: (RowValue) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    switch self {
    case .value(let column):
      let vector = try place.position.cluster.vector(
        column.key, of: column.kind, in: context.source)
      return try body(try context.read(vector, place.position.row, column))
    case .element(let column, let element):
      return try body(try context.element(element, of: column, at: place))
    case .object:
      return try body(.link(place.table.key, place.position.key))
    case .list(let column):
      var leaves = try context.list(column, at: place).leaves()
      while let (vector, _) = try leaves.next() {
        try context.spend(vector.count)
        for row in 0..<vector.count
        where try body(try context.read(vector, row, column)) { return true }
      }
      return false
    case .backlinks(let column, let origin, _):
      let keys = try place.table.backlinks(column, at: place.position).keys()
      try context.spend(keys.count)
      for key in keys where try body(.link(origin, key)) { return true }
      return false
    case .links: return false
    case .inside(let end, let steps):
      return try end.any(context, at: place, isMultiple: isMultiple) {
        (value) throws(StorageError) in
        try context.any(inside: value, steps[...], isMultiple: isMultiple, body)
      }
    }
  }
}

extension CompiledPath.Hop {
  /// Where a link, or an element that is one, leads; nil if nowhere.
  fileprivate func key(
    _ context: EvaluationContext, from place: PathPlace
  ) throws(StorageError) -> ObjectKey? {
    switch self {
    case .link(let column): return try place.table.link(column.key, at: place.position)
    case .element(let column, let element):
      guard case .link(_, let key) = try context.element(element, of: column, at: place) else {
        return nil
      }
      return key
    case .list, .backlinks: return nil
    }
  }
}

extension EvaluationContext {
  /// One element of the list or map in `column` of an object; null if it is not there.
  func element(
    _ element: CompiledElement, of column: ColumnInfo, at place: PathPlace
  ) throws(StorageError) -> RowValue {
    let list = try list(column, at: place)
    var index: Int
    switch element {
    case .index(let wanted): index = wanted
    case .last: index = list.count - 1
    case .key(let key, let keyColumn):
      let keys = try ListView(
        root: place.table.listRoot(keyColumn, at: place.position), kind: .string,
        isOptional: false, target: .unassigned, in: source)
      index = try keys.firstIndex(ofSorted: key) ?? -1
    }
    guard index >= 0, index < list.count else { return .null }
    let (node, row) = try list.leaf(index)
    return try read(ColumnVector(node, of: column.kind, in: source), row, column)
  }

  /// The list in `column` of an object.
  func list(_ column: ColumnInfo, at place: PathPlace) throws(StorageError) -> ListView {
    try ListView(
      root: place.table.listRoot(column.key, at: place.position), kind: column.kind,
      isOptional: column.isOptional, target: column.target, in: source)
  }
}
