import SyncProtocol

/// A client's file in memory: what was committed, and what the open transaction has made of it.
public struct SimulatedClientStorage: ClientStorage, Sendable {
  /// The values of one container.
  struct Values: Sendable, Equatable {
    var slots: [Slot: CellValue] = [:]
    var items: [CellValue] = []
  }

  private struct Contents: Sendable {
    var record: ClientRecord
    var states: [ObjectID: ClientObject] = [:]
    var data: [ObjectID: [ContainerID: Values]] = [:]
  }

  private var durable: Contents
  private var working: Contents
  /// The next commit fails.
  var failsNextCommit = false

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

  public func value(_ slot: Slot, of container: ContainerID, in id: ObjectID) -> CellValue? {
    working.data[id]?[container]?.slots[slot]
  }

  public func slots(of container: ContainerID, in id: ObjectID) -> [Slot] {
    (working.data[id]?[container]?.slots.keys).map(Array.init) ?? []
  }

  public func item(_ index: Int, of container: ContainerID, in id: ObjectID) -> CellValue {
    working.data[id]?[container]?.items[index] ?? .null
  }

  public mutating func commit() throws(SyncError) {
    if failsNextCommit {
      failsNextCommit = false
      throw SyncError(.storage, "no room")
    }
    durable = working
  }

  public mutating func rollback() { working = durable }

  /// What another process finds that opens the file: what was written of states, and read again.
  mutating func reopen() throws(WireError) {
    durable.record = try ClientRecord(row: durable.record.row)
    let names = durable.record.names
    for (id, state) in durable.states {
      durable.states[id] = try ClientObject(row: state.row(names: names), names: names)
    }
    working = durable
  }

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

  func values(of id: ObjectID) -> [ContainerID: Values]? { working.data[id] }
}

extension ObjectID {
  /// For runs that a seed repeats: the lab's keys are integers.
  var order: Int64 {
    guard case .int(let key) = key else { return 0 }
    return Int64(type.rawValue) << 32 &+ key
  }
}
