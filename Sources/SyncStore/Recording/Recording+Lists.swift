import ObjectStore
import Storage
import SyncProtocol

// What a transaction has done to a list.
extension Recording {
  mutating func noteList(
    _ place: Place, _ list: ContainerID, _ change: ListChange?, _ id: ObjectID,
    declared: (NameID, ContainerID)?
  ) throws(StorageError) {
    if mayHoldContainers(place.property) {
      let (before, now) = try values(place, place.property)
      if try holdsContainers(before + now) { return try noteRows(before, now, list, id) }
    }
    let count = try writes.list(place.property.columnKey, of: place.row, in: place.table).count
    if case .operations(let operations) = change,
      try core.note(operations, list, leadingTo: count, id, declared: declared, now: now)
    {
      return
    }
    if change == nil { return }
    let (before, now) = try values(place, place.property)
    try noteDifference(before, now, list, id)
  }

  private func mayHoldContainers(_ property: PropertyDescription) -> Bool {
    if property.kind == .any { return true }
    guard property.kind == .object else { return false }
    return writes.schema.description.description(of: property.targetTable)?.isEmbedded == true
  }

  private func holdsContainers(_ values: [StoredValue]) throws(StorageError) -> Bool {
    for value in values {
      if case .link = value, try storage.cell(value)?.container != nil { return true }
    }
    return false
  }

  /// For what the history does not tell.
  private mutating func noteDifference(
    _ before: [StoredValue], _ now: [StoredValue], _ list: ContainerID, _ id: ObjectID
  ) throws(StorageError) {
    let changes = CollectionChanges.comparing(before, with: now)
    for index in changes.deletions.reversed() {
      core.removeItem(try core.shown(index, list, id), of: list, in: id, now: self.now)
    }
    for index in changes.insertions {
      core.insert(.null, at: try core.shown(index, list, id), of: list, in: id, now: self.now)
    }
  }

  // MARK: Elements in rows of their own

  /// Lists whose elements have rows: an element that is the same row is the same element.
  private mutating func noteRows(
    _ before: [StoredValue], _ now: [StoredValue], _ list: ContainerID, _ id: ObjectID
  ) throws(StorageError) {
    let staying = Set(now)
    var current = before
    for index in before.indices.reversed() where !staying.contains(before[index]) {
      core.removeItem(try core.shown(index, list, id), of: list, in: id, now: self.now)
      current.remove(at: index)
    }
    for (index, value) in now.enumerated() {
      if index < current.count, current[index] == value { continue }
      if let from = current[index...].firstIndex(of: value) {
        try core.move(from, index, list, id, now: self.now)
        current.remove(at: from)
      } else {
        try noteInsertion(of: value, at: try core.shown(index, list, id), list, id)
      }
      current.insert(value, at: index)
    }
    for index in (now.count..<max(now.count, current.count)).reversed() {
      core.removeItem(try core.shown(index, list, id), of: list, in: id, now: self.now)
    }
  }
}
