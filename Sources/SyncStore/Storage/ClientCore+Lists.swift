import ObjectStore
import Storage
import SyncProtocol

// What programs have done to lists, as the client's core is to note it.
extension ClientCore<RealmClientStorage> {
  /// Notes what was done in its order. False, with nothing noted, if it cannot be done to the list
  /// that the state has.
  ///
  /// - Parameters:
  ///   - end: the elements that are left of it, if that is known.
  ///   - declared: the property that declares the list, and the container that has it.
  mutating func note(
    _ operations: [ListOperation], _ list: ContainerID, leadingTo end: Int?, _ id: ObjectID,
    declared: (NameID, ContainerID)?, now: UInt64
  ) throws(StorageError) -> Bool {
    var list = list
    guard operations.lead(from: try count(of: list, id), to: end) else { return false }
    for operation in operations {
      switch operation {
      case .insert(let index, let inserted):
        for offset in 0..<inserted {
          insert(.null, at: try shown(index + offset, list, id), of: list, in: id, now: now)
        }
      case .set(let index):
        setItem(try shown(index, list, id), of: list, in: id, to: .null, now: now)
      default: try noteOrder(operation, &list, id, declared, now: now)
      }
    }
    return true
  }

  /// Notes an operation that gives no element a value.
  mutating func noteOrder(
    _ operation: ListOperation, _ list: inout ContainerID, _ id: ObjectID,
    _ declared: (NameID, ContainerID)?, now: UInt64
  ) throws(StorageError) {
    switch operation {
    case .insert, .set: break
    case .remove(let index, let removed):
      for _ in 0..<removed {
        removeItem(try shown(index, list, id), of: list, in: id, now: now)
      }
    case .move(let from, let to): try move(from, to, list, id, now: now)
    case .swap(let left, let right):
      let (low, high) = (min(left, right), max(left, right))
      if low == high { return }
      try move(low, high, list, id, now: now)
      if high - 1 > low { try move(high - 1, low, list, id, now: now) }
    case .clear: list = clear(list, id, declared, now: now)
    }
  }

  /// How many elements the program's list has by the state.
  func count(of list: ContainerID, _ id: ObjectID) throws(StorageError) -> Int {
    let count = storage.state(of: id)?.elementCount(of: list) ?? 0
    return count - (try hidden(list, id).missingCount)
  }

  /// An index in the program's list as one of the state's.
  func shown(
    _ index: Int, _ list: ContainerID, _ id: ObjectID
  ) throws(StorageError) -> Int {
    try hidden(list, id).shown(index)
  }

  private func hidden(_ list: ContainerID, _ id: ObjectID) throws(StorageError) -> HiddenItems {
    try storage.entry(id).places.dangling.items(of: list)
  }

  mutating func move(
    _ from: Int, _ to: Int, _ list: ContainerID, _ id: ObjectID, now: UInt64
  ) throws(StorageError) {
    let start = try shown(from, list, id)
    // Where it goes to is an index among the others.
    let end = try to < from ? shown(to, list, id) : shown(to + 1, list, id) - 1
    moveItem(start, to: end, of: list, in: id, now: now)
  }

  /// A cleared list is a new one, so that what others write in the old one is discarded.
  private mutating func clear(
    _ list: ContainerID, _ id: ObjectID, _ declared: (NameID, ContainerID)?, now: UInt64
  ) -> ContainerID {
    guard let (name, container) = declared else {
      let count = storage.state(of: id)?.elementCount(of: list) ?? 0
      for index in (0..<count).reversed() { removeItem(index, of: list, in: id, now: now) }
      return list
    }
    set(.property(name), of: container, in: id, to: .list, now: now)
    return storage.state(of: id)?.collection(name, of: container) ?? list
  }
}
