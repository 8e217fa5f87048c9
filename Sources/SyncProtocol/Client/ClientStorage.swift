/// A change of the program's data.
public enum DataChange: Hashable, Sendable {
  /// The object is there, with nothing in it.
  case create
  /// The object is gone, with all that is in it.
  case delete
  /// A property, a value of a map or a member of a set. A container is there, with nothing in it.
  case set(ContainerID, Slot, CellValue)
  /// A property has its default, or a key or a member is gone.
  case remove(ContainerID, Slot)
  /// An element of a list.
  case insertItem(ContainerID, Int, CellValue)
  /// An element of a list is gone.
  case removeItem(ContainerID, Int)
  /// An element of a list, with what is in it, is taken out and put in at an index.
  case moveItem(ContainerID, from: Int, to: Int)
  /// The value of an element of a list.
  case setItem(ContainerID, Int, CellValue)
  /// A container is gone.
  case drop(ContainerID)
  /// A container has another name.
  case rename(ContainerID, ContainerID)
}

/// From when to when an object was written, of what is not acknowledged.
public struct DirtySpan<Handle> {
  /// Not later than the first such write.
  public var since: UInt64
  /// The newest one.
  public var until: UInt64
  /// What the storage finds the object by, until it changes objects.
  public var handle: Handle

  /// A span from its parts.
  public init(since: UInt64, until: UInt64, handle: Handle) {
    self.since = since
    self.until = until
    self.handle = handle
  }
}

/// Where a client keeps its data and its state of sync, in one transaction.
///
/// `commit` makes all that was done since the last commit durable at once; after a crash storage
/// has what the last commit left. The client's state of an object is taken out and put back, so
/// that it can be changed in place.
public protocol ClientStorage {
  /// How the storage finds an object that it has looked at: smaller than its name, since there may
  /// be many.
  associatedtype DirtyHandle

  /// What the file keeps about itself.
  var record: ClientRecord { get set }
  /// By how much the number of a new batch or query set is larger than the one before and than the
  /// clock: random, another one each time, and not 0. So two states of a file that were at the same
  /// number and have received the same time do not go on with one number.
  mutating func numberStep() -> UInt64
  /// The classes that the program has by now; nil: those that it had when the connection began.
  var classes: [SchemaClass]? { get }
  /// The state of an object.
  func state(of id: ObjectID) -> ClientObject?
  /// Takes the state of an object out.
  mutating func takeState(of id: ObjectID) -> ClientObject?
  /// Puts the state of an object back; nil if there is nothing to keep, and no object.
  mutating func putState(_ state: ClientObject?, of id: ObjectID)
  /// All objects with a state.
  var objects: [ObjectID] { get }
  /// The objects whose states have tombstones.
  var tombstones: [ObjectID] { get }
  /// The objects of which something is not acknowledged.
  var dirtyObjects: [ObjectID] { get }
  /// When those were written.
  var dirtySpans: [DirtySpan<DirtyHandle>] { get }
  /// The object of a span.
  func dirtyObject(_ handle: DirtyHandle) -> ObjectID?
  /// The value of a property, a key or a member.
  func value(_ slot: Slot, of container: ContainerID, in id: ObjectID) -> CellValue?
  /// The cells of a container that have values.
  func slots(of container: ContainerID, in id: ObjectID) -> [Slot]
  /// The value of an element of a list.
  func item(_ index: Int, of container: ContainerID, in id: ObjectID) -> CellValue
  /// The next change of this cell makes a container with this name.
  mutating func willMake(
    _ made: ContainerID, at slot: Slot, of container: ContainerID, in id: ObjectID)
  /// The next change of a list is about this element.
  mutating func willWrite(_ element: ElementID, of container: ContainerID, in id: ObjectID)
  /// Changes the data.
  mutating func change(_ change: DataChange, in id: ObjectID)
  /// Begins a transaction, unless one has begun: `record` is then as the last commit left it. What
  /// else reads or changes begins one by itself.
  mutating func beginTransaction()
  /// The slice is about to be applied, in the same transaction.
  mutating func willApply(_ slice: AppliedSlice)
  /// Ends the transaction.
  mutating func commit() throws(SyncError)
  /// Takes back what was done since the last commit.
  mutating func rollback()
}

extension ClientStorage {
  /// For storage whose program gets no more classes.
  public var classes: [SchemaClass]? { nil }

  /// For storage that needs no more than the names of containers.
  public mutating func willMake(
    _ made: ContainerID, at slot: Slot, of container: ContainerID, in id: ObjectID
  ) {}

  /// For storage that has no transactions to begin.
  public mutating func beginTransaction() {}

  /// For storage that tells nobody what slices bring.
  public mutating func willApply(_ slice: AppliedSlice) {}

  /// For storage that needs no more than the indexes of elements.
  public mutating func willWrite(
    _ element: ElementID, of container: ContainerID, in id: ObjectID
  ) {}
}
