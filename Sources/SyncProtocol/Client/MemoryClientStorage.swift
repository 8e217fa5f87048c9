/// A client's file in memory, for tests and tools: what was committed, and what the open
/// transaction has made of it.
public struct MemoryClientStorage: ClientStorage, Sendable {
  /// The values of one container.
  package struct Values: Sendable, Equatable {
    package var slots: [Slot: CellValue] = [:]
    package var items: [CellValue] = []
  }

  package struct Contents: Sendable {
    package var record: ClientRecord
    package var states: [ObjectID: ClientObject] = [:]
    var data: [ObjectID: [ContainerID: Values]] = [:]
  }

  package var durable: Contents
  package var working: Contents
  /// The next commit fails.
  package var failsNextCommit = false

  /// A file that has never been connected.
  public init(client: ClientID) {
    durable = Contents(record: ClientRecord(client: client))
    working = durable
  }

  public var record: ClientRecord {
    get { working.record }
    set { working.record = newValue }
  }

  public func state(of id: ObjectID) -> ClientObject? { working.states[id] }

  public mutating func takeState(of id: ObjectID) -> ClientObject? {
    working.states.removeValue(forKey: id)
  }

  public mutating func putState(_ state: ClientObject?, of id: ObjectID) {
    working.states[id] = state
  }

  public var objects: [ObjectID] { Array(working.states.keys) }

  public var dirtyObjects: [ObjectID] {
    working.states.filter { $0.value.isDirty }.keys.sorted { $0.order < $1.order }
  }

  public var dirtySpans: [DirtySpan<ObjectID>] {
    dirtyObjects.compactMap { id in
      working.states[id]?.dirtySpan.map {
        DirtySpan(since: $0.lowerBound, until: $0.upperBound, handle: id)
      }
    }
  }

  public func dirtyObject(_ id: ObjectID) -> ObjectID? { id }

  public func value(_ slot: Slot, of container: ContainerID, in id: ObjectID) -> CellValue? {
    working.data[id]?[container]?.slots[slot]
  }

  public func slots(of container: ContainerID, in id: ObjectID) -> [Slot] {
    (working.data[id]?[container]?.slots.keys).map(Array.init) ?? []
  }

  public func item(_ index: Int, of container: ContainerID, in id: ObjectID) -> CellValue {
    working.data[id]?[container]?.items[index] ?? .null
  }

  /// The elements of a list.
  public func items(of container: ContainerID, in id: ObjectID) -> [CellValue] {
    working.data[id]?[container]?.items ?? []
  }

  public mutating func commit() throws(SyncError) {
    if failsNextCommit {
      failsNextCommit = false
      throw SyncError(.storage, "no room")
    }
    durable = working
  }

  public mutating func rollback() { working = durable }

  public mutating func change(_ change: DataChange, in id: ObjectID) {
    switch change {
    case .create: working.data[id] = [:]
    case .delete: working.data[id] = nil
    case .set(let container, let slot, let value):
      working.data[id, default: [:]][container, default: Values()].slots[slot] = value
    case .remove(let container, let slot):
      working.data[id]?[container]?.slots[slot] = nil
    case .insertItem(let container, let index, let value):
      working.data[id, default: [:]][container, default: Values()].items.insert(value, at: index)
    case .removeItem(let container, let index):
      working.data[id]?[container]?.items.remove(at: index)
    case .moveItem(let container, let from, let to):
      if let value = working.data[id]?[container]?.items.remove(at: from) {
        working.data[id]?[container]?.items.insert(value, at: to)
      }
    case .setItem(let container, let index, let value):
      working.data[id]?[container]?.items[index] = value
    case .drop(let container): working.data[id]?[container] = nil
    case .rename(let old, let new):
      if let values = working.data[id]?.removeValue(forKey: old) {
        working.data[id]?[new] = values
      }
    }
  }

  /// What there is of an object.
  package func values(of id: ObjectID) -> [ContainerID: Values]? { working.data[id] }
}

extension ObjectID {
  /// For runs that a seed repeats: their keys are integers.
  package var order: Int64 {
    guard case .int(let key) = key else { return 0 }
    return Int64(type.rawValue) << 32 &+ key
  }
}
