extension Realm {
  /// What adding does about an object with the same primary key.
  @frozen
  public enum UpdatePolicy: Int, Sendable {
    /// It is a misuse.
    case error = 1
    /// Properties that differ are set.
    case modified = 3
    /// All properties are set, also to the values that they have.
    case all = 2
  }

  // MARK: Adding

  /// Makes an unmanaged object, with all unmanaged objects that it links to, part of the realm.
  /// Within a write transaction only.
  public func add(_ object: Object, update: UpdatePolicy = .error) {
    checkCanUpdate(type(of: object), update)
    instance.adder.add(object, update: update)
  }

  private func checkCanUpdate(_ type: ObjectBase.Type, _ update: UpdatePolicy) {
    if update != .error && ClassInfo.of(type).primaryKey == nil {
      throwRealmException(
        "'\(type.className())' does not have a primary key and can not be updated; declare one, or "
          + "leave `update` out.")
    }
  }

  /// Adds all objects of a sequence.
  public func add<S: Sequence>(_ objects: S, update: UpdatePolicy = .error)
  where S.Element: Object {
    for object in objects { add(object, update: update) }
  }

  /// Makes an object in the realm.
  ///
  /// - Parameters:
  ///   - value: A dictionary by property names, an array in the order of declaration, or an object
  ///     to copy. What it leaves out keeps the default, or with `update` what it is.
  ///   - update: What happens if there is one with that primary key.
  @discardableResult
  public func create<T: Object>(
    _ type: T.Type, value: Any = [String: Any](), update: UpdatePolicy = .error
  ) -> T {
    checkCanUpdate(type, update)
    return known(instance.creator.create(type, value, update), as: type)
  }

  /// Sends an object to the server of a synchronised realm. It goes from the file once the server
  /// has it. In a local realm a misuse.
  public func create<T: AsymmetricObject>(_ type: T.Type, value: Any = [String: Any]()) {
    if configuration.syncUser == nil {
      throwRealmException(
        "Asymmetric objects are only sent to a server; '\(type.className())' cannot be created in "
          + "a local Realm.")
    }
    _ = instance.creator.create(type, value, .error)
  }

  // MARK: Deleting

  /// Deletes an object of this realm, with the embedded ones that belong to it. Within a write
  /// transaction only.
  public func delete(_ object: ObjectBase) { instance.deleter.delete(object) }

  /// Deletes all objects of a sequence.
  public func delete<S: Sequence>(_ objects: S) where S.Element: ObjectBase {
    instance.deleter.delete(Array(objects))
  }

  /// Deletes the objects in a list.
  public func delete<Element: ObjectBase>(_ objects: List<Element>) {
    if objects.accessor == nil { return Array(objects).forEach { instance.deleter.delete($0) } }
    delete(objects._collection)
  }

  /// Deletes the objects in a set.
  public func delete<Element: ObjectBase>(_ objects: MutableSet<Element>) {
    if objects.accessor == nil { return Array(objects).forEach { instance.deleter.delete($0) } }
    delete(objects._collection)
  }

  /// Deletes the objects in a map; its keys keep nil.
  public func delete<Key: _MapKey, Value: ObjectBase>(_ map: Map<Key, Value?>)
  where Value: RealmCollectionValue {
    for object in map.values { if let object { instance.deleter.delete(object) } }
  }

  /// Deletes the objects that results hold.
  public func delete<Element: ObjectBase>(_ objects: Results<Element>) {
    if let collection = objects._queriedCollection { delete(collection) }
  }

  private func delete(_ collection: _ManagedCollection) {
    guard collection.instance === instance else {
      throwRealmException(
        "Can only delete objects from the Realm they belong to; query them there.")
    }
    instance.deleter.delete(Array(collection.keys()), in: collection.binding!.table)
  }

  /// Deletes all objects of the realm's classes: all of the program's, or those of `objectTypes`.
  public func deleteAll() { instance.deleter.deleteAll() }

  // MARK: Finding

  /// All objects of a class.
  public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
    instance.checkThread()
    let root = (type as? any ProjectionType.Type)?.rootType ?? type as? ObjectBase.Type
    guard let root else { throwRealmException("\(type) is not a class of objects.") }
    if root is EmbeddedObject.Type {
      throwRealmException(
        "Embedded objects of class '\(root.className())' cannot be queried by themselves; query "
          + "their owners.")
    }
    return Results(_ManagedCollection(instance, instance.requiredBinding(for: root)))
  }

  /// The object with that primary key, nil if there is none.
  @inlinable
  public func object<Element: Object, KeyType>(
    ofType type: Element.Type, forPrimaryKey key: KeyType
  ) -> Element? {
    let found =
      if let integer = key as? Int {
        instance.object(ofType: type, forIntegerKey: integer)
      } else {
        instance.object(ofType: type, forPrimaryKey: key)
      }
    return found.map { known($0, as: type) }
  }

  // MARK: Between threads

  /// The live counterpart, here, of what the reference was made from; nil if it was deleted. A
  /// reference can be resolved once.
  public func resolve<Confined: ThreadConfined>(
    _ reference: ThreadSafeReference<Confined>
  ) -> Confined? {
    reference.resolve(in: self)
  }
}
