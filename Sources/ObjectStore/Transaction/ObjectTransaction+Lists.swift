import Storage

// Lists of an object. Indexes out of bounds and values that do not fit trap.
extension ObjectTransaction {
  func listWriter(_ spec: ColumnSpec) -> ListTreeWriter {
    ListTreeWriter(
      writer: writer, kind: spec.kind, isOptional: spec.isOptional, limits: tables.limits)
  }

  func listSpec(_ state: State, _ column: ColumnKey) -> ColumnSpec {
    precondition(column.slot < state.pointee.columns.count, "no such column")
    let spec = state.pointee.columns[column.slot]
    precondition(spec.isList, "that column is no list")
    return spec
  }

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

  /// The same on the way to a change.
  func currentList(
    _ state: State, _ column: ColumnKey, _ object: ObjectKey
  ) throws(StorageError) -> ListView {
    let spec = listSpec(state, column)
    let row = try clusters.locate(state, object)
    let reference = state.pointee.leaf.node.reference(column.slot)
    var root = NodeReference.none
    if !reference.isNone {
      let node = try source.node(reference, .referenceVector)
      if row < node.count { root = node.reference(row) }
    }
    return try ListView(
      root: root, kind: spec.kind, isOptional: spec.isOptional, target: spec.other, in: source)
  }

  func storeListRoot(
    _ state: State, _ column: ColumnKey, _ object: ObjectKey, _ root: NodeReference
  ) throws(StorageError) {
    let row = try clusters.locate(state, object)
    let old = state.pointee.leaf.node.reference(column.slot)
    let new = try ReferenceVectorWriter.set(writer, old, row: row, root)
    if new != old { state.pointee.leaf.setReference(column.slot, new) }
  }

  func record(
    _ state: State, _ column: ColumnKey, _ object: ObjectKey, _ operation: ListOperation
  ) {
    state.pointee.history.list(object.rawValue, column.rawValue, operation)
    generation &+= 1
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
    let spec = listSpec(try tables.open(table), column)
    precondition(
      !spec.owns || values.allSatisfy { $0 == .null },
      "an embedded object is made through its owner")
    try insertElements(values, at: index, spec, column, object, in: table)
  }

  func insertElements(
    _ values: some Collection<StoredValue>, at index: Int, _ spec: ColumnSpec,
    _ column: ColumnKey, _ object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let editor = listWriter(spec)
    for value in values { try links.addElementLink(value, spec, column, object, in: table) }
    let state = try tables.open(table)
    let list = try currentList(state, column, object)
    precondition(index >= 0 && index <= list.count, "list index out of bounds")
    var root = list.root
    var place = index
    for value in values {
      root = try editor.insert(root, at: place, value)
      place += 1
    }
    if place == index { return }
    try storeListRoot(state, column, object, root)
    record(state, column, object, .insert(index: index, count: place - index))
  }

  /// Replaces the element at `index`.
  public func listSet(
    _ value: StoredValue, at index: Int, _ column: ColumnKey, of object: ObjectKey,
    in table: TableKey
  ) throws(StorageError) {
    let spec = listSpec(try tables.open(table), column)
    let old = try currentList(try tables.open(table), column, object).value(at: index)
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
    let list = try currentList(state, column, object)
    let root = try listWriter(spec).set(list.root, at: index, value)
    try storeListRoot(state, column, object, root)
    record(state, column, object, .set(index: index))
  }

  /// Takes the elements at `indexes` out.
  public func listRemove(
    _ indexes: Range<Int>, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let spec = listSpec(try tables.open(table), column)
    let editor = listWriter(spec)
    let before = try currentList(try tables.open(table), column, object)
    precondition(
      indexes.lowerBound >= 0 && indexes.upperBound <= before.count, "list index out of bounds")
    if indexes.isEmpty { return }
    if indexes.count == before.count { return try listClear(column, of: object, in: table) }
    if spec.kind == .object || spec.kind == .any {
      for index in indexes {
        let value = try currentList(try tables.open(table), column, object).value(at: index)
        try links.removeElementLink(value, spec, column, object, in: table)
      }
    }
    let state = try tables.open(table)
    var root = try currentList(state, column, object).root
    for index in indexes.reversed() { root = try editor.remove(root, at: index) }
    try storeListRoot(state, column, object, root)
    record(
      state, column, object, .remove(index: indexes.lowerBound, count: indexes.count))
    try deleteOrphans()
  }

  /// Takes the element at `from` out and puts it where it has index `to` afterwards.
  public func listMove(
    from: Int, to: Int, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let state = try tables.open(table)
    let spec = listSpec(state, column)
    let editor = listWriter(spec)
    let list = try currentList(state, column, object)
    precondition(to >= 0 && to < list.count, "list index out of bounds")
    let value = try list.value(at: from)
    let without = try editor.remove(list.root, at: from)
    try storeListRoot(
      state, column, object, try editor.insert(without, at: to, value))
    record(state, column, object, .move(from: from, to: to))
  }

  /// Exchanges two elements.
  public func listSwap(
    _ left: Int, _ right: Int, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let state = try tables.open(table)
    let editor = listWriter(listSpec(state, column))
    let list = try currentList(state, column, object)
    let first = try list.value(at: left)
    let second = try list.value(at: right)
    let half = try editor.set(list.root, at: left, second)
    try storeListRoot(state, column, object, try editor.set(half, at: right, first))
    record(state, column, object, .swap(left, right))
  }

  /// Takes all elements out.
  public func listClear(
    _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let spec = listSpec(try tables.open(table), column)
    let list = try currentList(try tables.open(table), column, object)
    try links.removeListBacklinks(list, spec, column, object, in: table)
    let state = try tables.open(table)
    let root = try currentList(state, column, object).root
    if !root.isNone {
      try storeListRoot(state, column, object, .none)
      try writer.releaseTree(root)
    }
    record(state, column, object, .clear)
    try deleteOrphans()
  }
}
