import ObjectStore
import Storage

/// Reads and writes the lists and dictionaries that are values of any kind.
struct NestedWriter {
  private let instance: _RealmInstance

  init(_ instance: _RealmInstance) { self.instance = instance }

  private func accessor(_ binding: TableBinding, _ key: ObjectKey) -> ListAccessor {
    // Not looked at yet, but newer than the last `invalidate()` and the last cancelled write.
    ListAccessor(
      instance: instance, binding: binding, object: key, property: binding.properties[0]!,
      generation: instance.readState.pointee.generation &- 1)
  }

  /// The collection that the link stands for; nil for a link to an object.
  func collection(_ table: TableKey, _ key: ObjectKey) -> AnyRealmValue? {
    let binding = instance.binding(for: table)
    if binding.info.type == NestedList.self { return .list(List(accessor: accessor(binding, key))) }
    if binding.info.type == NestedMap.self {
      return .dictionary(Map(accessor: accessor(binding, key)))
    }
    return nil
  }

  /// A copy of the list in this realm, to be put where it belongs at once.
  func nest(_ list: List<AnyRealmValue>) -> StoredValue {
    nest(.list) { $0.insert(contentsOf: list._rlmEntries) }
  }

  /// A copy of the map in this realm, to be put where it belongs at once.
  func nest(_ map: Map<String, AnyRealmValue>) -> StoredValue {
    nest(.map) { accessor in
      for (key, value) in map._rlmEntries { accessor.put(value, forKey: key) }
    }
  }

  private func nest(_ kind: NestedCollection, _ fill: (ListAccessor) -> Void) -> StoredValue {
    guard let writing = instance.writing else {
      throwRealmException(MisuseReason.noTransactionToCommit)
    }
    writing.nestingDepth += 1
    defer { writing.nestingDepth -= 1 }
    NestedCollection.checkDepth(writing.nestingDepth)
    let (table, key) = engine { () throws(StorageError) in try writing.objects.createNested(kind) }
    if writing.objects.schema !== instance.schema { instance.adoptSchema(of: writing) }
    instance.didCreate(key, in: table)
    fill(accessor(instance.binding(for: table), key))
    return .link(table, key)
  }

  /// Gives a property of any kind the list or dictionary that is given for it, by `create` with an
  /// update policy; false for anything else.
  func update(
    of object: ObjectBase, _ column: UInt32, _ property: PropertyInfo, _ given: Any
  ) -> Bool {
    guard property.description.type == .any, property.description.collection == .none,
      let collection = AnyRealmValue(content: given), collection.isCollection,
      let value = collection.taken(into: instance)
    else { return false }
    let mode: _TransferMode =
      instance.updatePolicy == .modified ? .overwriteModified : .overwriteAll
    AnyRealmValue._rlmTransfer(value, object, column, mode)
    return true
  }

  /// The link to a value that is in the realm; nil for objects and collections that are not. To
  /// look for something must not add it.
  func existing(_ element: some RealmCollectionValue) -> StoredValue? {
    if let object = element as? ObjectBase { return instance.existingLink(to: object) }
    if let custom = element as? any _CustomPersistable,
      let object = custom.persistableValue as? ObjectBase
    {
      return instance.existingLink(to: object)
    }
    guard let any = element as? AnyRealmValue else { return element._rlmStored(instance) }
    switch any {
    case .object(let object): return instance.existingLink(to: object)
    case .list(let list): return existingLink(to: list.accessor)
    case .dictionary(let map): return existingLink(to: map.accessor)
    default: return any._rlmStored(instance)
    }
  }

  private func existingLink(to nested: ListAccessor?) -> StoredValue? {
    guard let nested, nested.instance.shared === instance.shared,
      nested.binding.description.isNestedCollection
    else { return nil }
    return .link(nested.binding.table, nested.object)
  }
}
