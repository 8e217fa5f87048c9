import ObjectStore
import Storage

/// Puts embedded objects into a realm: each becomes managed through a property or collection of its
/// owner.
struct EmbeddedWriter {
  private let instance: _RealmInstance

  init(_ instance: _RealmInstance) { self.instance = instance }

  /// Puts an unmanaged embedded object into a property; the one that is there goes, or, if it is to
  /// be overwritten, gets the values.
  func embed(
    _ object: ObjectBase, in owner: ObjectBase, _ column: UInt32, _ mode: _TransferMode
  ) {
    let target = instance.binding(for: owner._binding!.targetTable(of: column))
    let present = presentKey(owner, column)
    if object._isManaged {
      if let present, isRow(object, target, present) { return }
      throwRealmException("Can't set link to existing managed embedded object")
    }
    checkClass(object, target)
    if mode == .overwriteModified, let present {
      return settle(object, target, present, mode)
    }
    let key = engine { () throws(StorageError) in
      try instance.writing!.objects.createEmbedded(
        ColumnKey(rawValue: column), of: ObjectKey(rawValue: owner._key),
        in: owner._binding!.table)
    }
    instance.didCreate(key, in: target.table)
    settle(object, target, key, .new)
  }

  func presentKey(_ owner: ObjectBase, _ column: UInt32) -> ObjectKey? {
    let stored = owner._readInt(column)
    return stored == 0 ? nil : ObjectKey(rawValue: stored - 1)
  }

  /// Whether a managed object is that one.
  func isRow(_ object: ObjectBase, _ target: TableBinding, _ key: ObjectKey) -> Bool {
    object._instance === instance && object._binding!.table == target.table
      && object._key == key.rawValue
  }

  func checkClass(_ object: ObjectBase, _ target: TableBinding) {
    if type(of: object) == target.info.type { return }
    throwRealmException(
      "Can't set object of type '\(type(of: object).className())' to property of type "
        + "'\(target.info.name)'")
  }

  /// Makes an unmanaged object the view of a row, and writes its values there.
  func settle(
    _ object: ObjectBase, _ target: TableBinding, _ key: ObjectKey, _ mode: _TransferMode
  ) {
    object._attach(instance, target, key)
    instance.adder.write(object, target, mode, instance.writing!.objects)
  }

  /// An unmanaged copy of an embedded object, with those that it owns.
  func copy(of object: ObjectBase) -> ObjectBase {
    let outer = instance.copiesValues
    instance.copiesValues = true
    defer { instance.copiesValues = outer }
    return EmbeddedObject._unmanaged(type(of: object), object, instance)
  }

  // MARK: Updating

  /// Gives the embedded objects that a property has the values given for them, by `create` with
  /// `update: .modified`; false where there is none to be changed in place.
  func update(
    of owner: ObjectBase, _ column: UInt32, _ property: PropertyInfo, _ given: Any
  ) -> Bool {
    guard property.description.target is EmbeddedObject.Type,
      let given = unwrapped(given).map(persisted)
    else { return false }
    let target = instance.binding(for: owner._binding!.targetTable(of: column))
    switch property.description.collection {
    case .none:
      guard let present = presentKey(owner, column) else { return false }
      let place = StoredValue.link(target.table, present)
      updateEmbedded(target, present, detached(given, from: place, target))
    case .list:
      guard !(given is [String: Any]), let items = given as? any Sequence else { return false }
      let list = owner._listAccessor(column)
      let values = items.map { persisted($0) }.enumerated().map { index, item in
        detached(item, from: index < list.count ? list.value(at: index) : nil, target)
      }
      updateList(list, target, values)
    case .map:
      guard let entries = given as? [String: Any] else { return false }
      let map = owner._listAccessor(column)
      let values = Dictionary(
        uniqueKeysWithValues: entries.map { key, item in
          (key, detached(persisted(item), from: map.value(of: key), target))
        })
      updateMap(map, target, values)
    case .set: return false
    }
    return true
  }

  /// A value that is given for a place: a copy if it is an object that belongs to another place,
  /// which may be changed or deleted before it is the value's turn.
  private func detached(_ item: Any, from place: StoredValue?, _ target: TableBinding) -> Any {
    guard let object = unwrapped(item).flatMap(storedObject), object._isManaged else { return item }
    if case .link(_, let key)? = place, isRow(object, target, key) { return item }
    return copy(of: object)
  }

  private func updateEmbedded(_ target: TableBinding, _ key: ObjectKey, _ given: Any) {
    if let object = storedObject(given), isRow(object, target, key) { return }
    instance.copiedLinks.depth += 1
    defer { instance.copiedLinks.depth -= 1 }
    instance.creator.updateUnlessTooDeep(
      instance.object(target, key), from: PropertySource(given, for: target.info))
  }

  private func updateList(_ list: ListAccessor, _ target: TableBinding, _ items: [Any]) {
    for (index, item) in items.enumerated() {
      if index < list.count, case .link(_, let key) = list.value(at: index) {
        updateEmbedded(target, key, item)
      } else {
        list.embed([EmbeddedObject._unmanaged(target.info.type, item, instance)], target, at: index)
      }
    }
    list.remove(items.count..<max(items.count, list.count))
  }

  private func updateMap(_ map: ListAccessor, _ target: TableBinding, _ entries: [String: Any]) {
    let wanted = Set(entries.keys.map { StoredText($0) })
    for key in map.keyTexts() where !wanted.contains(StoredText(key)) { map.remove(key) }
    for (key, item) in entries {
      guard let item = unwrapped(item) else {
        map.set(.null, forKey: key)
        continue
      }
      if case .link(_, let present)? = map.value(of: key) {
        updateEmbedded(target, present, item)
      } else {
        let object = EmbeddedObject._unmanaged(target.info.type, item, instance)
        map.embed(object, target, forKey: key)
      }
    }
  }
}
