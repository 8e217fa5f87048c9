import ObjectStore
import Storage

// What classes are in a realm, those that are known by name alone too.

extension _RealmInstance {
  var dynamicClasses: DynamicClasses { bound.dynamicClasses }

  /// The table's binding without the program's class.
  func dynamicBinding(for table: TableKey) -> TableBinding {
    guard let binding = dynamicClasses.binding(for: table) else {
      throwRealmException("The class of the object is no longer in the realm.")
    }
    return binding
  }

  /// The binding of the class with that name, without the program's class.
  func dynamicBinding(named className: String) -> TableBinding {
    if !isFrozen { ensureReading() }
    guard let binding = dynamicClasses.binding(named: className) else {
      throwRealmException(
        """
        Object type '\(className)' is not managed by the Realm. If using a custom `objectTypes` \
        array in your configuration, add `\(className)` to the list of `objectTypes`.
        """)
    }
    return binding
  }

  func binding(for table: TableKey, dynamic isDynamic: Bool) -> TableBinding {
    isDynamic ? dynamicBinding(for: table) : binding(for: table)
  }

  /// The binding here of what has that one in another instance of the file.
  func counterpart(of other: TableBinding) -> TableBinding {
    binding(for: other.table, dynamic: other.isDynamic)
  }

  /// The binding that the class has here now, nil if it has none any more.
  func current(_ binding: TableBinding) -> TableBinding? {
    if binding.isDynamic { return dynamicClasses.binding(named: binding.info.name) }
    return self.binding(for: binding.info.type)
  }

  /// The class that a link, or linking objects, of a class with that binding lead to.
  func binding(ofTargetOf property: PropertyInfo, from owner: TableBinding) -> TableBinding? {
    if owner.isDynamic { return property.targetName.flatMap(dynamicClasses.binding(named:)) }
    return property.description.target.flatMap { binding(for: $0) }
  }

  func requiredBinding(ofTargetOf property: PropertyInfo, from owner: TableBinding) -> TableBinding
  {
    if let found = binding(ofTargetOf: property, from: owner) { return found }
    if let type = property.description.target, !owner.isDynamic {
      return requiredBinding(for: type)
    }
    return dynamicBinding(named: property.targetName ?? "")
  }

  func predicateClass(_ binding: TableBinding) -> any PredicateClass {
    binding.isDynamic ? DynamicClass(info: binding.info, classes: dynamicClasses) : binding.info
  }

  /// The object with that primary key, nil if there is none.
  func object(_ binding: TableBinding, forPrimaryKey key: Any) -> ObjectBase? {
    guard let index = binding.info.primaryKey else {
      throwRealmException(
        "\(binding.info.name) does not have a primary key; declare one to look objects up by it.")
    }
    let property = binding.info.properties[index]
    guard let value = stored(key, as: property) else {
      throwInvalidValue(key, for: property, of: binding.info.name)
    }
    return find(binding, primaryKey: value).map { object(binding, $0) }
  }
}

/// A class as predicates see it that has no Swift class of its own.
private struct DynamicClass: PredicateClass {
  let info: ClassInfo
  let classes: DynamicClasses

  var predicateName: String { info.name }

  func plainProperty(_ name: String) -> PlainProperty? { info.plainProperty(name) }

  func predicateProperty(_ name: String) -> PredicateProperty? {
    info.predicateProperty(name) { property in
      property.targetName.flatMap { classes.binding(named: $0) }.map {
        DynamicClass(info: $0.info, classes: classes)
      }
    }
  }
}
