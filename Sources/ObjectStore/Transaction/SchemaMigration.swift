import Storage

/// Brings a file to a schema that differs in more than what is new.
///
/// `begin` makes everything that is wanted, next to what is there; then the program moves its data
/// with ordinary changes; `finish` takes away what is no longer wanted. In between there are no
/// primary keys: a key may be set, and two objects may have the same one for a while. All of it is
/// part of one transaction.
struct SchemaMigration {
  let transaction: ObjectTransaction

  private var editor: SchemaEditor { SchemaEditor(transaction: transaction) }
  private var tables: OpenTables { transaction.tables }
  private var schema: StoredSchema { transaction.schema }
  private var source: NodeSource { transaction.source }

  /// What is kept until the end of a migration under a name that no program has.
  private static let replacedPrefix = "\u{1}"

  /// Makes all classes, properties and indexes that are wanted. Properties whose type has changed
  /// begin with what of their values the new type can hold; those that are not wanted stay.
  ///
  /// - Throws: `.schemaMismatch` if the wanted schema itself is not valid.
  func begin(to wanted: SchemaDescription) throws(StorageError) {
    var stored = schema.description
    var replaced: [(table: TableKey, name: String)] = []
    for difference in stored.differences(to: wanted) {
      switch difference {
      case .typeChanged(let name, let old, _), .madeOptional(let name, let old, _),
        .madeRequired(let name, let old, _):
        guard let index = stored.classes.firstIndex(where: { $0.name == name }) else { continue }
        stored.classes[index].change(old.name) { $0.name = Self.replacedPrefix + old.name }
        replaced.append((stored.classes[index].tableKey, old.name))
      default: continue
      }
    }
    var target = wanted
    target.version = max(stored.version, wanted.version)
    for index in target.classes.indices {
      target.classes[index].turnPrimaryKeyIntoIndex()
      // Objects of a class that becomes embedded are made like others until the end.
      let known = stored.description(of: target.classes[index].name)
      if let known { target.classes[index].isEmbedded = known.isEmbedded }
    }
    for index in stored.classes.indices where target.has(stored.classes[index].name) {
      stored.classes[index].turnPrimaryKeyIntoIndex()
    }
    // New indexes are made at the end, from values in order: that takes a part of the time and of
    // the memory of keeping them while all values come.
    for index in target.classes.indices {
      let known = stored.description(of: target.classes[index].name)
      target.classes[index].keepIndexes(of: known)
    }
    try tables.storeSchema(stored)
    try editor.apply(target, areSynced: transaction.schema.isSynced)
    for (table, name) in replaced {
      try carryValues(from: Self.replacedPrefix + name, to: name, in: table)
      try editor.dropProperty(Self.replacedPrefix + name, of: table)
    }
    editor.noteChange()
  }

  /// Gives a property that is not wanted any more the name, and its values the place, of one that
  /// is; both must be of the same type, but may differ in whether they are optional and in their
  /// indexes, of which `finish` makes those that are wanted.
  func renameProperty(
    _ old: String, to new: String, in table: TableKey
  ) throws(StorageError) {
    let description = schema.description.classes[Int(table.rawValue)]
    guard let source = description.property(named: old) else {
      preconditionFailure("no property '\(old)'")
    }
    if let target = description.property(named: new) {
      if source.isOptional != target.isOptional || source.isFullText != target.isFullText {
        try carryValues(from: old, to: new, in: table)
        try editor.dropProperty(old, of: table)
        return editor.noteChange()
      }
      try editor.dropProperty(new, of: table)
    }
    var changed = schema.description
    changed.classes[Int(table.rawValue)].change(old) { $0.name = new }
    try tables.storeSchema(changed)
    editor.noteChange()
  }

