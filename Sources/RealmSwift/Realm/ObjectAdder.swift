import ObjectStore
import Storage

/// Makes unmanaged objects part of a realm, and with each what it links to.
///
/// Values that are objects become part of the realm in turn, so a long chain of them would take
/// much stack: from some depth on, objects get their rows at once, and are written when the stack
/// is down again.
struct ObjectAdder {
  private let instance: _RealmInstance

  init(_ instance: _RealmInstance) { self.instance = instance }

  /// Makes an unmanaged object, and what it links to, part of the realm.
  func add(_ object: ObjectBase, update policy: Realm.UpdatePolicy) {
    let objects = instance.adding()
    if let realm = object._instance {
      if !object._isValid {
        throwRealmException(
          "Adding a deleted or invalidated object to a Realm is not permitted; create another one.")
      }
      if realm === instance { return }
      throwRealmException(MisuseReason.foreignObject)
    }
    let binding = instance.requiredBinding(for: type(of: object))
    let outer = instance.updatePolicy
    instance.updatePolicy = policy
    defer { instance.updatePolicy = outer }
    let (key, isNew) = makeRow(for: object, binding, objects)
    object._attach(instance, binding, key)
    let mode: _TransferMode =
      isNew ? .new : policy == .modified ? .overwriteModified : .overwriteAll
    write(object, binding, mode, objects)
  }

  private func makeRow(
    for object: ObjectBase, _ binding: TableBinding, _ objects: ObjectTransaction
  ) -> (key: ObjectKey, isNew: Bool) {
    guard binding.primaryKey != nil else {
      let key = engine { () throws(StorageError) in
        try objects.createObject(in: binding.table, isFilled: binding.info.isFilledAtOnce)
      }
      instance.didCreate(key, in: binding.table)
      return (key, true)
    }
    let field = binding.info.fields[binding.info.primaryKey!]
    if field.kind == .int {
      let value = object._withField(at: 0) { field.integer($0) }
      let made = engine { () throws(StorageError) in
        try objects.createObject(
          in: binding.table, primaryKey: Int64(value), isFilled: binding.info.isFilledAtOnce)
      }
      return noteMade(made, binding) { "\(value)" }
    }
    let value = object._withField(at: field.offset) {
      field.type.storedValue(at: $0, of: object, instance)
    }
    return makeRow(
      binding, primaryKey: value!, objects, isFilled: binding.info.isFilledAtOnce)
  }

  func makeRow(
    _ binding: TableBinding, primaryKey value: StoredValue, _ objects: ObjectTransaction,
    isFilled: Bool = false
  ) -> (key: ObjectKey, isNew: Bool) {
    let made = engine { () throws(StorageError) in
      try objects.createObject(in: binding.table, primaryKey: value, isFilled: isFilled)
    }
    return noteMade(made, binding) { value.text }
  }

  @inline(__always)
  private func noteMade(
    _ made: (key: ObjectKey, isNew: Bool), _ binding: TableBinding, _ text: () -> String
  ) -> (key: ObjectKey, isNew: Bool) {
    if !made.isNew && instance.updatePolicy == .error {
      throwRealmException(
        """
        Attempting to create an object of type '\(binding.info.name)' with an existing primary \
        key value '\(text())'. Pass `update: .modified` to change that object.
        """)
    }
    if made.isNew { instance.didCreate(made.key, in: binding.table) } else { instance.didChange() }
    return made
  }

  // MARK: Writing

  /// Writes an object's values into its row, and makes its properties managed ones.
  func write(
    _ object: ObjectBase, _ binding: TableBinding, _ mode: _TransferMode,
    _ objects: ObjectTransaction
  ) {
    // Most classes lead to no other objects.
    if binding.info.linkingFields.isEmpty { return move(object, binding, mode, objects) }
    let unwritten = instance.deferred.unwritten
    let isNow = unwritten.begins(UnwrittenObject(object: object, binding: binding, mode: mode))
    if !isNow { return }
    move(object, binding, mode, objects)
    while let next = unwritten.next() { move(next.object, next.binding, next.mode, objects) }
    unwritten.end()
  }

  private func move(
    _ object: ObjectBase, _ binding: TableBinding, _ mode: _TransferMode,
    _ objects: ObjectTransaction
  ) {
    guard case .new = mode else { return overwrite(object, binding, mode) }
    let row = RowFiller(
      objects: objects, readState: instance.readState, table: binding.table,
      key: ObjectKey(rawValue: object._key), primaryKeyColumn: binding.primaryKeyColumn)
    // Held for the whole loop, which would else keep and release them at each step.
    let (fields, columns) = (binding.info.fields, binding.columns)
    for index in columns.indices { row.move(fields[index], columns[index], of: object) }
    if binding.info.isFilledAtOnce {
      engine { () throws(StorageError) in try objects.finishFilling(binding.table) }
    }
  }

  private func overwrite(_ object: ObjectBase, _ binding: TableBinding, _ mode: _TransferMode) {
    let base = FieldAddress(object, at: 0)
    for (field, column) in zip(binding.info.fields, binding.columns) {
      field.type.transfer(base.advanced(by: field.offset), of: object, column: column, mode)
    }
    withExtendedLifetime(object) {}
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
    if let realm = object._instance {
      if realm !== instance {
        if realm.isFrozen && realm.shared === instance.shared {
          throwRealmException("Frozen objects cannot be added to a live Realm; thaw them first.")
        }
        throwRealmException(MisuseReason.foreignObject)
      }
      if !object._isValid {
        throwRealmException(MisuseReason.deletedObject)
      }
    } else {
      add(object, update: instance.updatePolicy)
    }
    return .link(object._binding!.table, ObjectKey(rawValue: object._key))
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
