/// What the server keeps besides objects and client files.
public struct ServerHead: Sendable, Equatable {
  /// Which history this is; another one after a backup was restored.
  public var epoch: UInt64
  /// The newest version.
  public var version = ServerVersion.zero
  /// The latest time of any write.
  public var time: UInt64 = 0
  /// Marks of what was removed are kept after this version.
  public var floor = ServerVersion.zero
  /// The names of classes and properties.
  public var names = Names()
  /// The classes.
  public var schema = Schema()

  /// A server without data.
  public init(epoch: UInt64) { self.epoch = epoch }
}

/// What one commit writes, all or nothing.
public struct ServerChanges: Sendable {
  /// The new head.
  public var head: ServerHead
  /// Objects that changed; nil is to be forgotten.
  public var objects: [ObjectID: ServerObject?] = [:]
  /// Client files that changed; nil is to be forgotten.
  public var clientFiles: [ClientID: ClientFile?] = [:]
  /// The clients whose batches had changes of an object.
  public var writers: [ObjectID: Set<ClientID>] = [:]
}

/// Where the server keeps its state. What `commit` has been given survives a crash when it returns;
/// the other calls see that and nothing newer.
public protocol ServerStorage {
  /// The head of the last commit.
  func head() throws(SyncError) -> ServerHead
  /// An object, dead ones among them.
  func object(_ id: ObjectID) throws(SyncError) -> ServerObject?
  /// Objects whose version is larger than this one.
  func objects(changedAfter version: ServerVersion) throws(SyncError) -> [ObjectID]
  /// Those of them that a client may have to hear of: its subscriptions select them, or did before
  /// they changed, or it has written them. Others may be among them.
  func objects(
    changedAfter version: ServerVersion, concerning client: ClientFile
  ) throws(SyncError) -> [ObjectID]
  /// Objects that a subscription selects.
  func objects(selectedBy subscription: Subscription) throws(SyncError) -> [ObjectID]
  /// Whether a subscription selects an object.
  func selects(
    _ subscription: Subscription, _ id: ObjectID, _ object: ServerObject
  ) throws(SyncError) -> Bool
  /// Whether a user may see an object at all, whatever is subscribed to.
  func shows(_ id: ObjectID, _ object: ServerObject, to user: Text) -> Bool
  /// Objects that subscriptions may select, or no longer, because of what changed in others: where
  /// queries follow links. Those that changed need not be among them.
  func objects(
    dependingOn changed: [ObjectID], under subscriptions: [Subscription]
  ) throws(SyncError) -> [ObjectID]
  /// What is wrong with a query, if anything is.
  func problem(of subscription: Subscription) -> Text?
  /// Whether a user may make a change to an object, which is nil if there is none.
  func allows(_ change: ObjectChange, by user: Text, to object: ServerObject?) -> Bool
  /// Whether a member is the simplest of all that equal it in such a set: it is the slot for them.
  func isSimplest(_ member: CellValue, inSetOf property: PropertyType) -> Bool
  /// Dead objects whose last version is at most this one.
  func deadObjects(upTo version: ServerVersion) throws(SyncError) -> [ObjectID]
  /// All objects with marks of what was removed.
  func objectsWithMarks() throws(SyncError) -> [ObjectID]
  /// All client files.
  func clientFiles() throws(SyncError) -> [ClientFile]
  /// Makes changes durable.
  mutating func commit(_ changes: ServerChanges) throws(SyncError)
}

extension ServerStorage {
  /// All may see everything.
  public func shows(_ id: ObjectID, _ object: ServerObject, to user: Text) -> Bool { true }

  /// Every change may concern everybody.
  public func objects(
    changedAfter version: ServerVersion, concerning client: ClientFile
  ) throws(SyncError) -> [ObjectID] { try objects(changedAfter: version) }

  /// Members are equal only if they are the same.
  public func isSimplest(_ member: CellValue, inSetOf property: PropertyType) -> Bool { true }

  /// Queries look at the object alone.
  public func objects(
    dependingOn changed: [ObjectID], under subscriptions: [Subscription]
  ) throws(SyncError) -> [ObjectID] { [] }
}
