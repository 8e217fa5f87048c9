public import ObjectStore
import Storage

// Reading properties of managed objects. `_position()` is what every read begins with: in the
// common case two comparisons tell that this thread may read and that the row is where it was.

extension ObjectBase {
  /// Where the row is, in the version that the realm is at.
  @inline(__always)
  final func _position() -> ObjectPosition {
    let readState = _readState.pointee
    let mayRead = readState.thread == currentThread() || readState.thread == ReadState.anyThread
    if !(mayRead && readState.generation == _generation) { _locate() }
    return unsafe ObjectPosition(cluster: Cluster(node: Node(address: _cluster)), row: Int(_row))
  }

  /// Stops the program where the row may not or cannot be read.
  @usableFromInline
  final func _checkRow() { _ = _position() }

  /// Finds the row again, or reports that it may not or cannot be read.
  @inline(never)
  private final func _locate() {
    // On a queue or an actor this is where every read comes to. The object keeps the instance.
    if let owner = unsafe _readState.pointee.owner {
      unsafe owner._withUnsafeGuaranteedRef { $0.checkThread() }
      if _generation == _readState.pointee.generation { return }
    }
    let instance = _managingRealm
    instance.checkThread()
    if !_find(instance) { throwRealmException(MisuseReason.deletedObject) }
  }

  /// Finds the row in what the realm reads now. False if it is not there (any more).
  private final func _find(_ instance: _RealmInstance) -> Bool {
    let binding = _knownBinding
    let key = ObjectKey(rawValue: _key)
    if _generation <= instance.invalidatedGeneration { return false }
    if !instance.cancelled.isEmpty, instance.cancelled.made(binding.table, key, _generation) {
      return false
    }
    let found: ObjectPosition?
    if let objects = unsafe _readState.pointee.objects {
      found = unsafe objects._withUnsafeGuaranteedRef { objects in
        engine { () throws(StorageError) in try objects.find(key, in: binding.table) }
      }
    } else {
      let table = instance.table(of: binding)
      found = engine { () throws(StorageError) in try table.find(key) }
    }
    guard let found else { return false }
    _cluster = unsafe found.cluster.node.address
    _row = UInt32(truncatingIfNeeded: found.row)
    _generation = _readState.pointee.generation
    return true
  }

  /// Whether the row is there.
  final var _isValid: Bool {
    guard let instance = _instance else { return true }
    if !instance.isFrozen { instance.checkThread() }
    if _generation == _readState.pointee.generation { return true }
    return _find(instance)
  }

  /// Ties a new accessor to its row. `binding` belongs to `instance`.
  final func _attach(_ instance: _RealmInstance, _ binding: TableBinding, _ key: ObjectKey) {
    _instance = instance
    _binding = binding
    _readState = instance.readState
    _key = key.rawValue
    // Not found yet, but newer than the last `invalidate()` and the last cancelled write, after
    // both of which the generation rises by two.
    _generation = instance.readState.pointee.generation &- 1
    if instance.isFrozen { _ = _find(instance) }
  }

  /// Ties a new accessor to its row, which is there in what the realm reads now.
  @inline(__always)
  final func _attach(
    _ instance: _RealmInstance, _ binding: TableBinding, at position: ObjectPosition
  ) {
    _instance = instance
    _binding = binding
    _readState = instance.readState
    _key = position.key.rawValue
    _cluster = unsafe position.cluster.node.address
    _row = UInt32(truncatingIfNeeded: position.row)
    _generation = instance.readState.pointee.generation
  }

  /// Makes every property read and write the store.
  ///
  /// - Parameter columns: in the order of the class's properties.
  final func _attachFields(_ info: ClassInfo, _ columns: [UInt32]) {
    let base = FieldAddress(self, at: 0)
    for (index, property) in info.properties.enumerated()
    where property.offset != PropertyInfo.nowhere {
      property.field.attach(base.advanced(by: property.offset), column: columns[index])
    }
  }

  // MARK: Typed reads

  public final func _readInt(_ column: UInt32) -> Int64 {
    let position = _position()
    let source = _readState.knownSource
    return engine { () throws(StorageError) in
      try position.int(ColumnKey(rawValue: column), in: source)
    }
  }

  public final func _readOptionalInt(_ column: UInt32) -> Int64? {
    let position = _position()
    let source = _readState.knownSource
    return engine { () throws(StorageError) in
      try position.optionalInt(ColumnKey(rawValue: column), in: source)
    }
  }

  public final func _readDouble(_ column: UInt32) -> Double {
    let position = _position()
    let source = _readState.knownSource
    return engine { () throws(StorageError) in
      try position.double(ColumnKey(rawValue: column), in: source)
    }
  }

  public final func _readOptionalDouble(_ column: UInt32) -> Double? {
    let position = _position()
    let source = _readState.knownSource
    return engine { () throws(StorageError) in
      try position.optionalDouble(ColumnKey(rawValue: column), in: source)
    }
  }

  /// Nil for null, and for a string that was never set.
  public final func _readString(_ column: UInt32) -> String? {
    let position = _position()
    let source = _readState.knownSource
    return engine { () throws(StorageError) in
      try position.string(ColumnKey(rawValue: column), in: source)
    }
  }

  /// Any property that is no collection.
  public final func _readStored(_ column: UInt32) -> StoredValue {
    let position = _position()
    let binding = _knownBinding
    let table = _managingRealm.table(of: binding)
    return engine { () throws(StorageError) in
      try table.value(of: binding.property(column), at: position)
    }
  }

  /// The object that a link property leads to.
  @usableFromInline
  final func _readLink(_ column: UInt32) -> ObjectBase? {
    let key = _readInt(column)
    guard key != 0 else { return nil }
    let binding = _knownBinding
    let instance = _managingRealm
    let target = instance.binding(
      for: binding.targetTable(of: column), dynamic: binding.isDynamic)
    return instance.locatedObject(target, ObjectKey(rawValue: key - 1))
  }

  final func _listAccessor(_ column: UInt32) -> ListAccessor {
    let instance = _managingRealm
    instance.checkThread()
    let binding = _knownBinding
    return ListAccessor(
      instance: instance, binding: binding, object: ObjectKey(rawValue: _key),
      property: binding.property(column), generation: _generation)
  }

  // MARK: Freezing

  final func _frozen() -> ObjectBase {
    guard let instance = _instance else {
      throwRealmException("Unmanaged objects cannot be frozen; add it to a Realm first.")
    }
    if instance.isFrozen { return self }
    _ = _position()
    let frozen = instance.frozen()
    let copy = _counterpart(in: frozen)
    if !copy._isValid {
      throwRealmException(
        "Cannot freeze an object in the same write transaction as it was created in; commit first.")
    }
    return copy
  }

  final func _thawed() -> ObjectBase? {
    guard let instance = _instance else {
      throwRealmException("Unmanaged objects cannot be thawed; they are not frozen.")
    }
    if !instance.isFrozen { return self }
    return instance.thawed { live in
      let object = _counterpart(in: live)
      return object._isValid ? object : nil
    }
  }

  /// An accessor of the same object in another instance of the file.
  final func _counterpart(in other: _RealmInstance) -> ObjectBase {
    other.object(other.counterpart(of: _binding!), ObjectKey(rawValue: _key))
  }
}
