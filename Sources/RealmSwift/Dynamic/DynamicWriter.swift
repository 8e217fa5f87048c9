import ObjectStore
import Storage

/// Makes and changes objects that are known by their class's name alone.
struct DynamicWriter {
  private let instance: _RealmInstance

  init(_ instance: _RealmInstance) { self.instance = instance }

  /// Makes an object of a class that is known by name; with a policy other than `.error` an object
  /// with that primary key gets the values that are given.
  func create(
    _ binding: TableBinding, _ value: Any, _ policy: Realm.UpdatePolicy
  ) -> DynamicObject {
    let objects = instance.adding()
    if binding.description.isEmbedded {
      throwRealmException(
        "Embedded objects cannot be created directly; set a property of its owner to the values.")
    }
    let outer = instance.updatePolicy
    instance.updatePolicy = policy
    defer { instance.updatePolicy = outer }
    let source = PropertySource(value, for: binding.info)
    let sample = ClassSample(binding.info.name, in: instance.classes)
    let (key, isNew) = makeRow(binding, source, sample, objects)
    let made = known(instance.object(binding, key), as: DynamicObject.self)
    fill(made, binding, from: source, defaults: isNew ? sample : nil)
    return made
  }

  /// Gives a row the values that are given, and others the values that their class begins with.
  private func fill(
    _ made: DynamicObject, _ binding: TableBinding, from source: PropertySource,
    defaults sample: ClassSample?
  ) {
    for (index, property) in binding.info.properties.enumerated()
    where index != binding.info.primaryKey && property.description.type != .linkingObjects {
      if let given = source.value(at: index, of: binding.info) {
        made._set(given, to: property)
      } else if let sample {
        sample.copyDefault(to: property, of: made, instance)
      }
    }
  }

  private func makeRow(
    _ binding: TableBinding, _ source: PropertySource, _ sample: ClassSample?,
    _ objects: ObjectTransaction
  ) -> (key: ObjectKey, isNew: Bool) {
    guard let index = binding.info.primaryKey, let primaryKey = binding.primaryKey else {
      let key = engine { () throws(StorageError) in try objects.createObject(in: binding.table) }
      instance.didCreate(key, in: binding.table)
      return (key, true)
    }
    let property = binding.info.properties[index]
    guard let given = source.value(at: index, of: binding.info) else {
      return instance.adder.makeRow(
        binding, primaryKey: sample?.stored(property, instance) ?? primaryKey.defaultValue, objects)
    }
    guard let stored = instance.stored(given, as: property) else {
      throwInvalidValue(given, for: property, of: binding.info.name)
    }
    return instance.adder.makeRow(binding, primaryKey: stored, objects)
  }

  // MARK: Setting

  /// Sets a property of a dynamic object; false if the value cannot be its.
  func set(_ value: Any, to property: PropertyInfo, of object: ObjectBase) -> Bool {
    let column = object._column(of: property)
    guard property.description.type == .object else {
      return property.field.setManaged(value, of: object, column: column)
    }
    _ = object._prepareToWrite(column)
    let target = instance.dynamicBinding(for: object._binding!.property(column).targetTable)
    if target.description.isEmbedded {
      return instance.replacing { embed(value, in: object, column, target) }
    }
    guard let links = links(value, property.description.collection, to: target) else {
      return false
    }
    return property.field.setManaged(links, of: object, column: column)
  }

  /// The objects that the value names, made where they are given as dictionaries or arrays.
  private func links(
    _ value: Any, _ collection: CollectionKind, to target: TableBinding
  ) -> Any? {
    guard let value = unwrapped(value) else { return Optional<DynamicObject>.none as Any }
    switch collection {
    case .none: return link(value, to: target)
    case .list, .set:
      guard let sequence = value as? any Sequence else { return nil }
      return allLinks(sequence, to: target)
    case .map:
      guard let entries = Self.entries(of: value) else { return nil }
      let links = Map<String, DynamicObject?>()
      for (key, value) in entries {
        if isNull(value) {
          links.updateValue(nil, forKey: key)
        } else if let object = link(value, to: target) {
          links.updateValue(object, forKey: key)
        } else {
          return nil
        }
      }
      return links
    }
  }

  private func allLinks(_ sequence: any Sequence, to target: TableBinding) -> [DynamicObject]? {
    var links: [DynamicObject] = []
    for element in sequence {
      guard let object = link(element, to: target) else { return nil }
      links.append(object)
    }
    return links
  }

  /// The values of a map or dictionary by their keys, nil if it is neither.
  private static func entries(of value: Any) -> [(key: String, value: Any)]? {
    if let map = value as? any RealmKeyedCollection { return map.erasedEntries }
    return (value as? [String: Any]).map { $0.map { ($0.key, $0.value) } }
  }

  /// The object, as a dynamic one of that class; nil if it is of another class, or none at all.
  private func link(_ value: Any, to target: TableBinding) -> DynamicObject? {
    // Dictionaries that have nil values have optional ones.
    guard let value = unwrapped(value) else { return nil }
    guard let object = storedObject(value) else {
      guard value is [String: Any] || value is [Any] else { return nil }
      return create(target, value, instance.updatePolicy)
    }
    if !object._isManaged, type(of: object).className() != target.info.name { return nil }
    guard case .link(target.table, let key) = instance.adder.link(to: object) else { return nil }
    return known(instance.object(target, key), as: DynamicObject.self)
  }

