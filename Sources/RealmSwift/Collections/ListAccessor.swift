import ObjectStore
import Storage

/// A managed list, set or map: whose it is, and the operations on it in the store's terms.
/// `List<Element>` and its like put types around it and have checked indexes by the time they call.
final class ListAccessor {
  let instance: _RealmInstance
  let binding: TableBinding
  let object: ObjectKey
  let property: PropertyDescription
  /// The keys of a map, whose values this is; nil for anything else.
  let keys: ListAccessor?
  // The generation in which the owner was last seen; see `ObjectBase._generation`.
  private var generation: UInt64
  private var cached: ListView?
  private var cachedGeneration: UInt64 = 0

  init(
    instance: _RealmInstance, binding: TableBinding, object: ObjectKey,
    property: PropertyDescription, generation: UInt64
  ) {
    self.instance = instance
    self.binding = binding
    self.object = object
    self.property = property
    self.generation = generation
    if property.collection == .map {
      keys = ListAccessor(
        instance: instance, binding: binding, object: object, property: property.mapKeys,
        generation: generation)
    } else {
      keys = nil
    }
    if instance.isFrozen { cached = find() }
  }

  /// The list in another instance of the file.
  convenience init(
    counterpartOf binding: TableBinding, _ object: ObjectKey, _ property: PropertyDescription,
    in other: _RealmInstance
  ) {
    // The version that is frozen within a write may lack the class of the first nested collections,
    // which so are as objects that were deleted.
    let isKnown = other.hasTable(binding.table)
    self.init(
      instance: other, binding: isKnown ? other.counterpart(of: binding) : binding,
      object: object, property: property,
      generation: isKnown ? other.readState.pointee.generation : 0)
  }

  var column: ColumnKey { property.columnKey }

  /// The class of the elements; nil for values.
  var elementBinding: TableBinding? {
    if property.kind != .object { return nil }
    return instance.binding(for: property.targetTable, dynamic: binding.isDynamic)
  }

  func isSameList(as other: ListAccessor) -> Bool {
    object == other.object && column == other.column && binding.table == other.binding.table
      && instance.shared === other.instance.shared
      && instance.isFrozen == other.instance.isFrozen
      && (!instance.isFrozen || instance.version == other.instance.version)
  }

  /// After `invalidate()`: an observer of the list is about to hand it over.
  func revive() {
    generation = instance.readState.pointee.generation &- 1
    keys?.revive()
  }

  // MARK: Reading

  private func find() -> ListView? {
    if generation <= instance.invalidatedGeneration
      || instance.cancelled.made(binding.table, object, generation)
    {
      return nil
    }
    let table = instance.table(of: binding)
    return engine { () throws(StorageError) in
      guard let position = try table.find(object) else { return nil }
      return try table.list(of: property, at: position)
    }
  }

  /// The list as it is now, nil when its object is gone.
  private func current() -> ListView? {
    if instance.isFrozen { return cached }
    instance.checkThread()
    let now = instance.readState.pointee.generation
    if cachedGeneration == now, let cached { return cached }
    guard let found = find() else { return nil }
    cached = found
    cachedGeneration = instance.readState.pointee.generation
    generation = cachedGeneration
    return found
  }

  /// Whether the list's object is there.
  var isValid: Bool { current() != nil }

  var view: ListView {
    guard let view = current() else {
      throwRealmException(
        """
        Access to invalidated \(property.collection.names.here) object: its object has been \
        deleted, or its Realm invalidated. Ask `isInvalidated` first.
        """)
    }
    return view
  }

  var count: Int { view.count }

  func value(at index: Int) -> StoredValue {
    let view = view
    let value = engine { () throws(StorageError) in try view.value(at: index) }
    noteNested(value, at: index)
    return value
  }

  /// A list or map inside of this one may be changed next.
  @inline(__always)
  func noteNested(_ value: StoredValue, at index: Int) {
    if property.kind == .any, !instance.isFrozen { instance.nestedPlaces.note(value, at: index) }
  }

  func values() -> [StoredValue] {
    let view = view
    return engine { () throws(StorageError) in try view.allValues() }
  }

  func firstIndex(of value: StoredValue) -> Int? { firstIndex(of: value, in: view) }

  /// The place of an element in what the list is at some version; the order of a set tells it.
  func firstIndex(of value: StoredValue, in view: ListView) -> Int? {
    engine { () throws(StorageError) in
      guard property.collection == .set else { return try view.firstIndex(of: value) }
      let place = try SetOrder.place(of: value, in: view)
      return place.isFound ? place.index : nil
    }
  }

  /// Goes through the elements that there are now.
  func makeIterator<Element: RealmCollectionValue>() -> RLMIterator<Element> {
    if property.kind == .any { return RLMIterator(values(), instance, willGive: noteNested) }
    if property.kind != .object { return RLMIterator(values(), instance) }
    let view = view
    let keys = engine { () throws(StorageError) in try view.allLinks() }
    return RLMIterator(ObjectCursor(instance, elementBinding!, keys))
  }

