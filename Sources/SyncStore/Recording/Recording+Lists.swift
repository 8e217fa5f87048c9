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
      if try holdsContainers(before + now) {
        if try noteOperations(change, before, now, list, id, declared: declared) { return }
        return try noteRows(before, now, list, id)
      }
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
    for value in values where try isContainer(value) { return true }
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

  /// Lists of values of any kind with containers among them, whose other elements may be alike:
  /// notes what was done in its order, with the values that came of it. False, with nothing noted,
  /// if that is not known.
  private mutating func noteOperations(
    _ change: ListChange?, _ before: [StoredValue], _ now: [StoredValue], _ list: ContainerID,
    _ id: ObjectID, declared: (NameID, ContainerID)?
  ) throws(StorageError) -> Bool {
    guard case .operations(let operations) = change,
      let end = ListHistory(change, from: before.count, to: now.count)?.elements,
      try core.count(of: list, id) == before.count
    else { return false }
    let places = Dictionary(uniqueKeysWithValues: zip(end, end.indices))
    var list = list
    var history = ListHistory(count: before.count)
    var replaced: Set<Int> = []
    for operation in operations {
      if case .set(let index) = operation {
        let element = history.elements[index]
        // What was put in had its last value from then on; so has what was replaced before.
        if !history.isNew(element), let place = places[element], replaced.insert(element).inserted {
          try noteReplacement(before[element], now[place], at: index, list, id)
        }
      }
      history.apply(operation)
      if case .insert(let index, let count) = operation {
        for index in index..<index + count {
          let value = places[history.elements[index]].map { now[$0] } ?? .null
          try noteInsertion(of: value, at: try core.shown(index, list, id), list, id)
        }
      }
      try core.noteOrder(operation, &list, id, declared, now: self.now)
    }
    return true
  }

  private mutating func noteReplacement(
    _ old: StoredValue, _ value: StoredValue, at index: Int, _ list: ContainerID, _ id: ObjectID
  ) throws(StorageError) {
    // A container that is the same one has told of its own changes.
    if value == old, try isContainer(value) { return }
    let cell = try storage.cell(value) ?? .null
    if cell.container != nil, case .link(let table, let row) = value {
      storage.recordedRow = (table, row)
    }
    let shown = try core.shown(index, list, id)
    core.setItem(shown, of: list, in: id, to: cell, now: now)
    try noteItem(value, cell, at: shown, list, id)
  }

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