  /// Takes away the properties of wanted classes that are not wanted, and the classes that are
  /// named, and gives the others their primary keys.
  ///
  /// - Throws: `.duplicatePrimaryKey` if objects of a class have the same primary key,
  ///   `.invalidInput` if an object cannot become embedded.
  func finish(
    to wanted: SchemaDescription, removing removed: Set<String> = []
  ) throws(StorageError) {
    for wanted in wanted.classes {
      guard let stored = schema.description.description(of: wanted.name) else { continue }
      for property in stored.properties where wanted.property(named: property.name) == nil {
        try editor.dropProperty(property.name, of: stored.tableKey)
      }
    }
    for name in removed.sorted() where !wanted.has(name) { try editor.removeClass(name) }
    try matchIndexes(to: wanted)
    var changed = schema.description
    changed.version = wanted.version
    for wanted in wanted.classes {
      guard let index = changed.classes.firstIndex(where: { $0.name == wanted.name }) else {
        continue
      }
      if wanted.isEmbedded, !changed.classes[index].isEmbedded {
        try requireOneLink(toEachOf: changed.classes[index])
        changed.classes[index].backlinks = try withoutAnyLinks(changed.classes[index])
      }
      changed.classes[index].isEmbedded = wanted.isEmbedded
      if let key = wanted.primaryKey {
        let stored = changed.classes[index].property(named: key.name)!
        try requireUnique(stored, of: changed.classes[index])
        changed.classes[index].change(key.name) {
          $0.isPrimaryKey = true
          $0.isIndexed = key.isIndexed
        }
      }
    }
    try tables.storeSchema(changed)
    editor.noteChange()
  }

  /// Makes and drops indexes, so that all are there that are wanted and no others.
  private func matchIndexes(to wanted: SchemaDescription) throws(StorageError) {
    for wanted in wanted.classes {
      guard let stored = schema.description.description(of: wanted.name) else { continue }
      for property in wanted.properties {
        guard let old = stored.property(named: property.name) else { continue }
        let isIndexed = property.isIndexed || property.isPrimaryKey
        if old.isIndexed == isIndexed, old.isFullText == property.isFullText { continue }
        try editor.setIndex(of: property.name, in: stored.tableKey, isIndexed: false)
        try editor.setIndex(
          of: property.name, in: stored.tableKey, isIndexed: isIndexed,
          isFullText: property.isFullText)
      }
    }
  }

  // MARK: Values

  /// Gives every object's property `new` what it can hold of the value of `old`.
  private func carryValues(
    from old: String, to new: String, in table: TableKey
  ) throws(StorageError) {
    let description = schema.description.classes[Int(table.rawValue)]
    guard let source = description.property(named: old),
      let target = description.property(named: new),
      let conversion = ValueConversion(from: source, to: target)
    else { return }
    // Embedded objects belong to the link that goes.
    if schema.description.description(of: source.targetTable)?.isEmbedded == true { return }
    if source.isCollection {
      return try carryElements(from: source, to: target, conversion, in: table)
    }
    let isBegunWithDefault = target.kind != .date || schema.isSynced
    var keys = try transaction.table(table).clusterKeys()
    while let key = keys.popLast() {
      for object in try tables.table(table).objects(ofClusterWith: key) {
        let values = try transaction.table(table)
        guard let position = try values.find(object) else { continue }
        let old = try values.value(of: source, at: position)
        if old == .null { continue }
        let value = conversion.value(old)
        if isBegunWithDefault, value.isIdentical(to: target.defaultValue) { continue }
        try transaction.set(value, target.columnKey, of: object, in: table)
      }
    }
  }

  private func carryElements(
    from source: PropertyDescription, to target: PropertyDescription,
    _ conversion: ValueConversion, in table: TableKey
  ) throws(StorageError) {
    var keys = try transaction.table(table).clusterKeys()
    while let key = keys.popLast() {
      for object in try tables.table(table).objects(ofClusterWith: key) {
        let values = try transaction.table(table)
        guard let position = try values.find(object) else { continue }
        let elements = try values.list(of: source, at: position).allValues()
        if elements.isEmpty { continue }
        let converted = elements.map(conversion.value)
        switch target.collection {
        case .none: continue
        case .list:
          try transaction.listInsert(
            contentsOf: converted, at: 0, target.columnKey, of: object, in: table)
        case .set: try transaction.setInsert(converted, target.columnKey, of: object, in: table)
        case .map:
          let keys = try values.list(of: source.mapKeys, at: position).allValues()
          for case (.string(let key), let value) in zip(keys, converted) {
            try transaction.mapSet(value, forKey: key, target, of: object, in: table)
          }
        }
      }
    }
  }

  // MARK: Embedded objects

  /// Each object of a class that becomes embedded must belong to one link.
  private func requireOneLink(toEachOf description: ClassDescription) throws(StorageError) {
    let table = try transaction.table(description.tableKey)
    var clusters = table.clusters()
    while let cluster = try clusters.next() {
      for row in 0..<cluster.count {
        let position = ObjectPosition(cluster: cluster, row: row)
        var links = 0
        for backlink in description.backlinks {
          let origin = schema.description.property(
            at: backlink.originColumn, of: backlink.originTable)
          let count = try table.backlinks(backlink.columnKey, at: position).count
          // A value of any kind cannot own an object.
          links += origin?.kind == .any ? 2 * count : count
        }
        if links == 1 { continue }
        throw StorageError(
          .invalidInput, path: source.path,
          "Cannot convert '\(description.name)' to embedded: at least one object has "
            + (links == 0
              ? "no incoming links and would be deleted." : "more than one incoming link."))
      }
    }
  }

