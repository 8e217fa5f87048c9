import Storage

// Lists, sets and maps of an object. Indexes out of bounds and values that do not fit trap.
extension ObjectTransaction {
  /// The list as it is now; good until the next change. Reading changes nothing.
  public func list(
    _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) -> ListView {
    let layout = schema.layouts[Int(table.rawValue)]
    precondition(
      column.slot < layout.columns.count && layout.columns[column.slot].isList,
      "that column is no list")
    let spec = layout.columns[column.slot]
    let stored = try self.table(table)
    guard let position = try stored.find(object) else {
      throw source.corrupt(
        tables.root, "object \(object.rawValue) of table \(table.rawValue) was expected")
    }
    return try ListView(
      root: stored.listRoot(column, at: position), kind: spec.kind, isOptional: spec.isOptional,
      target: spec.other, in: source)
  }

  /// Changes what is below the root of a list of that kind. Made of the transaction's own `writer`,
  /// for the reason that is given there.
  func treeWriter(_ spec: ColumnSpec) -> ListTreeWriter {
    ListTreeWriter(
      writer: writer, kind: spec.kind, isOptional: spec.isOptional, limits: tables.limits)
  }

  /// Puts an element in at `index`, which may be the count.
  public func listInsert(
    _ value: StoredValue, at index: Int, _ column: ColumnKey, of object: ObjectKey,
    in table: TableKey
  ) throws(StorageError) {
    try listInsert(
      contentsOf: CollectionOfOne(value), at: index, column, of: object, in: table)
  }

  /// Puts several elements in, the first at `index`, which may be the count.
  public func listInsert(
    contentsOf values: some Collection<StoredValue>, at index: Int, _ column: ColumnKey,
    of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let spec = lists.spec(try tables.open(table), column)
    precondition(
      !spec.owns || values.allSatisfy { $0 == .null },
      "an embedded object is made through its owner")
    try insertElements(values, at: index, spec, column, object, in: table)
  }

  func insertElements(
    _ values: some Collection<StoredValue>, at index: Int, _ spec: ColumnSpec,
    _ column: ColumnKey, _ object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let editor = treeWriter(spec)
    for value in values { try links.addElementLink(value, spec, column, object, in: table) }
    let state = try tables.open(table)
    let list = try lists.current(state, column, object)
    precondition(index >= 0 && index <= list.count, "list index out of bounds")
    var root = list.root
    var place = index
    for value in values {
      root = try editor.insert(root, at: place, value)
      place += 1
    }
    if place == index { return }
    try lists.storeRoot(state, column, object, root)
    lists.record(state, column, object, .insert(index: index, count: place - index))
  }

  /// Replaces the element at `index`.
  public func listSet(
    _ value: StoredValue, at index: Int, _ column: ColumnKey, of object: ObjectKey,
    in table: TableKey
  ) throws(StorageError) {
    let spec = lists.spec(try tables.open(table), column)
    let old = try lists.current(try tables.open(table), column, object).value(at: index)
    precondition(
      !spec.owns || value == .null || value == old, "an embedded object is made through its owner")
    try setElement(value, insteadOf: old, at: index, spec, column, object, in: table)
    try deleteOrphans()
  }

  func setElement(
    _ value: StoredValue, insteadOf old: StoredValue, at index: Int, _ spec: ColumnSpec,
    _ column: ColumnKey, _ object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    if old != value {
      try links.removeElementLink(old, spec, column, object, in: table)
      try links.addElementLink(value, spec, column, object, in: table)
    }
    let state = try tables.open(table)
    let list = try lists.current(state, column, object)
    let root = try treeWriter(spec).set(list.root, at: index, value)
    try lists.storeRoot(state, column, object, root)
    lists.record(state, column, object, .set(index: index))
  }

