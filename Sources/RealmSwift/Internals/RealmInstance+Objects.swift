import ObjectStore
import Storage

// Making, adding, finding and deleting objects.

/// Objects that are being copied into the realm, each because one before it links to it.
///
/// Copying goes on by calling itself as far as a few links. What is further away is there at once
/// and gets its values when the first copy has returned, so that chains of any length can be
/// followed on any stack.
struct CopiedLinks {
  private static let depthMax = 32

  var depth = 0
  var postponed: [(object: ObjectBase, source: PropertySource)] = []

  var isTooDeep: Bool { depth > Self.depthMax }
}

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

  // MARK: Adding

  /// Makes an unmanaged object, and what it links to, part of the realm.
  func add(_ object: ObjectBase, update policy: Realm.UpdatePolicy) {
    let objects = adding()
    if let instance = object._instance {
      if !object._isValid {
        throwRealmException(
          "Adding a deleted or invalidated object to a Realm is not permitted; create another one.")
      }
      if instance === self { return }
      throwRealmException(MisuseReason.foreignObject)
    }
    let binding = requiredBinding(for: type(of: object))
    let outer = updatePolicy
    updatePolicy = policy
    defer { updatePolicy = outer }
    let (key, isNew) = makeRow(for: object, binding, objects)
    object._attach(self, binding, key)
    let mode: _TransferMode =
      isNew ? .new : policy == .modified ? .overwriteModified : .overwriteAll
    write(object, binding, mode)
  }

  private func makeRow(
    for object: ObjectBase, _ binding: TableBinding, _ objects: ObjectTransaction
  ) -> (key: ObjectKey, isNew: Bool) {
    guard binding.primaryKey != nil else {
      let key = engine { () throws(StorageError) in try objects.createObject(in: binding.table) }
      didCreate(key, in: binding.table)
      return (key, true)
    }
    let field = binding.info.fields[binding.info.primaryKey!]
    if field.kind == .int {
      let value = object._withField(at: 0) { field.integer($0) }
      let made = engine { () throws(StorageError) in
        try objects.createObject(in: binding.table, primaryKey: Int64(value))
      }
      return noteMade(made, binding) { "\(value)" }
    }
    let value = object._withField(at: field.offset) {
      field.type.storedValue(at: $0, of: object, self)
    }
    return makeRow(binding, primaryKey: value!, objects)
  }

  func makeRow(
    _ binding: TableBinding, primaryKey value: StoredValue, _ objects: ObjectTransaction
  ) -> (key: ObjectKey, isNew: Bool) {
    let made = engine { () throws(StorageError) in
      try objects.createObject(in: binding.table, primaryKey: value)
    }
    return noteMade(made, binding) { value.text }
  }

  @inline(__always)
  private func noteMade(
    _ made: (key: ObjectKey, isNew: Bool), _ binding: TableBinding, _ text: () -> String
  ) -> (key: ObjectKey, isNew: Bool) {
    if !made.isNew && updatePolicy == .error {
      throwRealmException(
        """
        Attempting to create an object of type '\(binding.info.name)' with an existing primary \
        key value '\(text())'. Pass `update: .modified` to change that object.
        """)
    }
    if made.isNew { didCreate(made.key, in: binding.table) } else { didChange() }
    return made
  }

  func didCreate(_ key: ObjectKey, in table: TableKey) {
    writing!.didCreate(key, in: table)
    didChange()
  }

  /// Makes an object out of a dictionary, an array or another object; with a policy other than
  /// `.error` an object with that primary key gets the values that are given.
  func create(
    _ type: ObjectBase.Type, _ value: Any, _ policy: Realm.UpdatePolicy
  ) -> ObjectBase {
    _ = adding()
    let binding = requiredBinding(for: type)
    if policy != .error, let object = storedObject(value), object._instance === self,
      object._binding === binding
    {
      return object
    }
    let outer = (updatePolicy, copiesValues)
    (updatePolicy, copiesValues) = (policy, true)
    defer { (updatePolicy, copiesValues) = outer }
    let source = PropertySource(value, for: binding.info)
    copiedLinks.depth += 1
    defer { copiedLinks.depth -= 1 }
    let object: ObjectBase
    if policy != .error, binding.primaryKey != nil, let existing = existingObject(binding, source) {
      object = existing
      updateUnlessTooDeep(object, from: source)
    } else if case .object = source, copiedLinks.isTooDeep {
      object = type.init()
      if let key = binding.info.primaryKey,
        let value = source.value(at: key, of: binding.info)
      {
        object._fill(value, at: key, binding.info, self)
      }
      add(object, update: policy)
      updateUnlessTooDeep(object, from: source)
    } else {
      let made = type.init()
      if policy != .error, let existing = existingObject(binding, withDefaultKeyOf: made, source) {
        object = existing
        updateUnlessTooDeep(object, from: source)
      } else {
        object = made
        object._fill(from: source, binding.info, self)
        add(object, update: policy)
      }
    }
    while copiedLinks.depth == 1,
      let (object, source) = copiedLinks.postponed.popLast()
    {
      update(object, from: source, object._binding!)
    }
    return object
  }

  /// Gives an object the values; in time, where it is held by many others that are being changed.
  func updateUnlessTooDeep(_ object: ObjectBase, from source: PropertySource) {
    if copiedLinks.isTooDeep {
      return copiedLinks.postponed.append((object, source))
    }
    update(object, from: source, object._binding!)
  }

  private func existingObject(_ binding: TableBinding, _ source: PropertySource) -> ObjectBase? {
    let index = binding.info.primaryKey!
    let property = binding.info.properties[index]
    guard let given = source.value(at: index, of: binding.info),
      let stored = stored(given, as: property)
    else { return nil }
    return find(binding, primaryKey: stored).map { object(binding, $0) }
  }

  /// The object with the primary key that a new one begins with, where none is given.
  private func existingObject(
    _ binding: TableBinding, withDefaultKeyOf made: ObjectBase, _ source: PropertySource
  ) -> ObjectBase? {
    guard let index = binding.info.primaryKey, source.value(at: index, of: binding.info) == nil
    else { return nil }
    let field = binding.info.fields[index]
    let key = made._withField(at: field.offset) {
      field.type.storedValue(at: $0, of: made, self)
    }
    return key.flatMap { find(binding, primaryKey: $0) }.map { object(binding, $0) }
  }

  func update(_ object: ObjectBase, from source: PropertySource, _ binding: TableBinding) {
    for (index, property) in binding.info.properties.enumerated() {
      guard index != binding.info.primaryKey, property.description.type != .linkingObjects,
        let given = source.value(at: index, of: binding.info)
      else { continue }
      let column = binding.columns[index]
      if updateNested(of: object, column, property, given) { continue }
      if updatePolicy == .modified, property.description.collection == .none,
        property.description.target == nil, persistedArgument(given).flatMap(storedObject) == nil,
        let new = stored(given, as: property),
        new.isIdentical(to: object._readStored(column))
      {
        continue
      }
      if updatePolicy == .modified, updateEmbedded(of: object, column, property, given) { continue }
      if updatePolicy == .modified {
        object._merge(given, to: property)
      } else {
        object._set(given, to: property)
      }
    }
  }

  /// A value that was given for the property in the store's terms, nil if it cannot be its.
  func stored(_ value: Any, as property: PropertyInfo) -> StoredValue? {
    guard let type = property.field.valueType as? any _StoredConvertible.Type else { return nil }
    return type._rlmFromAny(value, self)?._rlmStored(self)
  }

  // MARK: Links

  /// The link from a value of any kind to an object, which is added first if it is unmanaged.
  func anyLink(to object: ObjectBase) -> StoredValue {
    if object._binding?.description.isEmbedded == true {
      throwRealmException(
        "An embedded object cannot be an AnyRealmValue: it belongs to the property that it is in.")
    }
    return link(to: object)
  }

  /// The link to an object, which is added first if it is unmanaged.
  func link(to object: ObjectBase) -> StoredValue {
    if let instance = object._instance {
      if instance !== self {
        if instance.isFrozen && instance.shared === shared {
          throwRealmException("Frozen objects cannot be added to a live Realm; thaw them first.")
        }
        throwRealmException(MisuseReason.foreignObject)
      }
      if !object._isValid {
        throwRealmException(MisuseReason.deletedObject)
      }
    } else {
      add(object, update: updatePolicy)
    }
    return .link(object._binding!.table, ObjectKey(rawValue: object._key))
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
    guard let binding = binding(for: type), let property = binding.primaryKey,
      property.kind == .int
    else { return object(ofType: type, forPrimaryKey: key) }
    let table = table(of: binding)
    let found = engine { () throws(StorageError) in
      try table.find(primaryKey: Int64(key), property)
    }
    return found.map { locatedObject(binding, $0) }
  }

  @usableFromInline
  func object(ofType type: ObjectBase.Type, forPrimaryKey key: Any) -> ObjectBase? {
    checkThread()
    return object(requiredBinding(for: type), forPrimaryKey: key)
  }

  // MARK: Deleting

  func delete(_ object: ObjectBase) {
    let objects = adding()
    guard isThere(object) else { return }
    engine { () throws(StorageError) in
      try objects.deleteObject(ObjectKey(rawValue: object._key), in: object._binding!.table)
    }
    didChange()
  }

  /// Whether the object, which has to be of this realm, has not been deleted yet.
  private func isThere(_ object: ObjectBase) -> Bool {
    guard object._instance === self else {
      throwRealmException(
        "Can only delete an object from the Realm it belongs to; resolve or look it up there.")
    }
    return object._isValid
  }

  /// Deletes objects of any classes, those of one class that follow one another together. Those
  /// that are gone, with their owners for instance, are passed over.
  func delete(_ objects: [ObjectBase]) {
    _ = adding()
    var keys: [ObjectKey] = []
    var table: TableKey?
    for object in objects where isThere(object) {
      let next = object._binding!.table
      if let table, table != next {
        delete(keys, in: table)
        keys.removeAll(keepingCapacity: true)
        if !isThere(object) { continue }
      }
      table = next
      keys.append(ObjectKey(rawValue: object._key))
    }
    if let table { delete(keys, in: table) }
  }

  /// Deletes objects of one class; those that are gone already are passed over.
  func delete(_ keys: [ObjectKey], in table: TableKey) {
    let objects = adding()
    engine { () throws(StorageError) in try objects.deleteObjects(keys, in: table) }
    didChange()
  }

  func deleteAll() {
    let objects = adding()
    // A realm without classes of its own has those of the file.
    let tables =
      classes.isEmpty
      ? schema.description.classes.map(\.tableKey)
      : classes.compactMap { binding(for: $0.type)?.table }
    // Embedded objects go with their owners.
    for table in tables {
      let description = schema.description.description(of: table)!
      if description.isEmbedded || description.isHidden { continue }
      engine { () throws(StorageError) in try objects.deleteAllObjects(in: table) }
    }
    didChange()
  }
}

extension StoredValue {
  /// The value as misuse messages show it.
  var text: String {
    switch self {
    case .null: "(null)"
    case .int(let value): "\(value)"
    case .bool(let value): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value), .date(let value): "\(value)"
    case .string(let value): value
    default: "\(self)"
    }
  }
}
