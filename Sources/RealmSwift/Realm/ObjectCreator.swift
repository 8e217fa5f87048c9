import ObjectStore
import Storage

/// Makes objects of a realm out of dictionaries, arrays and other objects.
struct ObjectCreator {
  private let instance: _RealmInstance

  init(_ instance: _RealmInstance) { self.instance = instance }

  /// Makes an object out of a dictionary, an array or another object; with a policy other than
  /// `.error` an object with that primary key gets the values that are given.
  func create(
    _ type: ObjectBase.Type, _ value: Any, _ policy: Realm.UpdatePolicy
  ) -> ObjectBase {
    _ = instance.adding()
    let binding = instance.requiredBinding(for: type)
    if policy != .error, let object = storedObject(value), object._instance === instance,
      object._binding === binding
    {
      return object
    }
    let outer = (instance.updatePolicy, instance.copiesValues)
    (instance.updatePolicy, instance.copiesValues) = (policy, true)
    defer { (instance.updatePolicy, instance.copiesValues) = outer }
    let source = PropertySource(value, for: binding.info)
    instance.copiedLinks.depth += 1
    defer { instance.copiedLinks.depth -= 1 }
    let object: ObjectBase
    if policy != .error, binding.primaryKey != nil, let existing = existingObject(binding, source) {
      object = existing
      updateUnlessTooDeep(object, from: source)
    } else if case .object = source, instance.copiedLinks.isTooDeep {
      object = type.make()
      if let key = binding.info.primaryKey,
        let value = source.value(at: key, of: binding.info)
      {
        object._fill(value, at: key, binding.info, instance)
      }
      instance.adder.add(object, update: policy)
      updateUnlessTooDeep(object, from: source)
    } else {
      let made = type.make()
      if policy != .error, let existing = existingObject(binding, withDefaultKeyOf: made, source) {
        object = existing
        updateUnlessTooDeep(object, from: source)
      } else {
        object = made
        object._fill(from: source, binding.info, instance)
        instance.adder.add(object, update: policy)
      }
    }
    while instance.copiedLinks.depth == 1, !instance.copiedLinks.postponed.isEmpty {
      let (object, source) = instance.copiedLinks.postponed.removeLast()
      update(object, from: source, object._binding!)
    }
    return object
  }

  /// Gives an object the values; in time, where it is held by many others that are being changed.
  func updateUnlessTooDeep(_ object: ObjectBase, from source: PropertySource) {
    if instance.copiedLinks.isTooDeep {
      return instance.copiedLinks.postponed.append((object, source))
    }
    update(object, from: source, object._binding!)
  }

  private func existingObject(_ binding: TableBinding, _ source: PropertySource) -> ObjectBase? {
    let index = binding.info.primaryKey!
    let property = binding.info.properties[index]
    guard let given = source.value(at: index, of: binding.info),
      let stored = instance.stored(given, as: property)
    else { return nil }
    return instance.find(binding, primaryKey: stored).map { instance.object(binding, $0) }
  }

  /// The object with the primary key that a new one begins with, where none is given.
  private func existingObject(
    _ binding: TableBinding, withDefaultKeyOf made: ObjectBase, _ source: PropertySource
  ) -> ObjectBase? {
    guard let index = binding.info.primaryKey, source.value(at: index, of: binding.info) == nil
    else { return nil }
    let field = binding.info.fields[index]
    let key = made._withField(at: field.offset) {
      field.type.storedValue(at: $0, of: made, instance)
    }
    return key.flatMap { instance.find(binding, primaryKey: $0) }
      .map { instance.object(binding, $0) }
  }

  private func update(_ object: ObjectBase, from source: PropertySource, _ binding: TableBinding) {
    for (index, property) in binding.info.properties.enumerated() {
      guard index != binding.info.primaryKey, property.description.type != .linkingObjects,
        let given = source.value(at: index, of: binding.info)
      else { continue }
      let column = binding.columns[index]
      if instance.nester.update(of: object, column, property, given) { continue }
      if instance.updatePolicy == .modified, property.description.collection == .none,
        property.description.target == nil, persistedArgument(given).flatMap(storedObject) == nil,
        let new = instance.stored(given, as: property),
        new.isIdentical(to: object._readStored(column))
      {
        continue
      }
      if instance.updatePolicy == .modified,
        instance.embedder.update(of: object, column, property, given)
      {
        continue
      }
      if instance.updatePolicy == .modified {
        object._merge(given, to: property)
      } else {
        object._set(given, to: property)
      }
    }
  }
}
