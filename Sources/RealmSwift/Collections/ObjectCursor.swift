import ObjectStore
import Storage

/// Goes through the objects that a collection held when the loop began, whatever the loop's body
/// changes meanwhile: objects that were deleted since come as invalidated ones.
///
/// As long as nothing has changed it knows where each object is, and its accessor with it. A whole
/// class is gone through cluster by cluster, in the version that it had at the beginning, which
/// stays pinned until then.
@usableFromInline
struct ObjectCursor {
  private let instance: _RealmInstance
  private let binding: TableBinding
  /// The instance's, when the loop began.
  private let generation: UInt64
  private let table: Table
  /// The version that `clusters` are of.
  private let snapshot: Snapshot?
  /// What is left of a class that is gone through as a whole.
  private var clusters: ClusterIterator?
  /// Else the objects.
  private let keys: ContiguousArray<ObjectKey>
  private var nextKey = 0
  /// The cluster that the last object was in.
  private var cluster: Cluster?
  private var row = 0
  private var rowEnd = 0

  /// All objects of a class, outside of a write transaction: what is read is a version then.
  init(_ instance: _RealmInstance, _ binding: TableBinding, _ table: Table) {
    self.instance = instance
    self.binding = binding
    self.table = table
    generation = instance.readState.pointee.generation
    snapshot = instance.snapshot
    clusters = table.clusters()
    keys = []
  }

  init(
    _ instance: _RealmInstance, _ binding: TableBinding, _ keys: ContiguousArray<ObjectKey>
  ) {
    self.instance = instance
    self.binding = binding
    table = instance.table(of: binding)
    generation = instance.readState.pointee.generation
    snapshot = nil
    clusters = nil
    self.keys = keys
  }

  /// Whether nothing has changed since the beginning, so that positions hold.
  @inline(__always)
  private var isUnchanged: Bool { instance.readState.pointee.generation == generation }

  @usableFromInline
  mutating func next() -> ObjectBase? {
    guard row < rowEnd || (clusters != nil && advance()) else { return nextOfKeys() }
    let position = unsafe ObjectPosition(cluster: cluster.unsafelyUnwrapped, row: row)
    row &+= 1
    return isUnchanged ? instance.object(binding, at: position) : changedObject(position.key)
  }

  /// Goes to the next cluster; false at the end.
  private mutating func advance() -> Bool {
    let found = engine { () throws(StorageError) in
      // Who keeps a version for too long is told to give it up.
      if let snapshot, !instance.isFrozen { try snapshot.requireUnexpired() }
      return try clusters!.next()
    }
    cluster = found
    row = 0
    rowEnd = found?.count ?? 0
    return found != nil
  }

  private mutating func nextOfKeys() -> ObjectBase? {
    guard nextKey < keys.count else { return nil }
    let key = keys[nextKey]
    nextKey &+= 1
    if !isUnchanged { return changedObject(key) }
    // Neighbours in the order of a query are often neighbours in the table.
    if let cluster, let row = cluster.row(of: key) {
      return instance.object(binding, at: ObjectPosition(cluster: cluster, row: row))
    }
    let position = engine { () throws(StorageError) in try table.find(key) }
    guard let position else { return instance.object(binding, key) }
    cluster = position.cluster
    return instance.object(binding, at: position)
  }

  /// An object that may have been moved or deleted since the loop began.
  @inline(never)
  private func changedObject(_ key: ObjectKey) -> ObjectBase {
    instance.checkThread()
    if generation <= instance.invalidatedGeneration {
      throwRealmException(
        "Access to invalidated Results objects: its Realm has been invalidated. Query it again.")
    }
    return instance.object(binding, key, lastSeenIn: generation)
  }
}

/// Goes through a collection of a realm: through the elements that were there when it was made, so
/// that the loop's body may change what the collection holds.
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
  @usableFromInline var objects: ObjectCursor?
  /// Values of a realm, and that realm; none for what is unmanaged.
  @usableFromInline let values: [StoredValue]
  @usableFromInline let instance: _RealmInstance?
  /// What is unmanaged.
  @usableFromInline let elements: [Element]
  @usableFromInline let willGive: ((StoredValue, Int) -> Void)?
  @usableFromInline var index = 0

  /// Objects of a realm.
  init(_ objects: ObjectCursor) {
    self.objects = objects
    values = []
    instance = nil
    elements = []
    willGive = nil
  }

  /// Values of a realm.
  ///
  /// - Parameter willGive: called with each value before it is given, and its index.
  init(
    _ values: [StoredValue], _ instance: _RealmInstance,
    willGive: ((StoredValue, Int) -> Void)? = nil
  ) {
    self.values = values
    self.instance = instance
    elements = []
    self.willGive = willGive
  }

  /// The elements of what is unmanaged.
  init(_ elements: [Element]) {
    values = []
    instance = nil
    self.elements = elements
    willGive = nil
  }

  /// The next element, nil after the last one.
  @inlinable
  public mutating func next() -> Element? {
    if objects != nil {
      guard let object = objects!.next() else { return nil }
      return Element._rlmFromObject(object)
    }
    guard let instance else { return nextUnmanaged() }
    guard index < values.count else { return nil }
    let value = values[index]
    if let willGive { willGive(value, index) }
    index += 1
    return Element._rlmFromStored(value, instance)
  }

  @usableFromInline
  mutating func nextUnmanaged() -> Element? {
    guard index < elements.count else { return nil }
    defer { index += 1 }
    return elements[index]
  }
}
