import Storage

extension ObjectTransaction {
  /// Makes the file's schema hold everything that is wanted: new classes, new properties (null,
  /// zero or empty in existing objects), more or fewer indexes. What the file has beyond that
  /// stays, unused.
  ///
  /// - Returns: whether anything had to be changed.
  /// - Throws: `.schemaMismatch` naming every difference that needs a migration, or what is wrong
  ///   with the wanted schema; nothing has been changed then.
  @discardableResult
  public func apply(_ wanted: SchemaDescription) throws(StorageError) -> Bool {
    let change = try SchemaChange(
      from: schema.description, to: wanted, path: source.path)
    if change.isEmpty { return false }
    try store(change.result)
    for (table, column) in change.indexesToDrop {
      let state = try open(table)
      let slot = Int(column.indexSlot)
      try writer.releaseTree(state.pointee.node.node.reference(slot))
      state.pointee.node.setReference(slot, .none)
    }
    for (table, column) in change.datesToBegin { try beginDates(column, in: table) }
    for (table, column) in change.indexesToBuild {
      let state = try open(table)
      try buildIndex(state, column)
    }
    schemaChanged = true
    generation &+= 1
    return true
  }

  /// Gives all objects of a class that gets a date property the beginning of 1970 as its value,
  /// which is what a date that nobody has set is elsewhere; a row of zeros is that of 2001.
  private func beginDates(_ column: ColumnKey, in table: TableKey) throws(StorageError) {
    let state = try open(table)
    var keys: [ObjectKey] = []
    keys.reserveCapacity(min(state.pointee.count, 1 << 20))
    var clusters = try self.table(table).clusters()
    while let cluster = try clusters.next() {
      for row in 0..<cluster.count { keys.append(cluster.key(row)) }
    }
    for key in keys {
      let row = try locate(state, key)
      let leaf = state.pointee.leaf
      let old = leaf.node.reference(column.slot)
      let new = try DoubleCodec.set(
        writer, old, row: row, -978_307_200, isOptional: false, reserveRows: leaf.node.count)
      if new != old { leaf.setReference(column.slot, new) }
    }
  }

  /// Writes the schema, makes tables for new classes, and room for new indexes.
  func store(_ description: SchemaDescription) throws(StorageError) {
    let rootNode = try mutableRoot(tables: description.classes.count)
    // What could not be read again must not be written.
    guard SchemaCodec.fits(description) else {
      throw StorageError(
        .schemaMismatch, path: source.path,
        "the classes have more than \(SchemaCodec.columnsMax) properties, with those that were"
          + " removed; use fewer, or write a compact copy into a new file")
    }
    let bytes = SchemaCodec.encode(description)
    let node = try writer.remake(
      rootNode.node.reference(0), kind: .schema, count: bytes.count, dataSize: bytes.count)
    unsafe bytes.withUnsafeBytes {
      unsafe node.data.copyMemory(from: $0.baseAddress!, byteCount: $0.count)
    }
    node.setDataSize(bytes.count)
    rootNode.setReference(0, node.reference)
    for (index, table) in description.classes.enumerated() {
      let places = 1 + Int(table.indexSlotCount)
      let old = rootNode.node.reference(1 + index)
      if old.isNone {
        let new = writer.make(
          kind: .table, referenceCount: places, dataSize: TableNode.dataSize)
        rootNode.setReference(1 + index, new.reference)
        continue
      }
      let missing = places - (try source.node(old).referenceCount)
      if missing <= 0 { continue }
      let grown = try writer.mutable(old, growing: missing * 8)
      writer.setReferenceCount(grown, places)
      rootNode.setReference(1 + index, grown.reference)
    }
    try adopt(description)
  }

  /// The root, changeable, with a reference per table. It is made if the store is empty.
  private func mutableRoot(tables: Int) throws(StorageError) -> MutableNode {
    let node: MutableNode
    if root.isNone {
      node = writer.make(kind: .storeRoot, referenceCount: 1 + tables, count: tables)
    } else {
      let missing = 1 + tables - (try source.node(root).referenceCount)
      node = try writer.mutable(root, growing: max(0, missing) * 8)
      if missing > 0 { writer.setReferenceCount(node, 1 + tables) }
      node.setCount(tables)
    }
    root = node.reference
    return node
  }
}