  /// An element in the store's terms; nil for what is not in the realm.
  func existing(_ element: some RealmCollectionValue) -> StoredValue? {
    instance.nester.existing(element)
  }

  /// An element in the store's terms, made part of the realm if it is not. A list or dictionary is
  /// a level deeper than the one that it is put into.
  func stored<Element: RealmCollectionValue>(_ element: Element) -> StoredValue {
    guard Element.self == AnyRealmValue.self, (element as? AnyRealmValue)?.isCollection == true,
      let writing = instance.writing, writing.nestingDepth == 0,
      binding.description.isNestedCollection
    else { return element._rlmStored(instance) }
    writing.nestingDepth = engine { () throws(StorageError) in
      try writing.objects.nestingLevel(
        of: object, in: binding.table, upTo: NestedCollection.depthMax)
    }
    defer { writing.nestingDepth = 0 }
    return element._rlmStored(instance)
  }

  // MARK: Changing

  /// Checks that the list may be changed now.
  func prepareToWrite() {
    _ = instance.requireWriting(
      """
      Cannot modify managed \(property.collection.names.inSDK) outside of a write transaction. \
      Call `write` or `beginWrite` on the \(property.collection.names.here)'s Realm first.
      """)
    _ = view
  }

  func change(_ body: (ObjectTransaction) throws(StorageError) -> Void) {
    let objects = instance.writing!.objects
    engine { () throws(StorageError) in try body(objects) }
    instance.didChange()
  }

  /// Puts an element in before the one at the index, nil for the end.
  func insert<Element: RealmCollectionValue>(_ element: Element, at index: Int?) {
    if let owned { return embed([embeddable(element)], owned, at: index ?? count) }
    let value = stored(element)
    let index = index ?? count
    change { (objects) throws(StorageError) in
      try objects.listInsert(value, at: index, column, of: object, in: binding.table)
    }
  }

  /// Puts elements in before the one at the index, nil for the end.
  func insert<Element: RealmCollectionValue>(contentsOf elements: [Element], at index: Int? = nil) {
    if elements.isEmpty { return }
    if let owned { return embed(elements.map(embeddable), owned, at: index ?? count) }
    let values = elements.map(stored)
    let index = index ?? count
    change { (objects) throws(StorageError) in
      try objects.listInsert(
        contentsOf: values, at: index, column, of: object, in: binding.table)
    }
  }

  /// Puts an element in the place of the one at the index.
  func replace<Element: RealmCollectionValue>(_ element: Element, at index: Int) {
    if let owned { return replaceEmbedded(embeddable(element), owned, at: index) }
    set(stored(element), at: index)
  }

  func set(_ value: StoredValue, at index: Int) {
    change { (objects) throws(StorageError) in
      try objects.listSet(value, at: index, column, of: object, in: binding.table)
    }
  }

  func remove(_ indexes: Range<Int>) {
    if indexes.isEmpty { return }
    change { (objects) throws(StorageError) in
      try objects.listRemove(indexes, column, of: object, in: binding.table)
    }
  }

  // MARK: Changing sets

  func contains(_ value: StoredValue) -> Bool {
    let view = view
    return engine { () throws(StorageError) in try SetOrder.place(of: value, in: view).isFound }
  }

  /// Whether the value was not there yet.
  func insertIntoSet(_ values: [StoredValue]) {
    change { (objects) throws(StorageError) in
      try objects.setInsert(values, column, of: object, in: binding.table)
    }
  }

  func removeFromSet(_ values: [StoredValue]) {
    change { (objects) throws(StorageError) in
      try objects.setRemove(values, column, of: object, in: binding.table)
    }
  }

  // MARK: Changing lists

  func move(from: Int, to: Int) {
    change { (objects) throws(StorageError) in
      try objects.listMove(from: from, to: to, column, of: object, in: binding.table)
    }
  }

  func swap(_ first: Int, _ second: Int) {
    change { (objects) throws(StorageError) in
      try objects.listSwap(first, second, column, of: object, in: binding.table)
    }
  }

  func removeAll() {
    change { (objects) throws(StorageError) in
      if property.collection == .map {
        try objects.mapClear(property, of: object, in: binding.table)
      } else {
        try objects.listClear(column, of: object, in: binding.table)
      }
    }
  }

  // MARK: Freezing

  private func counterpart(in other: _RealmInstance) -> ListAccessor {
    ListAccessor(counterpartOf: binding, object, property, in: other)
  }

  func frozen() -> ListAccessor {
    if instance.isFrozen { return self }
    _ = view
    return counterpart(in: instance.frozen())
  }

  /// The live list, nil if its object is gone.
  func thawed() -> ListAccessor? {
    if !instance.isFrozen { return self }
    return instance.thawed { live in
      let list = counterpart(in: live)
      return list.isValid ? list : nil
    }
  }
}
