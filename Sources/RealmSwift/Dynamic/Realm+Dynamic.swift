import ObjectStore

// Objects whose class is known by its name, as the public API gives them.

extension _LinkableObject {
  /// The list property with that name, as objects without a class of their own.
  public func dynamicList(_ propertyName: String) -> List<DynamicObject> {
    List(accessor: _dynamicCollection(propertyName, .list))
  }

  /// The set property with that name, as objects without a class of their own.
  public func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
    MutableSet(accessor: _dynamicCollection(propertyName, .set))
  }

  /// The map property with that name, as objects without a class of their own.
  public func dynamicMap<Key: _MapKey>(_ propertyName: String) -> Map<Key, DynamicObject?> {
    Map(accessor: _dynamicCollection(propertyName, .map))
  }
}

extension ObjectBase {
  /// The property as a collection of dynamic objects.
  fileprivate final func _dynamicCollection(
    _ name: String, _ collection: CollectionKind
  ) -> ListAccessor {
    let property = _property(name)
    guard let instance = _instance else {
      throwRealmException(
        "Cannot read '\(name)' dynamically: the object is not managed by a Realm; add it first.")
    }
    guard property.description.collection == collection, property.description.type == .object
    else {
      throwRealmException(
        "Property '\(_info.name).\(name)' is no \(collection) of objects, but "
          + "'\(property.expectedTypeText)'.")
    }
    _ = _position()
    let binding = instance.dynamicBinding(for: _binding!.table)
    let column = _binding!.columns[_info.index(ofProperty: name)!]
    return ListAccessor(
      instance: instance, binding: binding, object: ObjectKey(rawValue: _key),
      property: _binding!.property(column), generation: _generation)
  }
}

extension Realm {
  /// All objects of the class with that name, which the program need not have.
  public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
    instance.checkThread()
    return Results(_ManagedCollection(instance, instance.dynamicBinding(named: typeName)))
  }

  /// The object of the class with that name that has that primary key, nil if there is none.
  public func dynamicObject(
    ofType typeName: String, forPrimaryKey key: Any
  ) -> DynamicObject? {
    instance.checkThread()
    let found = instance.object(instance.dynamicBinding(named: typeName), forPrimaryKey: key)
    return found.map { known($0, as: DynamicObject.self) }
  }

  /// Makes an object of the class with that name. Within a write transaction only.
  ///
  /// - Parameters:
  ///   - value: A dictionary by property names, an array in the order of the class's properties, or
  ///     an object to copy. What it leaves out keeps the class's default, or with `update` what it
  ///     is.
  ///   - update: What happens if there is one with that primary key.
  @discardableResult
  public func dynamicCreate(
    _ typeName: String, value: Any = [String: Any](), update: UpdatePolicy = .error
  ) -> DynamicObject {
    instance.checkThread()
    let binding = instance.dynamicBinding(named: typeName)
    if update != .error, binding.primaryKey == nil {
      throwRealmException(
        "'\(typeName)' does not have a primary key and can not be updated; leave `update` out.")
    }
    return instance.dynamicWriter.create(binding, value, update)
  }
}

extension AnyRealmValue {
  /// The object, without its class; nil if the value is no object of a realm.
  public var dynamicObject: DynamicObject? {
    guard case .object(let object) = self, let instance = object._instance else { return nil }
    let binding = instance.dynamicBinding(for: object._binding!.table)
    let dynamic = instance.object(
      binding, ObjectKey(rawValue: object._key), lastSeenIn: object._generation)
    return known(dynamic, as: DynamicObject.self)
  }
}
