import Storage

/// What it takes to make a stored schema hold all that a program wants.
///
/// Classes and properties are matched by name. New ones get keys; what is stored and not wanted
/// stays. Everything else (another type, optionality, primary key) needs a migration.
public struct SchemaChange {
  /// The schema to be stored.
  public private(set) var result: SchemaDescription
  private(set) var indexesToDrop: [(TableKey, PropertyDescription)] = []
  private(set) var indexesToBuild: [(TableKey, ColumnKey)] = []
  /// Dates that classes with objects get.
  private(set) var datesToBegin: [(TableKey, ColumnKey)] = []
  private let stored: SchemaDescription
  private var differences: [String] = []

  /// Whether the stored schema has all that is wanted.
  public var isEmpty: Bool { result == stored }

  /// - Throws: `.schemaMismatch` naming every difference that needs a migration, or whatever is
  ///   wrong with the wanted schema itself, or that the file's schema is of a newer version.
  public init(
    from stored: SchemaDescription, to wanted: SchemaDescription, path: String
  ) throws(StorageError) {
    self.stored = stored
    result = stored
    result.version = wanted.version
    guard stored.classes.isEmpty || stored.version <= wanted.version else {
      throw StorageError(
        .schemaMismatch, path: path,
        "the file has schema version \(stored.version), which is newer than the program's "
          + "\(wanted.version); use a program that knows it")
    }
    let faults = SchemaChange.faults(wanted)
    guard faults.isEmpty else {
      throw StorageError(
        .schemaMismatch, path: path,
        "the schema is not valid: \(faults.joined(separator: "; "))")
    }
    for description in wanted.classes where stored.description(of: description.name) == nil {
      addClass(description)
    }
    for description in wanted.classes { match(description) }
    guard differences.isEmpty else {
      throw StorageError(
        .schemaMismatch, path: path,
        "a migration is needed: \(differences.joined(separator: "; "))")
    }
  }

  /// Adds a class, in the place of one that a migration has removed if there is one.
  private mutating func addClass(_ wanted: ClassDescription, mayReplace: Bool = true) {
    if mayReplace, let place = result.classes.firstIndex(where: \.isRemoved) {
      result.classes[place].name = wanted.name
      result.classes[place].isEmbedded = wanted.isEmbedded
      return
    }
    var added = ClassDescription(
      name: wanted.name, properties: [], isEmbedded: wanted.isEmbedded)
    added.tableKey = TableKey(rawValue: UInt32(result.classes.count))
    result.classes.append(added)
  }

  private mutating func match(_ wanted: ClassDescription) {
    let index = result.classes.firstIndex { $0.name == wanted.name }!
    let isNew = stored.description(of: wanted.name) == nil
    let oldKey = result.classes[index].primaryKey?.name
    let newKey = wanted.primaryKey?.name
    let wasEmbedded = result.classes[index].isEmbedded
    if wasEmbedded != wanted.isEmbedded {
      differences.append(
        "\(wanted.name): was \(wasEmbedded ? "embedded" : "top-level"), is "
          + "\(wanted.isEmbedded ? "embedded" : "top-level")")
    }
    if !isNew, oldKey != newKey {
      differences.append(
        "\(wanted.name): primary key was \(oldKey ?? "none"), is \(newKey ?? "none")")
    }
    for property in wanted.properties {
      if let place = result.classes[index].properties.firstIndex(where: {
        $0.name == property.name
      }) {
        match(wanted.name, property, index, place)
      } else {
        add(property, to: index, isNew: isNew)
      }
    }
  }

  private mutating func match(
    _ className: String, _ wanted: PropertyDescription, _ index: Int, _ place: Int
  ) {
    let old = result.classes[index].properties[place]
    let (was, now) = (old.typeText, wanted.typeText)
    if was != now { differences.append("\(className).\(old.name): was \(was), is \(now)") }
    let needsIndex = wanted.isIndexed || wanted.isPrimaryKey || wanted.isFullText
    var hasIndex = old.indexSlot != 0
    result.classes[index].properties[place].isIndexed = wanted.isIndexed
    result.classes[index].properties[place].isFullText = wanted.isFullText
    if hasIndex, !needsIndex || old.isFullText != wanted.isFullText, !old.isPrimaryKey {
      indexesToDrop.append((result.classes[index].tableKey, old))
      result.classes[index].properties[place].indexSlot = 0
      hasIndex = false
    }
    if needsIndex, !hasIndex {
      let slot = result.classes[index].freeIndexSlot()
      result.classes[index].properties[place].indexSlot = slot
      indexesToBuild.append((result.classes[index].tableKey, old.columnKey))
    }
  }

