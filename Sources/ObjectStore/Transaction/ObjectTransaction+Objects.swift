import Storage

extension ObjectTransaction {
  /// A new object of a class without a primary key, all of whose properties are null, zero or
  /// empty. Embedded objects are made through their owners.
  ///
  /// - Parameter isFilled: that its properties will be set at once and then `finishFilling` called.
  @discardableResult
  public func createObject(
    in table: TableKey, isFilled: Bool = false
  ) throws(StorageError) -> ObjectKey {
    let state = try tables.open(table)
    let layout = schema.layouts[Int(table.rawValue)]
    precondition(layout.primaryKey == nil, "an object of that class needs a primary key")
    precondition(!layout.isEmbedded, "an embedded object is made through its owner")
    return try appendObject(state, isFilled: isFilled)
  }

  /// Adds a row of defaults.
  func appendObject(
    _ state: State, isFilled: Bool = false
  ) throws(StorageError) -> ObjectKey {
    let key = state.pointee.nextKey
    try append(state, key, except: nil, isFilled: isFilled)
    return ObjectKey(rawValue: key)
  }

  /// The object with that integer primary key: the existing one, or a new one.
  ///
  /// - Parameter isFilled: that the properties of a new one will be set at once and then
  ///   `finishFilling` called.
  @discardableResult
  public func createObject(
    in table: TableKey, primaryKey: Int64, isFilled: Bool = false
  ) throws(StorageError) -> (key: ObjectKey, isNew: Bool) {
    let state = try tables.open(table)
    guard let column = schema.layouts[Int(table.rawValue)].primaryKey else {
      preconditionFailure("that class has no primary key")
    }
    let spec = state.pointee.columns[column.slot]
    precondition(spec.kind == .int, "the primary key is of another kind")
    let key = state.pointee.nextKey
    if let existing = try indexes.insertUnique(state, spec, value: primaryKey, key: key) {
      return (ObjectKey(rawValue: existing), false)
    }
    try append(state, key, except: column, isFilled: isFilled)
    let leaf = state.pointee.leaf
    let old = leaf.node.reference(column.slot)
    let row = leaf.node.count &- 1
    let new = try IntegerCodec.set(
      writer, old, row: row, primaryKey, isOptional: spec.isOptional,
      reserveRows: clusters.reserveRows(state, spec.kind, old, row: row))
    if new != old { leaf.setReference(column.slot, new) }
    return (ObjectKey(rawValue: key), true)
  }

  /// The object with that primary key: the existing one, or a new one.
  ///
  /// - Parameter isFilled: that the properties of a new one will be set at once and then
  ///   `finishFilling` called.
  @discardableResult
  public func createObject(
    in table: TableKey, primaryKey: StoredValue, isFilled: Bool = false
  ) throws(StorageError) -> (key: ObjectKey, isNew: Bool) {
    if case .int(let value) = primaryKey {
      return try createObject(in: table, primaryKey: value, isFilled: isFilled)
    }
    let state = try tables.open(table)
    guard let property = schema.description.classes[Int(table.rawValue)].primaryKey else {
      preconditionFailure("that class has no primary key")
    }
    if let existing = try self.table(table).find(primaryKey: primaryKey, property) {
      return (existing, false)
    }
    let column = property.columnKey
    let spec = state.pointee.columns[column.slot]
    let key = state.pointee.nextKey
    try append(state, key, except: column, isFilled: isFilled)
    try indexes.insert(
      state, spec, IndexValue.of(primaryKey, in: spec.kind), ObjectKey(rawValue: key))
    let leaf = state.pointee.leaf
    let old = leaf.node.reference(column.slot)
    let new = try VectorWriter.set(
      writer, old, row: leaf.node.count - 1, primaryKey, kind: spec.kind,
      isOptional: spec.isOptional)
    if new != old { leaf.setReference(column.slot, new) }
    return (ObjectKey(rawValue: key), true)
  }

  /// Adds a row of defaults, which becomes the last one of the cluster at hand, and puts it into
  /// the indexes but that of `column`.
  @inline(__always)
  private func append(
    _ state: State, _ key: Int64, except column: ColumnKey?, isFilled: Bool
  ) throws(StorageError) {
    try indexes.insertUnfilled(state)
    try clusters.appendRow(state, key)
    state.pointee.nextKey = key &+ 1
    state.pointee.created &+= 1
    tables.generation &+= 1
    if schema.layouts[Int(state.pointee.key.rawValue)].indexCount > (column == nil ? 0 : 1) {
      try indexes.insertDefaults(state, key, except: column, isFilled: isFilled)
    }
  }

  // MARK: Filling

  /// The object that `createObject` has made last is in its indexes afterwards, by the
  /// values that it has.
  public func finishFilling(_ table: TableKey) throws(StorageError) {
    // A table that is not open has none, and asking is no reason to open it for writing.
    if let state = tables.stateIfOpen(Int(table.rawValue)) { try indexes.insertUnfilled(state) }
  }

  /// The same in all tables, before a query looks into indexes.
  public func finishFilling() throws(StorageError) {
    for index in 0..<tables.tableCount {
      if let state = tables.stateIfOpen(index) { try indexes.insertUnfilled(state) }
    }
  }

  // MARK: Deleting

  /// Deletes an object and the embedded ones that belong to it: links to it become null, lists lose
  /// it.
  public func deleteObject(_ key: ObjectKey, in table: TableKey) throws(StorageError) {
    let deletion = ObjectDeletion(transaction: self)
    try deletion.remove(key, in: table)
    try deletion.removeOrphans()
  }

  /// Deletes many objects and the embedded ones that belong to them, faster than one by one; keys
  /// that no object has are passed over.
  public func deleteObjects(_ keys: [ObjectKey], in table: TableKey) throws(StorageError) {
    let deletion = ObjectDeletion(transaction: self)
    try deletion.remove(keys, in: table)
    try deletion.removeOrphans()
  }

  /// Deletes all objects of a class, and the embedded ones that belong to them.
  public func deleteAllObjects(in table: TableKey) throws(StorageError) {
    try ObjectDeletion(transaction: self).removeAll(in: table)
  }

  /// Deletes the embedded objects whose links have gone, and what those own in turn.
  func deleteOrphans() throws(StorageError) {
    if !tables.orphans.isEmpty { try ObjectDeletion(transaction: self).removeOrphans() }
  }

  /// From here on, embedded objects and nested collections whose links go stay as they are, so that
  /// what takes their place can be copied from them. Each call needs one of `releaseOrphans`.
  public func keepOrphans() { orphanHolds += 1 }

  /// Ends what `keepOrphans` began; the last one deletes what has no link any more.
  public func releaseOrphans() throws(StorageError) {
    orphanHolds -= 1
    try deleteOrphans()
  }
}
