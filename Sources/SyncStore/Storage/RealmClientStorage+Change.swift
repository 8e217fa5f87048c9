import ObjectStore
import Storage
import SyncProtocol

// Changing the program's data as the server says. While recording it has been changed already, and
// only the places of containers are noted.
extension RealmClientStorage {
  /// The next change of this cell makes a container with this name.
  public func willMake(
    _ made: ContainerID, at slot: Slot, of container: ContainerID, in id: ObjectID
  ) {
    guard isRecording else {
      pending[PendingName(object: id, container: container, slot: slot)] = made
      return
    }
    attempt(()) { () throws(StorageError) in
      try entry(id)
      if let (table, row) = recordedRow {
        entries[id]?.places.made[made] = .row(table, row)
        recordedRow = nil
      } else if case .property(let name) = slot {
        entries[id]?.places.made[made] = .property(name, of: container)
      }
    }
  }

  /// The next change of a list is about this element.
  public func willWrite(_ element: ElementID, of container: ContainerID, in id: ObjectID) {
    nextElement = element
  }

  /// Changes the data.
  public func change(_ change: DataChange, in id: ObjectID) {
    attempt(()) { () throws(StorageError) in
      try entry(id)
      entries[id]?.isChanged = true
      if isRecording { return try record(change, in: id) }
      switch change {
      case .create: try create(id)
      case .delete: try delete(id)
      case .set(let container, let slot, let value): try set(slot, of: container, id, value)
      case .remove(let container, let slot): try remove(slot, of: container, id)
      case .drop(let container): try drop(container, id)
      case .rename(let old, let new): entries[id]?.places.rename(old, new)
      case .insertItem(let container, let index, let value):
        try insertItem(value, at: index, of: container, id)
      case .removeItem(let container, let index): try removeItem(at: index, of: container, id)
      case .moveItem(let container, let from, let to):
        try moveItem(from, to, of: container, id)
      case .setItem(let container, let index, let value):
        try setItem(value, at: index, of: container, id)
      }
    }
  }

  /// The program has written something else where a link led to nothing.
  private func record(_ change: DataChange, in id: ObjectID) throws(StorageError) {
    switch change {
    case .create: created.append(id)
    case .delete:
      entries[id]?.places = Places()
      // The log may have said that it was made, and links wait for it from now on.
      rows[id] = nil
    case .set(let container, let slot, _), .remove(let container, let slot):
      forgetDangling(slot, of: container, id)
    case .drop(let container): entries[id]?.places.drop(container)
    case .rename(let old, let new): entries[id]?.places.rename(old, new)
    case .insertItem(let container, let index, _):
      entries[id]?.places.dangling.shift(container, from: index, by: 1)
    case .removeItem(let container, let index):
      _ = entries[id]?.places.dangling.takeItem(index, of: container)
      entries[id]?.places.dangling.shift(container, from: index, by: -1)
    case .moveItem(let container, let from, let to):
      entries[id]?.places.dangling.moveItem(from, to, of: container)
    case .setItem(let container, let index, _):
      _ = entries[id]?.places.dangling.takeItem(index, of: container)
    }
  }

  func forgetDangling(_ slot: Slot, of container: ContainerID, _ id: ObjectID) {
    guard entries[id]?.places.dangling.isEmpty == false else { return }
    switch slot {
    case .property(let name):
      entries[id]?.places.dangling.forget(container, .property(name))
    case .key(let key): entries[id]?.places.dangling.forget(container, .key(key))
    case .member(.link(let target)):
      entries[id]?.places.dangling.forgetMember(target, of: container)
    case .member, .item: break
    }
  }

  private func keepDangling(
    _ spot: Places.Dangling.Spot, of container: ContainerID, _ id: ObjectID, _ target: ObjectID
  ) {
    entries[id]?.places.dangling.append(
      Places.Dangling(container: container, spot: spot, target: target))
  }

  // MARK: Objects

  private func create(_ id: ObjectID) throws(StorageError) {
    guard let known = try layout.classes[id.type], let primaryKey = known.primaryKey,
      id.key.fits(primaryKey)
    else { return }
    if try isLeaving(id, in: known.table) { try finishDeletions() }
    rows[id] = try writes.createObject(in: known.table, primaryKey: id.key.stored).key
    created.append(id)
  }

  private func delete(_ id: ObjectID) throws(StorageError) {
    entries[id]?.places = Places()
    guard let row = try row(of: id), let known = try layout.classes[id.type] else { return }
    leaving[known.table, default: [:]][row] = id
  }

  private func drop(_ container: ContainerID, _ id: ObjectID) throws(StorageError) {
    if container.isDeclared,
      case .collection(let table, let row, let property) = try spot(
        container, in: id)
    {
      try clear(property, of: row, in: table)
    }
    entries[id]?.places.drop(container)
  }

  private func clear(
    _ property: PropertyDescription, of row: ObjectStore.ObjectKey, in table: TableKey
  ) throws(StorageError) {
    if property.collection == .map {
      try writes.mapClear(property, of: row, in: table)
    } else {
      try writes.listClear(property.columnKey, of: row, in: table)
    }
  }

  // MARK: Cells

