public import Dispatch
public import Foundation
import ObjectStore

/// A database file at one version, seen from one thread, serial queue or actor.
///
///     let realm = try Realm()
///     try realm.write {
///       realm.add(Person(value: ["name": "Ada"]))
///     }
///
/// Realms are cheap: all of one configuration in one place share an instance and a version. A realm
/// and everything read from it are confined to where it was opened. On a loop thread, the main
/// thread or a dispatch queue it moves to newer versions by itself; elsewhere `refresh()` does
/// that.
@frozen public struct Realm: Equatable {
  @usableFromInline let instance: _RealmInstance

  @usableFromInline
  init(instance: _RealmInstance) { self.instance = instance }

  /// Opens the default configuration's file here, or on a serial queue.
  public init(queue: DispatchQueue? = nil) throws {
    try self.init(configuration: .defaultConfiguration, queue: queue)
  }

  /// Opens a configuration's file here, or on a serial queue. The file is made if there is none,
  /// and classes and properties that it lacks are added.
  ///
  /// - Parameter queue: a serial queue that the caller is on or will use the realm on.
  /// - Throws: `Realm.Error`.
  public init(configuration: Configuration, queue: DispatchQueue? = nil) throws {
    let scheduler = Schedulers.current(queue: queue)
    instance = try RealmOpening.instance(configuration, scheduler)
  }

  /// Opens the file with the default configuration's other settings.
  public init(fileURL: URL) throws {
    var configuration = Configuration.defaultConfiguration
    configuration.fileURL = fileURL
    try self.init(configuration: configuration)
  }

  /// Whether both are the same instance's.
  public static func == (left: Realm, right: Realm) -> Bool { left.instance === right.instance }

  // MARK: State

  /// What the realm was opened with.
  public var configuration: Configuration { instance.configuration }

  /// The classes that the realm knows: the program's, or, in a realm that was opened with an empty
  /// `objectTypes`, those that the file has.
  public var schema: Schema {
    instance.classes.isEmpty
      ? Schema(instance.schema.description) : Schema(instance.classes.map(\.objectSchema))
  }

  /// Whether there is no object in the file, of whatever class.
  public var isEmpty: Bool {
    instance.checkThread()
    instance.ensureReading()
    return instance.schema.description.classes.allSatisfy { description in
      description.isRemoved || SyncClass.allCases.contains { $0.className == description.name }
        || instance.table(of: instance.binding(for: description.tableKey)).count == 0
    }
  }

  /// Whether the realm moves to newer versions by itself where it lives on a loop or a queue.
  public var autorefresh: Bool {
    get {
      instance.checkThread()
      return instance.isFrozen ? false : instance.autorefresh
    }
    nonmutating set {
      instance.checkThread()
      if instance.isFrozen {
        throwRealmException(
          "Auto-refresh cannot be set for frozen Realms; set it for the live one.")
      }
      instance.autorefresh = newValue
      if newValue { instance.scheduleTurn() }
    }
  }

  /// Whether a write transaction is open on this realm.
  public var isInWriteTransaction: Bool {
    instance.checkThread()
    return instance.isInWriteTransaction
  }

  /// Whether this is an immutable view of one version. May be asked on any thread.
  public var isFrozen: Bool { instance.isFrozen }

  // MARK: Transactions

  /// Runs the block in a write transaction, which is committed when the block returns, and undone
  /// when it throws. Waits while somebody else writes.
  ///
  /// - Parameter tokens: observers, of this realm, that are not to hear of this transaction. What
  ///   others have committed until it is its turn they are told before the block runs.
  /// - Throws: what the block throws, or `Realm.Error` if the transaction cannot be made durable.
  @discardableResult
  public func write<Result>(
    withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> Result
  ) throws -> Result {
    try rethrowingStorageErrors { () throws(StorageFailure) in
      if tokens.isEmpty {
        try instance.beginWrite()
      } else {
        try instance.beginWrite(withoutNotifying: tokens)
      }
    }
    let result: Result
    do {
      result = try block()
    } catch {
      if instance.isInWriteTransaction { instance.cancelWrite() }
      throw error
    }
    if instance.isInWriteTransaction { try commitWrite(withoutNotifying: tokens) }
    return result
  }

  /// Begins a write transaction; waits while somebody else writes. Every one has to be committed or
  /// cancelled. The realm is at the newest version from here on.
  ///
  /// Until then the transaction keeps the realm, so that another `Realm` of the same place can end
  /// it: where there are turns (on a loop, a queue, an actor) to the end of the turn, elsewhere to
  /// the end of the thread. If nothing else keeps the realm then, the transaction is cancelled.
  public func beginWrite() {
    engine { () throws(StorageFailure) in try instance.beginWrite() }
    OpenWriteHold.keep(instance)
  }

  /// Makes the changes of the open write transaction durable and visible to everybody.
  ///
  /// - Throws: `Realm.Error`; then the changes are undone.
  public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
    try rethrowingStorageErrors { () throws(StorageFailure) in
      try instance.commitWrite(withoutNotifying: tokens)
    }
  }

  /// Undoes the changes of the open write transaction.
  public func cancelWrite() { instance.cancelWrite() }

  // MARK: Versions

  /// Moves to the newest version and tells observers. Returns whether there was a newer one, or
  /// none before (after `invalidate()`). False also where there is no room to hold one more
  /// version: on a full disk the realm may have to stay where it is.
  @discardableResult
  public func refresh() -> Bool {
    engine { () throws(StorageFailure) in try instance.refreshIfRoom() }
  }

  /// Lets go of the version that is read; all objects and collections become invalid. The realm
  /// itself stays usable.
  public func invalidate() { instance.invalidate() }

  /// An immutable view of the present version, usable on any thread.
  public func freeze() -> Realm { Realm(instance: instance.frozen()) }

  /// The live counterpart of a frozen realm, here.
  public func thaw() -> Realm { Realm(instance: instance.thawed()) }

  /// An immutable view of the object.
  public func freeze<T: ObjectBase>(_ object: T) -> T {
    known(object._frozen(), as: T.self)
  }

  /// The live counterpart of a frozen object, nil if it was deleted since.
  public func thaw<T: ObjectBase>(_ object: T) -> T? {
    object._thawed().map { known($0, as: T.self) }
  }

  /// An immutable view of the collection.
  public func freeze<C: RealmCollection>(_ collection: C) -> C { collection.freeze() }
}
