import ObjectStore
import Storage

// Collections that own their elements: each is made with its place in the collection.
extension ListAccessor {
  /// The embedded class whose objects the collection owns, nil if it owns none.
  var owned: TableBinding? {
    guard property.kind == .object else { return nil }
    let target = instance.binding(for: property.targetTable)
    return target.description.isEmbedded ? target : nil
  }

  /// The object that is to become an element, which is not of that class for want of static types.
  func embeddable<Element>(_ element: Element) -> ObjectBase {
    guard let value = unwrapped(element), let object = storedObject(persisted(value)) else {
      throwRealmException("Invalid value '\(element)': an embedded object was expected.")
    }
    return object
  }

  /// Whether the objects can be put in, or why not; before anything is changed.
  func check(_ objects: [ObjectBase], _ target: TableBinding) {
    var seen: Set<ObjectIdentifier> = []
    for object in objects {
      if object._isManaged || !seen.insert(ObjectIdentifier(object)).inserted {
        throwRealmException(
          "Cannot add an existing managed embedded object to a "
            + "\(property.collection == .map ? "Dictionary" : "List").")
      }
      instance.embedder.checkClass(object, target)
    }
  }

  /// Puts unmanaged objects in before the element at the index.
  func embed(_ objects: [ObjectBase], _ target: TableBinding, at index: Int) {
    check(objects, target)
    var first = ObjectKey(rawValue: 0)
    change { (transaction) throws(StorageError) in
      first = try transaction.listInsertEmbedded(
        count: objects.count, at: index, column, of: object, in: binding.table)
    }
    for (offset, object) in objects.enumerated() {
      let key = ObjectKey(rawValue: first.rawValue + Int64(offset))
      instance.didCreate(key, in: target.table)
      instance.embedder.settle(object, target, key, .new)
    }
  }

  /// Puts an unmanaged object in the place of the element at the index, which goes.
  func replaceEmbedded(_ object: ObjectBase, _ target: TableBinding, at index: Int) {
    if case .link(_, let present) = value(at: index),
      instance.embedder.isRow(object, target, present)
    {
      return
    }
    check([object], target)
    var key = ObjectKey(rawValue: 0)
    change { (transaction) throws(StorageError) in
      key = try transaction.listSetEmbedded(at: index, column, of: self.object, in: binding.table)
    }
    instance.didCreate(key, in: target.table)
    instance.embedder.settle(object, target, key, .new)
  }

  /// Makes the list hold unmanaged objects, by changing the elements that there are.
  func overwriteEmbedded(_ objects: [ObjectBase], _ target: TableBinding) {
    let kept = min(objects.count, count)
    check(objects, target)
    for index in 0..<kept {
      guard case .link(_, let key) = value(at: index) else { continue }
      instance.embedder.settle(objects[index], target, key, .overwriteModified)
    }
    remove(kept..<count)
    if kept < objects.count { embed(Array(objects[kept...]), target, at: kept) }
  }

  /// Whether the list holds just these.
  func hold<Element: RealmCollectionValue>(_ elements: [Element]) -> Bool {
    if elements.contains(where: { ($0 as? AnyRealmValue)?.isCollection == true }) {
      return elements.count == count
        && zip(elements, values()).allSatisfy { element, stored in
          let present = AnyRealmValue._rlmFromStored(stored, instance)
          return (element as? AnyRealmValue).map { NestedComparison.haveSameContent($0, present) }
            == true
        }
    }
    return values().elementsEqual(elements.map { $0._rlmStored(instance) }) {
      $0.isIdentical(to: $1)
    }
  }

  // MARK: In maps

  /// Gives a key a value.
  func put<Value: RealmCollectionValue>(_ value: Value, forKey key: String) {
    guard let owned else { return set(self.stored(value), forKey: key) }
    if isNull(value) { return set(.null, forKey: key) }
    embed(embeddable(value), owned, forKey: key)
  }

  /// Gives a key a value that it may have already; an embedded object by changing the present one.
  func update<Value: RealmCollectionValue>(_ value: Value, forKey key: String) {
    if let owned, !isNull(value) {
      let object = embeddable(value)
      guard case .link(_, let present)? = self.value(of: key), !object._isManaged else {
        return embed(object, owned, forKey: key)
      }
      return instance.embedder.settle(object, owned, present, .overwriteModified)
    }
    if let any = value as? AnyRealmValue, any.isCollection {
      let present = self.value(of: key).map { AnyRealmValue._rlmFromStored($0, instance) }
      if let present, NestedComparison.haveSameContent(present, any) { return }
      return set(self.stored(any), forKey: key)
    }
    let stored = value._rlmStored(instance)
    if self.value(of: key)?.isIdentical(to: stored) != true { set(stored, forKey: key) }
  }

  /// Gives a key an unmanaged object; the one that it had goes.
  func embed(_ object: ObjectBase, _ target: TableBinding, forKey key: String) {
    if case .link(_, let present)? = value(of: key),
      instance.embedder.isRow(object, target, present)
    {
      return
    }
    check([object], target)
    var made = ObjectKey(rawValue: 0)
    change { (transaction) throws(StorageError) in
      made = try transaction.mapSetEmbedded(
        forKey: key, property, of: self.object, in: binding.table)
    }
    instance.didCreate(made, in: target.table)
    instance.embedder.settle(object, target, made, .new)
  }
}