  // MARK: Embedded objects

  /// Makes embedded objects of the values that are given; those that are there go. False if the
  /// values cannot be theirs.
  private func embed(
    _ value: Any, in owner: ObjectBase, _ column: UInt32, _ target: TableBinding
  ) -> Bool {
    let (objects, table) = (instance.writing!.objects, owner._binding!.table)
    let (key, column) = (ObjectKey(rawValue: owner._key), ColumnKey(rawValue: column))
    let property = owner._binding!.property(column.rawValue)
    let given = unwrapped(value)
    switch property.collection {
    case .none:
      guard let given else {
        owner._writeStored(column.rawValue, .null)
        return true
      }
      if let object = storedObject(given),
        let present = instance.embedder.presentKey(owner, column.rawValue),
        instance.embedder.isRow(object, target, present)
      {
        return true
      }
      return settle(given, target) { () throws(StorageError) in
        try objects.createEmbedded(column, of: key, in: table)
      }
    case .list:
      guard let sequence = given as? any Sequence, !(given is [String: Any]) else { return false }
      let list = owner._listAccessor(column.rawValue)
      if isSame(sequence, list) { return true }
      let elements = sequence.map { $0 as Any }
      guard elements.allSatisfy({ embeddable($0) != nil }) else { return false }
      list.removeAll()
      return elements.allSatisfy { element in
        settle(element, target) { () throws(StorageError) in
          try objects.listInsertEmbedded(at: list.count, column, of: key, in: table)
        }
      }
    case .map:
      guard let given, let entries = Self.entries(of: given) else { return false }
      let map = owner._listAccessor(column.rawValue)
      if isSame(given, map) { return true }
      guard entries.allSatisfy({ isNull($0.value) || embeddable($0.value) != nil }) else {
        return false
      }
      map.removeAll()
      return entries.allSatisfy { name, element in
        guard let element = unwrapped(element) else {
          map.set(.null, forKey: name)
          return true
        }
        return settle(element, target) { () throws(StorageError) in
          try objects.mapSetEmbedded(forKey: name, property, of: key, in: table)
        }
      }
    case .set: return false
    }
  }

  /// Whether a collection is assigned to itself.
  private func isSame(_ given: Any, _ present: ListAccessor) -> Bool {
    (given as? RLMSwiftCollectionBase)?.accessor?.isSameList(as: present) ?? false
  }

  /// What an embedded object can be made of; nil if the value is none.
  private func embeddable(_ value: Any) -> Any? {
    guard let value = unwrapped(value).map(persisted),
      storedObject(value) != nil || value is [String: Any] || value is [Any]
    else { return nil }
    return value
  }

  /// Makes an embedded object with the values, if they can be one's.
  private func settle(
    _ value: Any, _ target: TableBinding, make: () throws(StorageError) -> ObjectKey
  ) -> Bool {
    guard let value = embeddable(value) else { return false }
    let key = engine(make)
    instance.didCreate(key, in: target.table)
    let made = known(instance.object(target, key), as: DynamicObject.self)
    fillEmbedded(UnfilledRow(made, target, PropertySource(value, for: target.info)))
    return true
  }

  /// Gives a new embedded object its values; in time, where it is held by many others that are
  /// being filled.
  private func fillEmbedded(_ row: UnfilledRow) {
    let unfilled = instance.deferred.unfilledRows
    guard unfilled.begins(row) else { return }
    fill(row)
    while let next = unfilled.next() { fill(next) }
    unfilled.end()
  }

  private func fill(_ row: UnfilledRow) {
    fill(
      row.object, row.binding, from: row.source,
      defaults: ClassSample(row.binding.info.name, in: instance.classes))
  }
}

extension RealmKeyedCollection {
  fileprivate var erasedEntries: [(key: String, value: Any)] {
    zip(keys, values).map { ($0._keyText, $1 as Any) }
  }
}

/// A new instance of one of the program's classes, for the values that its properties begin with.
private struct ClassSample {
  private let info: ClassInfo
  private let object: ObjectBase

  /// Nil if the program does not have the class.
  init?(_ className: String, in classes: [ClassInfo]) {
    guard let info = classes.first(where: { $0.name == className }) else { return nil }
    self.info = info
    object = info.type.make()
  }

  /// What the property of that name begins with, in the store's terms; nil for collections.
  func stored(_ property: PropertyInfo, _ realm: _RealmInstance) -> StoredValue? {
    guard let own = info.property(named: property.name) else { return nil }
    return object._withField(at: own.offset) {
      own.field.storedValue(at: $0, of: object, realm)
    }
  }

  func copyDefault(
    to property: PropertyInfo, of target: ObjectBase, _ realm: _RealmInstance
  ) {
    guard let own = info.property(named: property.name) else { return }
    // Embedded objects are made in their place, and collections filled there.
    let isPlain =
      own.description.collection == .none && !(own.description.target is EmbeddedObject.Type)
    if isPlain, let value = stored(property, realm) {
      return target._transferStored(target._column(of: property), value, .new)
    }
    guard let value = unwrapped(object._value(of: own)), !Self.isEmpty(value) else { return }
    target._set(value, to: property)
  }

  private static func isEmpty(_ value: Any) -> Bool {
    if let map = value as? any RealmKeyedCollection { return map.count == 0 }
    return (value as? any Collection)?.isEmpty ?? false
  }
}
