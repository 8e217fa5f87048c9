import Storage

// Taking properties and classes out of the file, with what they hold.
extension ObjectTransaction {
  /// Takes away everything that the file holds.
  public func reset() throws(StorageError) {
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
    try store(changed)
    didChangeSchema()
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
    try store(changed)
  }

  /// Deletes the embedded objects that belong to a property.
  private func deleteEmbedded(
    in property: PropertyDescription, of table: TableKey
  ) throws(StorageError) {
    var keys = try self.table(table).clusterKeys()
    while let key = keys.popLast() {
      for object in try objects(ofClusterWith: key, in: table) {
        // It may have belonged to one before it, and gone with that.
        guard try self.table(table).find(object) != nil else { continue }
        switch property.collection {
        case .none: try setNull(property.columnKey, of: object, in: table)
        case .list: try listClear(property.columnKey, of: object, in: table)
        case .map: try mapClear(property, of: object, in: table)
        case .set: continue
        }
      }
    }
  }

  /// Lets go of what all clusters of the table hold in the column.
  func dropColumn(_ column: ColumnKey, of table: TableKey) throws(StorageError) {
    var keys = try self.table(table).clusterKeys()
    while let key = keys.popLast() {
      guard let position = try self.table(table).find(key),
        !position.cluster.reference(column).isNone
      else { continue }
      let state = try open(table)
      _ = try locate(state, key)
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
      let state = try open(table)
      try writer.releaseTree(state.pointee.node.node.reference(Int(property.indexSlot)))
      state.pointee.node.setReference(Int(property.indexSlot), .none)
    }
    try store(changed)
    if hasIndex, property.indexSlot == 0 { try buildIndex(try open(table), property.columnKey) }
  }

  /// Takes a class away with its objects. One that properties still link to stays, empty.
  package func removeClass(_ name: String) throws(StorageError) {
    guard let description = schema.description.description(of: name) else { return }
    let table = description.tableKey
    try deleteAllObjects(in: table)
    let isLinked = schema.description.classes.contains { other in
      other.tableKey != table && other.properties.contains { $0.targetTable == table }
    }
    if isLinked { return }
    for property in description.properties { try dropProperty(property.name, of: table) }
    var changed = schema.description
    changed.classes[Int(table.rawValue)].name = ""
    changed.classes[Int(table.rawValue)].backlinks = []
    try store(changed)
  }
}
