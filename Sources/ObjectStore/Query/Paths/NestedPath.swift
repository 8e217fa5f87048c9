import Storage

/// A step into a list or map that is a value of any kind.
enum NestedStep: Hashable, Sendable {
  /// The value of a key, given in UTF-8, of a map.
  case key([UInt8])
  case index(Int)
  case first, last
  /// Any element of a list, or any value of a map.
  case any

  init(_ element: QueryPath.Element?) {
    switch element {
    case .key(let key): self = .key(Array(key.utf8))
    case .index(let index): self = .index(index)
    case .first: self = .first
    case .last: self = .last
    case nil: self = .any
    }
  }
}

extension EvaluationContext {
  /// Whether the value is a list or map rather than a link to an object, and of which kind.
  func nestedKind(_ value: RowValue) -> NestedCollection? {
    guard case .link(let table, _) = value else { return nil }
    return nestedClasses.first { $0.table == table }?.kind
  }

  /// Calls `body` with each value that the steps lead to, until it returns true. An element that is
  /// not there gives null, unless any of several are asked for: then it gives nothing.
  ///
  /// - Returns: whether `body` returned true.
  func any(
    inside value: RowValue, _ steps: ArraySlice<NestedStep>, isMultiple: Bool,
    _ body: (RowValue) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    guard let step = steps.first else { return try body(value) }
    guard let (list, keys) = try nestedList(value) else {
      return isMultiple ? false : try body(.null)
    }
    let rest = steps.dropFirst()
    let column = ColumnInfo(list)
    if step == .any {
      var leaves = list.leaves()
      while let (vector, _) = try leaves.next() {
        try spend(vector.count)
        for row in 0..<vector.count {
          let element = try read(vector, row, column)
          if try any(inside: element, rest, isMultiple: isMultiple, body) { return true }
        }
      }
      return false
    }
    guard let index = try Self.index(step, list, keys), index >= 0, index < list.count else {
      return isMultiple ? false : try body(.null)
    }
    let (node, row) = try list.leaf(index)
    let element = try read(ColumnVector(node, of: .any, in: source), row, column)
    return try any(inside: element, rest, isMultiple: isMultiple, body)
  }

  private static func index(
    _ step: NestedStep, _ list: ListView, _ keys: ListView?
  ) throws(StorageError) -> Int? {
    switch (step, keys) {
    case (.key(let key), let keys?): try keys.firstIndex(ofSorted: key)
    case (.index(let index), nil): index
    case (.first, nil): 0
    case (.last, nil): list.count - 1
    default: nil
    }
  }

  /// How many elements the value has if it is a list or map; nil for anything else.
  func nestedCount(_ value: RowValue) throws(StorageError) -> Int? {
    try nestedList(value)?.values.count
  }

  /// The elements of the value, and for a map its keys; nil if it is no list or map.
  private func nestedList(
    _ value: RowValue
  ) throws(StorageError) -> (values: ListView, keys: ListView?)? {
    guard case .link(let key, let object) = value,
      let kept = nestedClasses.first(where: { $0.table == key }),
      let table = try table(key), let position = try table.find(object)
    else { return nil }
    let values = try table.list(of: kept.elements, at: position)
    guard kept.kind == .map else { return (values, nil) }
    return (values, try table.list(of: kept.elements.mapKeys, at: position))
  }
}

/// A class of the file's own, as queries go through its objects.
struct NestedClass {
  let table: TableKey
  let kind: NestedCollection
  let elements: PropertyDescription

  /// Those of a schema: none, one or both.
  static func all(in schema: SchemaDescription) -> [NestedClass] {
    NestedCollection.allCases.compactMap { kind in
      guard let description = schema.description(of: kind.className),
        let elements = description.properties.first
      else { return nil }
      return NestedClass(table: description.tableKey, kind: kind, elements: elements)
    }
  }
}