  private mutating func add(_ wanted: PropertyDescription, to index: Int, isNew: Bool) {
    var property = wanted
    property.columnKey = result.classes[index].newColumn()
    property.keyColumn = wanted.collection == .map ? result.classes[index].newColumn() : .unassigned
    property.indexSlot = 0
    property.targetTable = .unassigned
    let table = result.classes[index].tableKey
    if !isNew, property.kind == .date, !property.isCollection, !property.isOptional {
      datesToBegin.append((table, property.columnKey))
    }
    if property.isIndexed || property.isPrimaryKey || property.isFullText {
      property.indexSlot = result.classes[index].freeIndexSlot()
      indexesToBuild.append((table, property.columnKey))
    }
    if let target = property.linkTarget,
      let targetIndex = result.classes.firstIndex(where: { $0.name == target })
    {
      property.targetTable = result.classes[targetIndex].tableKey
      if targetIndex == index {
        _ = result.classes[index].addBacklink(from: table, property.columnKey)
      } else {
        _ = result.classes[targetIndex].addBacklink(from: table, property.columnKey)
      }
    }
    result.classes[index].properties.append(property)
  }

  /// For readers: a schema with classes that are not stored.
  init(_ stored: SchemaDescription, adding classes: [ClassDescription]) {
    self.stored = stored
    result = stored
    for description in classes { addClass(description, mayReplace: false) }
    for description in classes { match(description) }
  }

  // MARK: Whether a schema makes sense

  private static func faults(_ schema: SchemaDescription) -> [String] {
    var faults: [String] = []
    var names: Set<String> = []
    for description in schema.classes {
      if !names.insert(description.name).inserted {
        faults.append("class \(description.name) occurs twice")
      }
      if description.properties.count(where: \.isPrimaryKey) > 1 {
        faults.append("\(description.name) has more than one primary key")
      }
      if description.isEmbedded, description.primaryKey != nil {
        faults.append("\(description.name) is embedded and cannot have a primary key")
      }
      var properties: Set<String> = []
      for property in description.properties {
        let name = "\(description.name).\(property.name)"
        if !properties.insert(property.name).inserted { faults.append("\(name) occurs twice") }
        if let fault = fault(property, in: schema) { faults.append("\(name) \(fault)") }
      }
    }
    return faults
  }

  private static func fault(
    _ property: PropertyDescription, in schema: SchemaDescription
  ) -> String? {
    if property.kind == .object {
      guard let target = property.linkTarget else { return "links to no class" }
      guard let targetClass = schema.description(of: target) else {
        return "links to \(target), which is not in the schema"
      }
      if targetClass.isEmbedded, property.collection == .set {
        return "is a set of embedded objects, which lists and maps alone can hold"
      }
      if property.isCollection, property.collection != .map, property.isOptional {
        return "is a collection of objects, whose elements cannot be optional"
      }
    } else if property.linkTarget != nil {
      return "has a link target but is no link"
    }
    let isCollection = property.isCollection
    if property.isFullText {
      let isPlain = !isCollection && !property.isPrimaryKey && !property.isIndexed
      if property.kind != .string || !isPlain { return "cannot be indexed for full-text search" }
    }
    switch property.kind {
    case .int, .bool, .string, .objectId, .uuid:
      return isCollection && (property.isPrimaryKey || property.isIndexed)
        ? "is a collection, which cannot be indexed" : nil
    case .date, .any:
      if property.isPrimaryKey { return "cannot be a primary key" }
      return isCollection && property.isIndexed ? "is a collection, which cannot be indexed" : nil
    default:
      if property.isPrimaryKey { return "cannot be a primary key" }
      return property.isIndexed ? "cannot be indexed" : nil
    }
  }
}

extension PropertyDescription {
  /// The type as messages name it: what must be the same in a file and in a program.
  var typeText: String {
    var text = kind == .object ? linkTarget ?? "object" : "\(kind)"
    if isOptional, kind != .any { text += "?" }
    switch collection {
    case .none: return text
    case .list: return "list of \(text)"
    case .set: return "set of \(text)"
    case .map: return "map of \(text)"
    }
  }
}

extension ClassDescription {
  mutating func newColumn() -> ColumnKey {
    columnCount += 1
    return ColumnKey(rawValue: columnCount - 1)
  }

  /// A hidden column for links out of that column.
  mutating func addBacklink(from table: TableKey, _ column: ColumnKey) -> ColumnKey {
    let key = newColumn()
    backlinks.append(
      BacklinkDescription(originTable: table, originColumn: column, columnKey: key))
    return key
  }

  /// A place for an index: one that an index has left, or a new one.
  mutating func freeIndexSlot() -> UInt32 {
    let taken = Set(properties.map(\.indexSlot))
    for slot in 1..<(indexSlotCount + 1) where !taken.contains(slot) { return slot }
    indexSlotCount += 1
    return indexSlotCount
  }
}
