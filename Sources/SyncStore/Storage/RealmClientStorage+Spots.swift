import ObjectStore
import Storage
import SyncProtocol

// Where containers are among the program's data, and the other way round.
extension RealmClientStorage {
  enum Spot {
    case object(TableKey, ObjectStore.ObjectKey)
    case collection(TableKey, ObjectStore.ObjectKey, PropertyDescription)
  }

  /// Where a container is; nil if it is not there, or of a class that the program does not have.
  func spot(_ container: ContainerID, in id: ObjectID) throws(StorageError) -> Spot? {
    if container == .root {
      guard let row = try row(of: id), let known = try layout.classes[id.type] else { return nil }
      return .object(known.table, row)
    }
    if container.isDeclared {
      return try collection(container.property, of: container.declarer, in: id)
    }
    switch try entry(id).places.made[container] {
    case nil: return nil
    case .property(let name, let parent): return try collection(name, of: parent, in: id)
    case .row(let table, let row):
      guard try writes.table(table).find(row) != nil,
        let description = writes.schema.description.description(of: table)
      else { return nil }
      if description.isNestedCollection {
        return .collection(table, row, description.properties[0])
      }
      return .object(table, row)
    }
  }

  private func collection(
    _ name: NameID, of parent: ContainerID, in id: ObjectID
  ) throws(StorageError) -> Spot? {
    guard case .object(let table, let row) = try spot(parent, in: id),
      let property = try layout.classes[table]?.properties[name], property.isCollection
    else { return nil }
    return .collection(table, row, property)
  }

  /// Which object of the server's a row belongs to, and which of its containers the row is; nil if
  /// none is known.
  ///
  /// - Parameter isBefore: in the version that the transaction began with.
  func owner(
    of row: ObjectStore.ObjectKey, in table: TableKey, isBefore: Bool = false
  ) throws(StorageError) -> (ObjectID, ContainerID)? {
    if let known = try layout.classes[table], known.primaryKey != nil {
      guard let stored = try self.table(table, isBefore) else { return nil }
      return try id(of: row, known, in: stored).map { ($0, .root) }
    }
    var holder = (table: table, row: row)
    while true {
      guard let above = try self.holder(of: holder.row, in: holder.table, isBefore) else {
        return nil
      }
      holder = above
      if let known = try layout.classes[holder.table], known.primaryKey != nil {
        guard let stored = try self.table(holder.table, isBefore),
          let id = try id(of: holder.row, known, in: stored)
        else { return nil }
        return try container(at: .row(table, row), in: id).map { (id, $0) }
      }
    }
  }

  private func container(
    at place: Places.Place, in id: ObjectID
  ) throws(StorageError) -> ContainerID? {
    let made = try entry(id).places.made
    guard madeAt != nil else { return made.first { $0.value == place }?.key }
    if madeAt?[id] == nil {
      linksPassed += made.count
      madeAt?[id] = Dictionary(
        made.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    }
    return madeAt?[id]?[place]
  }

  /// What holds an embedded object, or a collection among values of any kind.
  private func holder(
    of row: ObjectStore.ObjectKey, in table: TableKey, _ isBefore: Bool
  ) throws(StorageError) -> (table: TableKey, row: ObjectStore.ObjectKey)? {
    let schema = isBefore ? writes.baseView.schema : writes.schema.description
    guard let stored = try self.table(table, isBefore), let position = try stored.find(row),
      let description = schema.description(of: table),
      description.isEmbedded
    else { return nil }
    for backlink in description.backlinks {
      let origins = try stored.backlinks(backlink.columnKey, at: position)
      if origins.count > 0 { return (backlink.originTable, try origins.key(at: 0)) }
    }
    return nil
  }

  private func table(_ table: TableKey, _ isBefore: Bool) throws(StorageError) -> Table? {
    isBefore ? try writes.baseView.table(table) : try writes.table(table)
  }

  func id(
    of row: ObjectStore.ObjectKey, _ known: SyncedClass
  ) throws(StorageError) -> ObjectID? {
    try id(of: row, known, in: try writes.table(known.table))
  }

  /// The object's name; `table` may be that of another version.
  func id(
    of row: ObjectStore.ObjectKey, _ known: SyncedClass, in table: Table
  ) throws(StorageError) -> ObjectID? {
    guard let primaryKey = known.primaryKey, let position = try table.find(row) else { return nil }
    return SyncProtocol.ObjectKey(try table.value(of: primaryKey, at: position)).map {
      ObjectID(type: known.type, key: $0)
    }
  }

  // MARK: Values

  /// A value as a cell has it; nil if it leads to an object that is not synchronised.
  func cell(_ value: StoredValue) throws(StorageError) -> CellValue? {
    guard case .link(let table, let row) = value else { return CellValue(value) }
    guard let description = writes.schema.description.description(of: table) else { return nil }
    if description.isNestedCollection {
      return description.properties[0].collection == .list ? .list : .map
    }
    guard let known = try layout.classes[table] else { return nil }
    if known.primaryKey == nil { return .object(known.type) }
    return try id(of: row, known).map { .link($0) }
  }

  /// What a cell's value is in the program's data.
  enum Content {
    case value(StoredValue)
    /// A link to what is not there.
    case dangling(ObjectID)
    /// The property cannot have it.
    case unfit
  }

  func content(
    _ value: CellValue, for property: PropertyDescription
  ) throws(StorageError) -> Content {
    guard case .link(let target) = value else {
      return value.stored(for: property).map { .value($0) } ?? .unfit
    }
    // What a value of any kind leads to may be of a class that this program does not have.
    guard let known = try layout.classes[target.type] else {
      return property.kind == .any ? .dangling(target) : .unfit
    }
    guard known.primaryKey != nil, property.kind == .any || property.targetTable == known.table
    else { return .unfit }
    guard let row = try row(of: target) else { return .dangling(target) }
    return .value(.link(known.table, row))
  }
}
