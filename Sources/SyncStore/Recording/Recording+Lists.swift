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
      try noteOperations(operations, list, count, id, declared: declared)
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

  /// The elements that the client's state has and the program's list has not.
  private func missing(_ list: ContainerID, _ id: ObjectID) throws(StorageError) -> [Int] {
    try storage.entry(id).places.missingItems(of: list)
  }

  private func shown(
    _ index: Int, _ list: ContainerID, _ id: ObjectID
  ) throws(StorageError) -> Int {
    RealmClientStorage.shown(index, try missing(list, id))
  }

  /// Notes what was done in its order. False, with nothing noted, if it does not lead to what is
  /// there.
  private mutating func noteOperations(
    _ operations: [ListOperation], _ list: ContainerID, _ end: Int, _ id: ObjectID,
    declared: (NameID, ContainerID)?
  ) throws(StorageError) -> Bool {
    var list = list
    var count = storage.state(of: id)?.elements(of: list).count ?? 0
    count -= try missing(list, id).count
    guard operations.leads(from: count, to: end) else { return false }
    for operation in operations {
      switch operation {
      case .insert(let index, let inserted):
        for offset in 0..<inserted {
          let place = try shown(index + offset, list, id)
          core.insert(.null, at: place, of: list, in: id, now: self.now)
        }
      case .remove(let index, let removed):
        for _ in 0..<removed {
          core.removeItem(try shown(index, list, id), of: list, in: id, now: self.now)
        }
      case .set(let index):
        core.setItem(
          try shown(index, list, id), of: list, in: id, to: .null, now: self.now)
      case .move(let from, let to): try move(from, to, list, id)
      case .swap(let left, let right):
        let (low, high) = (min(left, right), max(left, right))
        if low == high { continue }
        try move(low, high, list, id)
        if high - 1 > low { try move(high - 1, low, list, id) }
      case .clear: list = try clear(list, id, declared)
      }
    }
    return true
  }

  private mutating func move(
    _ from: Int, _ to: Int, _ list: ContainerID, _ id: ObjectID
  ) throws(StorageError) {
    let start = try shown(from, list, id)
    let rest = try missing(list, id).map { $0 > start ? $0 - 1 : $0 }
    core.moveItem(
      start, to: RealmClientStorage.shown(to, rest), of: list, in: id, now: now)
  }

  /// A cleared list is a new one, so that what others write in the old one is discarded.
  private mutating func clear(
    _ list: ContainerID, _ id: ObjectID, _ declared: (NameID, ContainerID)?
  ) throws(StorageError) -> ContainerID {
    guard let (name, container) = declared else {
      let count = storage.state(of: id)?.elements(of: list).count ?? 0
      for index in (0..<count).reversed() {
        core.removeItem(index, of: list, in: id, now: now)
      }
      return list
    }
    core.set(.property(name), of: container, in: id, to: .list, now: now)
    return storage.state(of: id)?.collection(name, of: container) ?? list
  }

  /// For what the history does not tell.
  private mutating func noteDifference(
    _ before: [StoredValue], _ now: [StoredValue], _ list: ContainerID, _ id: ObjectID
  ) throws(StorageError) {
    let changes = CollectionChanges.comparing(before, with: now)
    for index in changes.deletions.reversed() {
      core.removeItem(try shown(index, list, id), of: list, in: id, now: self.now)
    }
    for index in changes.insertions {
      core.insert(.null, at: try shown(index, list, id), of: list, in: id, now: self.now)
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
      core.removeItem(try shown(index, list, id), of: list, in: id, now: self.now)
      current.remove(at: index)
    }
    for (index, value) in now.enumerated() {
      if index < current.count, current[index] == value { continue }
      if let from = current[index...].firstIndex(of: value) {
        try move(from, index, list, id)
        current.remove(at: from)
      } else {
        try noteInsertion(of: value, at: try shown(index, list, id), list, id)
      }
      current.insert(value, at: index)
    }
    for index in (now.count..<max(now.count, current.count)).reversed() {
      core.removeItem(try shown(index, list, id), of: list, in: id, now: self.now)
    }
  }
}

extension [ListOperation] {
  /// Whether the operations can be applied to a list of `count` elements, and leave `end`.
  fileprivate func leads(from count: Int, to end: Int) -> Bool {
    var count = count
    for operation in self {
      switch operation {
      case .insert(let index, let inserted):
        guard index <= count else { return false }
        count += inserted
      case .remove(let index, let removed):
        guard index + removed <= count else { return false }
        count -= removed
      case .set(let index): if index >= count { return false }
      case .move(let from, let to), .swap(let from, let to):
        if from >= count || to >= count { return false }
      case .clear: count = 0
      }
    }
    return count == end
  }
}
