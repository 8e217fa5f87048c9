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

  /// What an object was before the open transaction.
  private struct Before: Sendable {
    var state: ClientObject?
    var data: [ContainerID: Values]?
  }

  private var working: Contents
  private var committedRecord: ClientRecord
  /// What the open transaction has touched: so a commit costs what was changed, and not what there
  /// is.
  private var before: [ObjectID: Before] = [:]
  /// The objects that have a state of which something is not acknowledged.
  private var dirty: Set<ObjectID> = []
  /// What the next step is made of; 0: each is 1.
  package var numberSeed: UInt64 = 0
  /// The next commit fails.
  package var failsNextCommit = false

  /// A file that has never been connected.
  public init(client: ClientID) {
    working = Contents(record: ClientRecord(client: client))
    committedRecord = working.record
  }

  /// By the seed, so that a run is what it was.
  public mutating func numberStep() -> UInt64 {
    if numberSeed == 0 { return 1 }
    numberSeed = numberSeed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return 1 + numberSeed >> 42
  }

  /// What was committed; to be set when no transaction is open.
  package var durable: Contents {
    get {
      var contents = working
      contents.record = committedRecord
      for (id, before) in before {
        contents.states[id] = before.state
        contents.data[id] = before.data
      }
      return contents
    }
    set {
      before = [:]
      working = newValue
      committedRecord = newValue.record
      dirty = Set(newValue.states.filter { $0.value.isPending }.keys)
    }
  }

  /// The open transaction touches an object.
  private mutating func touch(_ id: ObjectID) {
    if before[id] != nil { return }
    before[id] = Before(state: working.states[id], data: working.data[id])
  }

  public var record: ClientRecord {
    get { working.record }
    set { working.record = newValue }
  }

  public func state(of id: ObjectID) -> ClientObject? { working.states[id] }

  public mutating func takeState(of id: ObjectID) -> ClientObject? {
    touch(id)
    dirty.remove(id)
    return working.states.removeValue(forKey: id)
  }

  public mutating func putState(_ state: ClientObject?, of id: ObjectID) {
    touch(id)
    working.states[id] = state
    if state?.isPending == true { dirty.insert(id) } else { dirty.remove(id) }
  }

  public var objects: [ObjectID] { Array(working.states.keys) }
  /// The objects whose states have tombstones.
  public var tombstones: [ObjectID] {
    working.states.filter { $0.value.tombstone != nil }.map(\.key)
  }

  public var dirtyObjects: [ObjectID] { dirty.sorted { $0.order < $1.order } }

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
    before = [:]
    committedRecord = working.record
  }

  public mutating func rollback() { durable = durable }

  public mutating func change(_ change: DataChange, in id: ObjectID) {
    touch(id)
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

  /// Takes out what is in properties that the program had no place for until now, as if it had
  /// never had one.
  ///
  /// - Parameter properties: the new ones, by class.
  package mutating func forget(newProperties properties: [NameID: Set<NameID>]) {
    for id in working.data.keys {
      touch(id)
      for property in properties[id.type] ?? [] {
        working.data[id]?[.root]?.slots[.property(property)] = nil
        working.data[id]?[ContainerID(declaredBy: property, in: .root)] = nil
      }
    }
    for id in objects {
      var state = takeState(of: id)
      for gone in state?.forget(newProperties: properties) ?? [] {
        change(.drop(gone), in: id)
      }
      putState(state, of: id)
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
