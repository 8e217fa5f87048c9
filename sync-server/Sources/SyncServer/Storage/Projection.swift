import ObjectStore
import Storage
import SyncProtocol

/// Brings the app's tables up to date with objects that were merged, within the commit that stores
/// them.
///
/// Rows of all objects are made before any value is set, so that links among them find their
/// targets. Links to what is not there are null, and noted in a table of their own; when the target
/// is created the objects that link to it are written again.
struct Projection {
  let schema: RealSchema
  let hidden: HiddenTables
  let transaction: ObjectTransaction
  /// The object's stamps and cells as they are after the commit, for those that it does not change.
  let object: (ObjectID) throws(StorageError) -> ServerObject?
  private var created: [ObjectID] = []
  /// Targets, that are not there, of links of the object that is being written.
  private var missing: Set<ObjectID> = []

  /// How deep embedded objects are followed.
  static let depthMax = 64

  init(
    schema: RealSchema, hidden: HiddenTables, transaction: ObjectTransaction,
    object: @escaping (ObjectID) throws(StorageError) -> ServerObject?
  ) {
    self.schema = schema
    self.hidden = hidden
    self.transaction = transaction
    self.object = object
  }

  /// An object that changed, and the version of what the tables have of it.
  struct Change {
    var id: ObjectID
    var object: ServerObject?
    var known: ServerVersion
  }

  mutating func write(_ changes: [Change]) throws(StorageError) {
    for change in changes {
      if let object = change.object, object.generation.isAlive {
        try makeRow(change.id)
      } else {
        try removeRow(change.id)
      }
    }
    for change in changes {
      guard let object = change.object, object.generation.isAlive else { continue }
      let isNew = object.generationVersion > change.known
      try write(object, change.id, since: isNew ? .zero : change.known)
    }
    try revive()
  }

  // MARK: Rows

  /// Where an object's row is; nil if there is none.
  func row(of id: ObjectID) throws(StorageError) -> (type: RealSchema.RealClass, row: RowKey)? {
    guard let type = schema[id.type], let property = type.key,
      let key = id.key.stored(for: property, in: id),
      let row = try transaction.table(type.table).find(primaryKey: key, property)
    else { return nil }
    return (type, row)
  }

  private mutating func makeRow(_ id: ObjectID) throws(StorageError) {
    guard let type = schema[id.type], let property = type.key,
      let key = id.key.stored(for: property, in: id)
    else { return }
    let made = try transaction.createObject(in: type.table, primaryKey: key)
    if made.isNew { created.append(id) }
  }

  private func removeRow(_ id: ObjectID) throws(StorageError) {
    guard let (type, row) = try row(of: id) else { return }
    for source in try sources(of: row, type) {
      try hidden.putLink(from: source, to: id, in: transaction)
    }
    try hidden.removeLinks(from: id, in: transaction)
    try transaction.deleteObject(row, in: type.table)
  }

  /// The objects that link to a row, from embedded ones of theirs, too.
  private func sources(
    of row: RowKey, _ type: RealSchema.RealClass
  ) throws(StorageError) -> Set<ObjectID> {
    var found: Set<ObjectID> = []
    var open: [(RowKey, TableKey)] = [(row, type.table)]
    while let (row, key) = open.popLast() {
      guard let description = transaction.schema.description.description(of: key) else { continue }
      let table = try transaction.table(key)
      guard let position = try table.find(row) else { continue }
      for backlink in description.backlinks {
        let origins = try table.backlinks(backlink.columnKey, at: position).keys()
        guard let id = schema.type(of: backlink.originTable), let origin = schema[id] else {
          continue
        }
        for row in origins {
          if origin.isEmbedded {
            open.append((row, origin.table))
          } else if let source = try self.id(of: row, id, origin) {
            found.insert(source)
          }
        }
      }
    }
    return found
  }

  private func id(
    of row: RowKey, _ type: NameID, _ description: RealSchema.RealClass
  ) throws(StorageError) -> ObjectID? {
    let table = try transaction.table(description.table)
    guard let key = description.key, let position = try table.find(row) else { return nil }
    return ObjectID(type: type, stored: try table.value(of: key, at: position), key)
  }

  /// Writes objects again that link to what was created.
  private mutating func revive() throws(StorageError) {
    for target in created {
      for source in try hidden.links(to: target, in: transaction) {
        guard let object = try object(source), object.generation.isAlive else { continue }
        try write(object, source, since: .zero)
      }
    }
    created = []
  }

