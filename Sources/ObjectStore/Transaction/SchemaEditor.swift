import Storage

/// Changes the schema of a store within a transaction, and brings what is stored along.
struct SchemaEditor {
  let transaction: ObjectTransaction

  private var tables: OpenTables { transaction.tables }
  private var schema: StoredSchema { transaction.schema }
  private var source: NodeSource { transaction.source }
  private var writer: NodeWriter { transaction.writer }

  /// Makes the file's schema hold everything that is wanted: new classes, new properties (null,
  /// zero or empty in existing objects), more or fewer indexes. What the file has beyond that
  /// stays, unused.
  ///
  /// - Returns: whether anything had to be changed.
  /// - Throws: `.schemaMismatch` naming every difference that needs a migration, or what is wrong
  ///   with the wanted schema; nothing has been changed then.
  @discardableResult
  func apply(
    _ wanted: SchemaDescription, areSynced: Bool
  ) throws(StorageError) -> Bool {
    let change = try SchemaChange(
      from: schema.description, to: wanted, path: source.path)
    if change.isEmpty { return false }
    try tables.storeSchema(change.result)
    for (table, column) in change.indexesToDrop {
      let state = try tables.open(table)
      let slot = Int(column.indexSlot)
      try writer.releaseTree(state.pointee.node.node.reference(slot))
      state.pointee.node.setReference(slot, .none)
    }
    if !areSynced {
      for (table, column) in change.datesToBegin { try beginDates(column, in: table) }
    }
    for (table, column) in change.indexesToBuild {
      let state = try tables.open(table)
      try transaction.indexes.build(state, column)
    }
    noteChange()
    return true
  }

  /// Gives all objects of a class that gets a date property the beginning of 1970 as its value,
  /// which is what a date that nobody has set is elsewhere; a row of zeros is that of 2001.
  private func beginDates(_ column: ColumnKey, in table: TableKey) throws(StorageError) {
    let state = try tables.open(table)
    for key in try transaction.table(table).allKeys() {
      let row = try transaction.clusters.locate(state, key)
      let leaf = state.pointee.leaf
      let old = leaf.node.reference(column.slot)
      let new = try DoubleCodec.set(
        writer, old, row: row, -978_307_200, isOptional: false, reserveRows: leaf.node.count)
      if new != old { leaf.setReference(column.slot, new) }
    }
  }

  func noteChange() {
    tables.schemaChanged = true
    tables.generation &+= 1
  }

  // MARK: Taking out of the file

  /// Takes away everything that the file holds.
  func reset() throws(StorageError) {
    // Properties first: objects without links are gone at once, and so is a class without them.
    for description in schema.description.classes {
      for property in description.properties {
        try dropProperty(property.name, of: description.tableKey)
      }
    }
    for description in schema.description.classes where !description.isRemoved {
      try removeClass(description.name)
    }
    var changed = schema.description
    changed.version = 0
    try tables.storeSchema(changed)
    noteChange()
  }

  /// Takes a property away, with its values, its index, and the backlinks of its links.
  func dropProperty(_ name: String, of table: TableKey) throws(StorageError) {
    guard let property = schema.description.property(named: name, of: table) else { return }
    let ownsNested = property.kind == .any && !schema.nestedTables.isEmpty
    if ownsNested || schema.description.description(of: property.targetTable)?.isEmbedded == true {
      try deleteEmbedded(in: property, of: table)
    }
    try setIndex(of: name, in: table, isIndexed: false)
    try dropColumn(property.columnKey, of: table)
    if property.collection == .map { try dropColumn(property.keyColumn, of: table) }
    var changed = schema.description
    for index in changed.classes.indices {
      let hidden = changed.classes[index].backlinkColumn(from: table, property.columnKey)
      guard let hidden else { continue }
      try dropColumn(hidden, of: changed.classes[index].tableKey)
      changed.classes[index].backlinks.removeAll { $0.columnKey == hidden }
    }
    changed.classes[Int(table.rawValue)].properties.removeAll { $0.name == name }
    try tables.storeSchema(changed)
  }

  /// Deletes the embedded objects that belong to a property.
  private func deleteEmbedded(
    in property: PropertyDescription, of table: TableKey
  ) throws(StorageError) {
    var keys = try transaction.table(table).clusterKeys()
    while let key = keys.popLast() {
      for object in try tables.table(table).objects(ofClusterWith: key) {
        // It may have belonged to one before it, and gone with that.
        guard try transaction.table(table).find(object) != nil else { continue }
        switch property.collection {
        case .none: try transaction.setNull(property.columnKey, of: object, in: table)
        case .list: try transaction.listClear(property.columnKey, of: object, in: table)
        case .map: try transaction.mapClear(property, of: object, in: table)
        case .set: continue
        }
      }
    }
  }

  /// Lets go of what all clusters of the table hold in the column.
  func dropColumn(_ column: ColumnKey, of table: TableKey) throws(StorageError) {
    var keys = try transaction.table(table).clusterKeys()
    while let key = keys.popLast() {
      guard let position = try transaction.table(table).find(key),
        !position.cluster.reference(column).isNone
      else { continue }
      let state = try tables.open(table)
      _ = try transaction.clusters.locate(state, key)
      let leaf = state.pointee.leaf
      try writer.releaseTree(leaf.node.reference(column.slot))
      leaf.setReference(column.slot, .none)
    }
  }

  func setIndex(
    of name: String, in table: TableKey, isIndexed: Bool, isFullText: Bool = false
  ) throws(StorageError) {
    var changed = schema.description
    let index = Int(table.rawValue)
    guard let property = changed.classes[index].property(named: name) else { return }
    let hasIndex = isIndexed || isFullText
    let slot = hasIndex && property.indexSlot == 0 ? changed.classes[index].freeIndexSlot() : 0
    changed.classes[index].change(name) {
      $0.isIndexed = isIndexed
      $0.isFullText = isFullText
      if !hasIndex || $0.indexSlot == 0 { $0.indexSlot = slot }
    }
    if !hasIndex, property.indexSlot != 0 {
      let state = try tables.open(table)
      try writer.releaseTree(state.pointee.node.node.reference(Int(property.indexSlot)))
      state.pointee.node.setReference(Int(property.indexSlot), .none)
    }
    try tables.storeSchema(changed)
    if hasIndex, property.indexSlot == 0 {
      try transaction.indexes.build(try tables.open(table), property.columnKey)
    }
  }

  /// Takes a class away with its objects. One that properties still link to stays, empty.
  func removeClass(_ name: String) throws(StorageError) {
    guard let description = schema.description.description(of: name) else { return }
    let table = description.tableKey
    try transaction.deleteAllObjects(in: table)
    let isLinked = schema.description.classes.contains { other in
      other.tableKey != table && other.properties.contains { $0.targetTable == table }
    }
    if isLinked { return }
    for property in description.properties { try dropProperty(property.name, of: table) }
    var changed = schema.description
    changed.classes[Int(table.rawValue)].name = ""
    changed.classes[Int(table.rawValue)].backlinks = []
    try tables.storeSchema(changed)
  }
}
