import ObjectStore
import Storage

// Accessors for objects, and finding them.

extension _RealmInstance {
  /// An accessor for the object with that key. Costs one class instance; nothing is read yet.
  func object(in table: TableKey, _ key: ObjectKey) -> ObjectBase {
    object(binding(for: table), key)
  }

  func object(_ binding: TableBinding, _ key: ObjectKey) -> ObjectBase {
    let object = binding.makeAccessor()
    object._attach(self, binding, key)
    return object
  }

  /// An accessor for an object whose place in what is read now is known.
  @inline(__always)
  func object(_ binding: TableBinding, at position: ObjectPosition) -> ObjectBase {
    let object = binding.makeAccessor()
    object._attach(self, binding, at: position)
    return object
  }

  /// An accessor for an object that is going to be read at once, so that its row is found now.
  func locatedObject(_ binding: TableBinding, _ key: ObjectKey) -> ObjectBase {
    let table = table(of: binding)
    let position = engine { () throws(StorageError) in try table.find(key) }
    guard let position else { return object(binding, key) }
    return object(binding, at: position)
  }

  /// An accessor for an object that was there in an earlier generation; it may be gone.
  func object(
    _ binding: TableBinding, _ key: ObjectKey, lastSeenIn generation: UInt64
  ) -> ObjectBase {
    let object = object(binding, key)
    object._generation = generation
    return object
  }

  func adding() -> ObjectTransaction {
    requireWriting(
      """
      Can only add, remove, or create objects in a Realm in a write transaction - call `write` or \
      `beginWrite` on it first.
      """)
  }

  func didCreate(_ key: ObjectKey, in table: TableKey) {
    writing!.didCreate(key, in: table)
    didChange()
  }

  /// A value that was given for the property in the store's terms, nil if it cannot be its.
  func stored(_ value: Any, as property: PropertyInfo) -> StoredValue? {
    guard let type = property.field.valueType as? any _StoredConvertible.Type else { return nil }
    return type._rlmFromAny(value, self)?._rlmStored(self)
  }

  /// The link to an object of this realm, nil for any other.
  func existingLink(to object: ObjectBase) -> StoredValue? {
    guard let instance = object._instance, instance.shared === shared else { return nil }
    return .link(object._binding!.table, ObjectKey(rawValue: object._key))
  }

  // MARK: Finding

  func find(_ binding: TableBinding, primaryKey value: StoredValue) -> ObjectKey? {
    let table = table(of: binding)
    return engine { () throws(StorageError) in
      try table.find(primaryKey: value, binding.primaryKey!)
    }
  }

  /// The common case of an integer key, without conversions.
  @usableFromInline
  func object(ofType type: ObjectBase.Type, forIntegerKey key: Int) -> ObjectBase? {
    checkThread()
    guard let binding = binding(for: type), let slot = binding.integerKeySlot
    else { return object(ofType: type, forPrimaryKey: key) }
    let table = table(of: binding)
    let found = engine { () throws(StorageError) in
      try table.find(primaryKey: Int64(key), indexSlot: slot)
    }
    return found.map { locatedObject(binding, $0) }
  }

  @usableFromInline
  func object(ofType type: ObjectBase.Type, forPrimaryKey key: Any) -> ObjectBase? {
    checkThread()
    return object(requiredBinding(for: type), forPrimaryKey: key)
  }
}