  // MARK: Values

  private mutating func write(
    _ object: ServerObject, _ id: ObjectID, since: ServerVersion
  ) throws(StorageError) {
    guard let (type, row) = try row(of: id) else { return }
    missing = []
    try write(Source(object: object, container: .root, since: since), type, row, depth: 0)
    try hidden.setLinks(from: id, to: missing, since: since, in: transaction)
  }

  /// The properties of an object or an embedded one, and since when they may have changed.
  struct Source {
    var object: ServerObject
    var container: ContainerID
    var since: ServerVersion

    func isNewer(_ slot: Slot) -> Bool {
      since == .zero || object.version(slot, of: container) > since
    }
  }

  mutating func write(
    _ source: Source, _ type: RealSchema.RealClass, _ row: RowKey, depth: Int
  ) throws(StorageError) {
    if depth > Self.depthMax { return }
    for property in type.properties {
      let slot = Slot.property(property.name)
      if property.description.isCollection {
        try writeCollection(source, property, type, row, depth: depth)
      } else if isEmbedded(property.description) {
        try writeEmbedded(source, property, type, row, depth: depth)
      } else if source.isNewer(slot) || hasNews(source, slot) {
        try writePlain(source, property.description, slot, type, row, depth: depth)
      }
    }
  }

  func isEmbedded(_ property: PropertyDescription) -> Bool {
    guard property.kind == .object, let target = schema.type(of: property.targetTable) else {
      return false
    }
    return schema[target]?.isEmbedded == true
  }

  private mutating func writePlain(
    _ source: Source, _ property: PropertyDescription, _ slot: Slot,
    _ type: RealSchema.RealClass, _ row: RowKey, depth: Int
  ) throws(StorageError) {
    var value: StoredValue?
    if let cell = source.object.value(slot, of: source.container) {
      value = try stored(cell, at: slot, of: source.container, source.object, property, depth)
    }
    let table = try transaction.table(type.table)
    guard let position = try table.find(row) else { return }
    let new = value ?? property.defaultValue
    if try table.value(of: property, at: position).isIdentical(to: new) { return }
    try transaction.set(new, property.columnKey, of: row, in: type.table)
  }

  /// Whether something has changed in a collection that is the value of a property of any kind.
  private func hasNews(_ source: Source, _ slot: Slot) -> Bool {
    guard let made = source.object.container(madeBy: slot, of: source.container) else {
      return false
    }
    return source.object.newestVersion(within: made) > source.since
  }

  /// The value of a cell for a property or an element, links among them; nil if it cannot be there.
  mutating func stored(
    _ cell: CellValue, at slot: Slot, of container: ContainerID, _ object: ServerObject,
    _ property: PropertyDescription, _ depth: Int
  ) throws(StorageError) -> StoredValue? {
    if property.kind == .any, let made = object.container(madeBy: slot, of: container) {
      return try nested(made, object, depth: depth + 1)
    }
    guard case .link(let target) = cell else { return cell.stored(for: property) }
    guard property.kind == .object || property.kind == .any else { return nil }
    guard let (type, row) = try row(of: target) else {
      missing.insert(target)
      return nil
    }
    guard property.kind == .any || property.targetTable == type.table else { return nil }
    return .link(type.table, row)
  }

  private mutating func writeEmbedded(
    _ source: Source, _ property: RealSchema.RealProperty, _ type: RealSchema.RealClass,
    _ row: RowKey, depth: Int
  ) throws(StorageError) {
    let column = property.description.columnKey
    let slot = Slot.property(property.name)
    guard let container = source.object.container(madeBy: slot, of: source.container),
      case .object = source.object.kind(of: container),
      let name = schema.type(of: property.description.targetTable), let target = schema[name]
    else {
      let table = try transaction.table(type.table)
      guard let position = try table.find(row), try table.link(column, at: position) != nil else {
        return
      }
      return try transaction.setLink(nil, column, of: row, in: type.table)
    }
    var child = Source(object: source.object, container: container, since: source.since)
    let table = try transaction.table(type.table)
    guard let position = try table.find(row) else { return }
    var embedded = try table.link(column, at: position)
    if embedded == nil || source.isNewer(slot) {
      embedded = try transaction.createEmbedded(column, of: row, in: type.table)
      child.since = .zero
    }
    if let embedded { try write(child, target, embedded, depth: depth + 1) }
  }
}