  /// The hidden columns without those for values of any kind, which nothing is in.
  private func withoutAnyLinks(
    _ description: ClassDescription
  ) throws(StorageError) -> [BacklinkDescription] {
    var kept: [BacklinkDescription] = []
    for backlink in description.backlinks {
      let origin = schema.description.property(
        at: backlink.originColumn, of: backlink.originTable)
      if origin?.kind == .any {
        try editor.dropColumn(backlink.columnKey, of: description.tableKey)
      } else {
        kept.append(backlink)
      }
    }
    return kept
  }

  // MARK: Primary keys

  private func requireUnique(
    _ property: PropertyDescription, of description: ClassDescription
  ) throws(StorageError) {
    guard let index = try transaction.table(description.tableKey).index(of: property) else {
      throw source.corrupt(tables.root, "an index of '\(property.name)' was expected")
    }
    if try index.hasDuplicates() {
      throw StorageError(
        .duplicatePrimaryKey, path: source.path,
        "Primary key property '\(description.name).\(property.name)' has duplicate values after "
          + "migration.")
    }
  }
}

extension Table {
  /// The first object of each cluster: by these the clusters are found again while they change.
  func clusterKeys() throws(StorageError) -> ContiguousArray<ObjectKey> {
    var keys = ContiguousArray<ObjectKey>()
    var clusters = clusters()
    while let cluster = try clusters.next() { keys.append(cluster.key(0)) }
    return keys
  }

  func objects(ofClusterWith key: ObjectKey) throws(StorageError) -> [ObjectKey] {
    guard let position = try find(key) else { return [] }
    return (0..<position.cluster.count).map { position.cluster.key($0) }
  }
}

extension ColumnIndex {
  /// Whether two objects have the same value.
  fileprivate func hasDuplicates() throws(StorageError) -> Bool {
    if try PairTree.count(nulls, in: table.source) > 1 { return true }
    var pairs = PairIterator(root: values, in: table.source)
    var last: Int64?
    while let pair = try pairs.next() {
      if pair.value == last {
        if isOrdered { return true }
        if try hasEqual(hash: pair.value) { return true }
      }
      last = pair.value
    }
    return false
  }

  /// Whether two of the objects whose values have that hash have the same value.
  private func hasEqual(hash: Int64) throws(StorageError) -> Bool {
    var seen: Set<StoredValue> = []
    var hasEqual = false
    try PairTree.forEachKey(values, from: hash, through: hash, in: table.source) {
      (key) throws(StorageError) in
      guard let position = try table.find(ObjectKey(rawValue: key)) else { return false }
      let value = try value(at: position)
      hasEqual = !seen.insert(value).inserted
      return hasEqual
    }
    return hasEqual
  }

  private func value(at position: ObjectPosition) throws(StorageError) -> StoredValue {
    switch kind {
    case .objectId: .objectId(try table.objectId(column, at: position))
    case .uuid: .uuid(try table.uuid(column, at: position))
    default: unsafe .data(try table.withBytes(column, at: position) { unsafe [UInt8]($0) })
    }
  }
}

extension SchemaDescription {
  fileprivate func has(_ className: String) -> Bool { description(of: className) != nil }
}

extension ClassDescription {
  mutating func change(
    _ name: String, _ body: (inout PropertyDescription) -> Void
  ) {
    guard let index = properties.firstIndex(where: { $0.name == name }) else { return }
    body(&properties[index])
  }

  /// Without the indexes that the class, as it is stored, does not have.
  fileprivate mutating func keepIndexes(of stored: ClassDescription?) {
    for place in properties.indices {
      let old = stored?.property(named: properties[place].name)
      let hasIndex = old.map { $0.indexSlot != 0 } ?? false
      properties[place].isIndexed = hasIndex && old!.isIndexed
      properties[place].isFullText = hasIndex && old!.isFullText
    }
  }

  /// The index that a primary key has is one like others for as long as a migration lasts.
  fileprivate mutating func turnPrimaryKeyIntoIndex() {
    guard let index = properties.firstIndex(where: \.isPrimaryKey) else { return }
    properties[index].isPrimaryKey = false
    properties[index].isIndexed = true
  }
}