  /// Takes the elements at `indexes` out.
  public func listRemove(
    _ indexes: Range<Int>, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let spec = lists.spec(try tables.open(table), column)
    let editor = treeWriter(spec)
    let before = try lists.current(try tables.open(table), column, object)
    precondition(
      indexes.lowerBound >= 0 && indexes.upperBound <= before.count, "list index out of bounds")
    if indexes.isEmpty { return }
    if indexes.count == before.count { return try listClear(column, of: object, in: table) }
    if spec.kind == .object || spec.kind == .any {
      for index in indexes {
        let value = try lists.current(try tables.open(table), column, object).value(at: index)
        try links.removeElementLink(value, spec, column, object, in: table)
      }
    }
    let state = try tables.open(table)
    var root = try lists.current(state, column, object).root
    for index in indexes.reversed() { root = try editor.remove(root, at: index) }
    try lists.storeRoot(state, column, object, root)
    lists.record(
      state, column, object, .remove(index: indexes.lowerBound, count: indexes.count))
    try deleteOrphans()
  }

  /// Takes the element at `from` out and puts it where it has index `to` afterwards.
  public func listMove(
    from: Int, to: Int, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let state = try tables.open(table)
    let spec = lists.spec(state, column)
    let editor = treeWriter(spec)
    let list = try lists.current(state, column, object)
    precondition(to >= 0 && to < list.count, "list index out of bounds")
    let value = try list.value(at: from)
    let without = try editor.remove(list.root, at: from)
    try lists.storeRoot(
      state, column, object, try editor.insert(without, at: to, value))
    lists.record(state, column, object, .move(from: from, to: to))
  }

  /// Exchanges two elements.
  public func listSwap(
    _ left: Int, _ right: Int, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let state = try tables.open(table)
    let editor = treeWriter(lists.spec(state, column))
    let list = try lists.current(state, column, object)
    let first = try list.value(at: left)
    let second = try list.value(at: right)
    let half = try editor.set(list.root, at: left, second)
    try lists.storeRoot(state, column, object, try editor.set(half, at: right, first))
    lists.record(state, column, object, .swap(left, right))
  }

  /// Takes all elements out.
  public func listClear(
    _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let spec = lists.spec(try tables.open(table), column)
    let list = try lists.current(try tables.open(table), column, object)
    try links.removeListBacklinks(list, spec, column, object, in: table)
    let state = try tables.open(table)
    let root = try lists.current(state, column, object).root
    if !root.isNone {
      try lists.storeRoot(state, column, object, .none)
      try writer.releaseTree(root)
    }
    lists.record(state, column, object, .clear)
    try deleteOrphans()
  }

  // MARK: Sets

  // Lists in the order of `SetOrder`. What reads lists reads sets, and their history is that of
  // lists.

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

  // MARK: Maps

  // A list of values, and in a hidden column the set of their keys.

  package func map(
    _ property: PropertyDescription, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) -> MapView {
    MapView(
      keys: try list(property.keyColumn, of: object, in: table),
      values: try list(property.columnKey, of: object, in: table))
  }

  /// Gives a key a value, which it did or did not have.
  public func mapSet(
    _ value: StoredValue, forKey key: String, _ property: PropertyDescription,
    of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let place = try map(property, of: object, in: table).place(of: key)
    if place.isFound {
      return try listSet(value, at: place.index, property.columnKey, of: object, in: table)
    }
    try listInsert(.string(key), at: place.index, property.keyColumn, of: object, in: table)
    try listInsert(value, at: place.index, property.columnKey, of: object, in: table)
  }

  /// Takes a key out, if it is there, and its value with it.
  package func mapRemove(
    _ key: String, _ property: PropertyDescription, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let place = try map(property, of: object, in: table).place(of: key)
    guard place.isFound else { return }
    let range = place.index..<place.index + 1
    try listRemove(range, property.keyColumn, of: object, in: table)
    try listRemove(range, property.columnKey, of: object, in: table)
  }

  /// Takes all keys out.
  public func mapClear(
    _ property: PropertyDescription, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try listClear(property.keyColumn, of: object, in: table)
    try listClear(property.columnKey, of: object, in: table)
  }
}
