import ObjectStore
import Storage
import SyncProtocol

// Changing lists. The state's indexes count elements whose links lead to nothing, the program's
// lists are without them.
extension RealmClientStorage {
  private func place(
    of index: Int, in container: ContainerID, _ id: ObjectID
  ) throws(StorageError) -> Int {
    index - (try entry(id).places.dangling.missingItems(before: index, of: container))
  }

  private func list(
    _ container: ContainerID, _ id: ObjectID
  ) throws(StorageError) -> (TableKey, ObjectStore.ObjectKey, PropertyDescription)? {
    guard case .collection(let table, let row, let property) = try spot(container, in: id),
      property.collection == .list
    else { return nil }
    return (table, row, property)
  }

  private func takePending(_ container: ContainerID, _ id: ObjectID) -> ContainerID? {
    guard let element = nextElement else { return nil }
    nextElement = nil
    return pending.removeValue(
      forKey: PendingName(object: id, container: container, slot: .item(element)))
  }

  func insertItem(
    _ value: CellValue, at index: Int, of container: ContainerID, _ id: ObjectID
  ) throws(StorageError) {
    let made = takePending(container, id)
    guard let (table, row, property) = try list(container, id) else { return }
    let place = try place(of: index, in: container, id)
    entries[id]?.places.dangling.shift(container, from: index, by: 1)
    if let made, case .object = value, property.kind == .object {
      let new = try writes.listInsertEmbedded(at: place, property.columnKey, of: row, in: table)
      entries[id]?.places.made[made] = .row(property.targetTable, new)
      return
    }
    if let made, property.kind == .any, let nested = try makeNested(value, made, id) {
      return try writes.listInsert(nested, at: place, property.columnKey, of: row, in: table)
    }
    switch try content(value, for: property) {
    case .value(let stored):
      try writes.listInsert(stored, at: place, property.columnKey, of: row, in: table)
    case .dangling(let target):
      if property.kind == .any {
        try writes.listInsert(.null, at: place, property.columnKey, of: row, in: table)
        keep(.nullItem(index), container, id, target)
      } else {
        keep(.item(index), container, id, target)
      }
    case .unfit:
      // So that the indexes of others are right.
      if property.kind == .object { return keep(.item(index), container, id, Self.nothing) }
      try writes.listInsert(
        property.defaultValue, at: place, property.columnKey, of: row, in: table)
    }
  }

  /// What an element leads to that no program can have written.
  private static let nothing = ObjectID(type: NameID(0), key: .null)

  private func keep(
    _ spot: Places.Dangling.Spot, _ container: ContainerID, _ id: ObjectID, _ target: ObjectID
  ) {
    entries[id]?.places.dangling.append(
      Places.Dangling(container: container, spot: spot, target: target))
  }

  func removeItem(
    at index: Int, of container: ContainerID, _ id: ObjectID
  ) throws(StorageError) {
    guard let (table, row, property) = try list(container, id) else { return }
    let place = try place(of: index, in: container, id)
    let link = entries[id]?.places.dangling.takeItem(index, of: container)
    if link?.isMissing != true {
      try writes.listRemove(place..<place + 1, property.columnKey, of: row, in: table)
    }
    entries[id]?.places.dangling.shift(container, from: index, by: -1)
  }

  func moveItem(
    _ from: Int, _ to: Int, of container: ContainerID, _ id: ObjectID
  ) throws(StorageError) {
    guard let (table, row, property) = try list(container, id) else { return }
    let isMissing = try entry(id).places.dangling.isMissing(from, of: container)
    let start = try place(of: from, in: container, id)
    entries[id]?.places.dangling.moveItem(from, to, of: container)
    if isMissing { return }
    let end = try place(of: to, in: container, id)
    if start != end {
      try writes.listMove(from: start, to: end, property.columnKey, of: row, in: table)
    }
  }

  func setItem(
    _ value: CellValue, at index: Int, of container: ContainerID, _ id: ObjectID
  ) throws(StorageError) {
    guard let (table, row, property) = try list(container, id) else { return }
    let isMissing = try entry(id).places.dangling.isMissing(index, of: container)
    if case .value(let stored) = try content(value, for: property), !isMissing {
      let place = try place(of: index, in: container, id)
      _ = entries[id]?.places.dangling.takeItem(index, of: container)
      nextElement = nil
      return try writes.listSet(stored, at: place, property.columnKey, of: row, in: table)
    }
    let element = nextElement
    try removeItem(at: index, of: container, id)
    nextElement = element
    try insertItem(value, at: index, of: container, id)
  }
}
