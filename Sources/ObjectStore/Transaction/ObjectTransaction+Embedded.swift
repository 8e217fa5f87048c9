import Storage

// Embedded objects belong to one link of another object: they are made through it and go with it.
// So do nested collections, but for being made before their link; see `NestedCollection`.
extension ObjectTransaction {
  /// A new embedded object in a link property, all of whose properties are null, zero or empty. The
  /// one that was there is deleted.
  @discardableResult
  public func createEmbedded(
    _ column: ColumnKey, of owner: ObjectKey, in table: TableKey
  ) throws(StorageError) -> ObjectKey {
    let state = try tables.open(table)
    let spec = properties.settable(state, column)
    precondition(spec.owns, "that property does not link to embedded objects")
    _ = try clusters.locate(state, owner)
    let key = try appendObject(try tables.open(spec.other))
    try properties.replaceLink(state, spec, column, owner, key)
    try deleteOrphans()
    return key
  }

  /// Puts new embedded objects into a list, the first at `index`, which may be the count.
  ///
  /// - Returns: the key of the first; those of the others follow it.
  @discardableResult
  public func listInsertEmbedded(
    count: Int = 1, at index: Int, _ column: ColumnKey, of owner: ObjectKey, in table: TableKey
  ) throws(StorageError) -> ObjectKey {
    let (state, spec) = try owningList(column, of: owner, in: table)
    let length = try lists.current(state, column, owner).count
    precondition(index >= 0 && index <= length, "list index out of bounds")
    let elements = try tables.open(spec.other)
    let first = elements.pointee.nextKey
    var links: [StoredValue] = []
    links.reserveCapacity(count)
    for _ in 0..<count { links.append(.link(spec.other, try appendObject(elements))) }
    try insertElements(links, at: index, spec, column, owner, in: table)
    return ObjectKey(rawValue: first)
  }

  /// Puts a new embedded object in the place of the element at `index`, which is deleted.
  @discardableResult
  public func listSetEmbedded(
    at index: Int, _ column: ColumnKey, of owner: ObjectKey, in table: TableKey
  ) throws(StorageError) -> ObjectKey {
    let (state, spec) = try owningList(column, of: owner, in: table)
    let old = try lists.current(state, column, owner).value(at: index)
    let key = try appendObject(try tables.open(spec.other))
    try setElement(
      .link(spec.other, key), insteadOf: old, at: index, spec, column, owner, in: table)
    try deleteOrphans()
    return key
  }

  /// Gives a key of a map a new embedded object; the one that it had is deleted.
  @discardableResult
  public func mapSetEmbedded(
    forKey key: String, _ property: PropertyDescription, of owner: ObjectKey, in table: TableKey
  ) throws(StorageError) -> ObjectKey {
    let place = try map(property, of: owner, in: table).place(of: key)
    if place.isFound {
      return try listSetEmbedded(at: place.index, property.columnKey, of: owner, in: table)
    }
    try listInsert(.string(key), at: place.index, property.keyColumn, of: owner, in: table)
    return try listInsertEmbedded(at: place.index, property.columnKey, of: owner, in: table)
  }

  private func owningList(
    _ column: ColumnKey, of owner: ObjectKey, in table: TableKey
  ) throws(StorageError) -> (State, ColumnSpec) {
    let state = try tables.open(table)
    let spec = lists.spec(state, column)
    precondition(spec.owns, "that list does not hold embedded objects")
    return (state, spec)
  }

  // MARK: Nested collections

  /// A new empty list or map. The link to it must become a property of any kind, or an element of a
  /// list or map of such, before the transaction is committed, and of one alone.
  public func createNested(
    _ kind: NestedCollection
  ) throws(StorageError) -> (table: TableKey, object: ObjectKey) {
    let table = try nestedTable(kind)
    return (table, try appendObject(try tables.open(table)))
  }

  private func nestedTable(_ kind: NestedCollection) throws(StorageError) -> TableKey {
    if let known = schema.description.description(of: kind.className) { return known.tableKey }
    let wanted = SchemaDescription(
      classes: [kind.description], version: schema.description.version)
    try tables.storeSchema(
      SchemaChange(from: schema.description, to: wanted, path: source.path).result)
    return schema.description.description(of: kind.className)!.tableKey
  }

  /// How many nested collections the one is in, itself included; no more than `most` are looked at.
  public func nestingLevel(
    of object: ObjectKey, in table: TableKey, upTo most: Int
  ) throws(StorageError) -> Int {
    try NestedOwners(transaction: self).level(of: object, in: table, upTo: most)
  }
}