  private func set(
    _ slot: Slot, of container: ContainerID, _ id: ObjectID, _ value: CellValue
  ) throws(StorageError) {
    let made = pending.removeValue(
      forKey: PendingName(object: id, container: container, slot: slot))
    forgetDangling(slot, of: container, id)
    switch (slot, try spot(container, in: id)) {
    case (.property(let name), .object(let table, let row)):
      guard let property = try layout.classes[table]?.properties[name] else { return }
      if let made {
        if property.isCollection {
          try clear(property, of: row, in: table)
          entries[id]?.places.made[made] = .property(name, of: container)
        } else if value.container != nil {
          try makeProperty(made, value, property, row, table, id)
        }
        return
      }
      guard !property.isCollection else { return }
      switch try content(value, for: property) {
      case .value(let stored):
        try writes.set(stored, property.columnKey, of: row, in: table)
      case .dangling(let target):
        try writes.setNull(property.columnKey, of: row, in: table)
        keepDangling(.property(name), of: container, id, target)
      case .unfit:
        // Not what was there before.
        try writes.set(property.defaultValue, property.columnKey, of: row, in: table)
      }
    case (.key(let key), .collection(let table, let row, let property)):
      guard property.collection == .map else { return }
      try setKey(key, of: container, id, value, made, property, row, table)
    case (.member(let member), .collection(let table, let row, let property)):
      guard property.collection == .set else { return }
      switch try content(value.member(named: member, in: property), for: property) {
      case .value(let stored):
        if let known = try self.member(named: member, property, of: row, in: table) {
          if known.cell.memberValue(named: member) == value { break }
          // One that is equal and not the same makes room.
          try removeMember(at: known.index, property, row, table)
        }
        try writes.setInsert([stored], property.columnKey, of: row, in: table)
      case .dangling(let target): keepDangling(.member, of: container, id, target)
      case .unfit: break
      }
    default: break
    }
  }

  /// A property gets a container in a row of its own.
  private func makeProperty(
    _ made: ContainerID, _ value: CellValue, _ property: PropertyDescription,
    _ row: ObjectStore.ObjectKey, _ table: TableKey, _ id: ObjectID
  ) throws(StorageError) {
    if case .object(let type) = value {
      guard property.kind == .object, let target = try layout.classes[type],
        target.primaryKey == nil, target.table == property.targetTable
      else { return }
      let new = try writes.createEmbedded(property.columnKey, of: row, in: table)
      entries[id]?.places.made[made] = .row(target.table, new)
    } else if property.kind == .any {
      // Nothing where there can be no such container, and not what was there before.
      let nested = try makeNested(value, made, id)
      try writes.set(nested ?? .null, property.columnKey, of: row, in: table)
    }
  }

  /// A collection among values of any kind.
  func makeNested(
    _ value: CellValue, _ made: ContainerID, _ id: ObjectID
  ) throws(StorageError) -> StoredValue? {
    let kind: NestedCollection
    switch value {
    case .list: kind = .list
    case .map: kind = .map
    default: return nil
    }
    let (table, row) = try writes.createNested(kind)
    entries[id]?.places.made[made] = .row(table, row)
    return .link(table, row)
  }

  private func setKey(
    _ name: Text, of container: ContainerID, _ id: ObjectID, _ value: CellValue,
    _ made: ContainerID?, _ property: PropertyDescription, _ row: ObjectStore.ObjectKey,
    _ table: TableKey
  ) throws(StorageError) {
    let key = name.string
    if let made {
      if case .object(let type) = value {
        guard property.kind == .object, let target = try layout.classes[type],
          target.primaryKey == nil, target.table == property.targetTable
        else { return }
        let new = try writes.mapSetEmbedded(forKey: key, property, of: row, in: table)
        entries[id]?.places.made[made] = .row(target.table, new)
      } else if property.kind == .any {
        let nested = try makeNested(value, made, id)
        try writes.mapSet(nested ?? .null, forKey: key, property, of: row, in: table)
      }
      return
    }
    switch try content(value, for: property) {
    case .value(let stored):
      try writes.mapSet(stored, forKey: key, property, of: row, in: table)
    case .dangling(let target):
      try writes.mapSet(.null, forKey: key, property, of: row, in: table)
      keepDangling(.key(name), of: container, id, target)
    case .unfit: try writes.mapRemove(key, property, of: row, in: table)
    }
  }

  private func remove(
    _ slot: Slot, of container: ContainerID, _ id: ObjectID
  ) throws(StorageError) {
    forgetDangling(slot, of: container, id)
    switch (slot, try spot(container, in: id)) {
    case (.property(let name), .object(let table, let row)):
      guard let property = try layout.classes[table]?.properties[name] else { return }
      if property.isCollection { return try clear(property, of: row, in: table) }
      try writes.set(property.defaultValue, property.columnKey, of: row, in: table)
    case (.key(let key), .collection(let table, let row, let property)):
      guard property.collection == .map else { return }
      try writes.mapRemove(key.string, property, of: row, in: table)
    case (.member(let member), .collection(let table, let row, let property)):
      guard property.collection == .set else { return }
      while let known = try self.member(named: member, property, of: row, in: table) {
        try removeMember(at: known.index, property, row, table)
      }
    default: break
    }
  }

  /// By its place: in a file whose order is damaged a search for the value might not find it.
  private func removeMember(
    at index: Int, _ property: PropertyDescription, _ row: ObjectStore.ObjectKey,
    _ table: TableKey
  ) throws(StorageError) {
    try writes.listRemove(index..<index + 1, property.columnKey, of: row, in: table)
  }
}
