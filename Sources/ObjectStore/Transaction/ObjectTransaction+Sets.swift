import Storage

// Sets of an object: lists in the order of `SetOrder`. What reads lists reads sets, and their
// history is that of lists.
extension ObjectTransaction {
  /// Puts in those of the values that are not yet there.
  public func setInsert(
    _ values: [StoredValue], _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    if try list(column, of: object, in: table).count == 0 {
      // One run of leaves instead of a search for each value.
      let elements = Self.unique(values)
      try listInsert(contentsOf: elements, at: 0, column, of: object, in: table)
      return
    }
    for value in values {
      let place = try SetOrder.place(of: value, in: list(column, of: object, in: table))
      if !place.isFound { try listInsert(value, at: place.index, column, of: object, in: table) }
    }
  }

  /// Takes out those of the values that are there.
  package func setRemove(
    _ values: [StoredValue], _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    for value in values {
      let place = try SetOrder.place(of: value, in: list(column, of: object, in: table))
      if place.isFound {
        try listRemove(place.index..<place.index + 1, column, of: object, in: table)
      }
    }
  }

  /// The values in order, without all but the first of those that are equal.
  private static func unique(_ values: [StoredValue]) -> [StoredValue] {
    var elements: [StoredValue] = []
    for value in values.sorted(by: { SetOrder.compare($0, $1) == .less }) {
      if let last = elements.last, SetOrder.compare(last, value) == .equal { continue }
      elements.append(value)
    }
    return elements
  }
}
