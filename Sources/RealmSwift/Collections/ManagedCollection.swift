import Platform
import ObjectStore
import Storage
import Synchronization

// What lists, results and linking objects are to the engine: a source of objects (or, for lists of
// values, of values), a query on it, and the answer for the version that was last asked about.

/// The type-erased live view behind every collection of a realm.
public final class _ManagedCollection: @unchecked Sendable {
  // Sendable like `_RealmInstance`: confined by checks at run time; frozen ones compute their
  // answer under a lock.

  let instance: _RealmInstance
  /// The class of the elements; nil for lists of values.
  private(set) var binding: TableBinding?
  var query: QueryDescription
  #if Sync
    /// The conditions of the query as text, each made when it is asked for.
    var conditions: [() -> String] = []
  #endif
  /// The list that this is, or is a query on.
  let list: ListAccessor?
  /// For linking objects: whose they are.
  let target: (table: TableKey, object: ObjectKey)?

  /// When the collection was last known to be there; see `ObjectBase._generation`.
  private var generation: UInt64
  // Not checked for overlapping accesses, which would cost as much as a count that is known: what
  // finds out more asks the engine, which never comes back to the collection.
  @safe @exclusivity(unchecked)
  private var contents = CollectionContents()
  private var compiled: CompiledQuery?
  /// What `compiled` was made for.
  private var compiledSchema: StoredSchema?
  private let frozenLock = LockedValue(())

  init(
    _ instance: _RealmInstance, _ binding: TableBinding?, _ query: QueryDescription,
    list: ListAccessor? = nil, target: (table: TableKey, object: ObjectKey)? = nil
  ) {
    self.instance = instance
    self.binding = binding
    self.query = query
    self.list = list
    self.target = target
    generation = instance.readState.pointee.generation
  }

  /// All objects of a class.
  convenience init(_ instance: _RealmInstance, _ binding: TableBinding) {
    self.init(instance, binding, QueryDescription(.table(binding.table)))
  }

  /// A list.
  convenience init(_ list: ListAccessor) {
    self.init(
      list.instance, list.elementBinding,
      QueryDescription(
        .list(owner: list.binding.table, object: list.object, column: list.column)),
      list: list)
  }

  /// The list that this stands for.
  var listAccessor: ListAccessor {
    guard let list else { throwRealmException("The collection is not a List.") }
    return list
  }

  /// Whether it is the class or the list itself, without conditions or an order of its own.
  var isPlain: Bool {
    query.predicate.isTrue && query.stages.isEmpty
  }

  // MARK: The answer

  /// Whether what the elements are taken from is there.
  var isValid: Bool {
    if !instance.isFrozen { instance.checkThread() }
    if generation <= instance.invalidatedGeneration { return false }
    if let list { return list.isValid }
    if let target {
      let table = instance.table(of: instance.binding(for: target.table))
      return engine { () throws(StorageError) in try table.find(target.object) } != nil
    }
    return true
  }

  /// Gives the body what is known of what the collection holds now, for it to use and add to.
  @inline(__always)
  func withContents<Result>(_ body: (inout CollectionContents) -> Result) -> Result {
    if instance.isFrozen { return frozenLock.withLock { _ in body(&contents) } }
    instance.checkThread()
    if contents.generation != instance.readState.pointee.generation { beginContents() }
    return body(&contents)
  }

  @inline(never)
  private func beginContents() {
    checkNotInvalidated()
    instance.ensureReading()
    followClass()
    contents = CollectionContents()
    contents.generation = instance.readState.pointee.generation
  }

  /// The query ready to run on what the instance reads.
  func compiledQuery() -> CompiledQuery {
    if let compiled, compiledSchema === instance.schema { return compiled }
    followClass()
    let made = QueryCompiler(schema: instance.schema.description).compiled(query)
    compiled = made
    compiledSchema = instance.schema
    return made
  }

  /// Classes that the file lacks have places of their own in a realm that is only read, and others
  /// when the file gets classes.
  private func followClass() {
    guard instance.configuration.readOnly, let known = binding,
      let current = instance.current(known), current !== known
    else { return }
    switch query.source {
    case .table: query.source = .table(current.table)
    case .backlinks(_, let column, let target):
      guard let name = known.description.property(at: column)?.name,
        let property = current.description.property(named: name)
      else { return }
      query.source = .backlinks(
        origin: current.table, column: property.columnKey, target: target)
    case .list: break
    }
    binding = current
  }

  /// After `invalidate()`: the collection's observer is about to hand it over, as it is now.
  func revive() {
    guard generation <= instance.invalidatedGeneration else { return }
    generation = instance.readState.pointee.generation
    list?.revive()
  }

  private func checkNotInvalidated() {
    if generation > instance.invalidatedGeneration { return }
    throwRealmException(
      "Access to invalidated Results objects: its Realm has been invalidated. Query it again.")
  }

  /// Checks that the collection is there to be observed. A query on a list that is gone is empty,
  /// and stays so.
  func checkIsThere() {
    if isPlain, let list { _ = list.view }
    checkNotInvalidated()
  }

  /// Takes over what was found for the version that the realm is at, so that it is not looked for
  /// again.
  func adopt(_ keys: KeyList) {
    if generation <= instance.invalidatedGeneration { return }
    contents = CollectionContents()
    contents.whole = .observed(keys)
    contents.generation = instance.readState.pointee.generation
  }

  // MARK: Elements

  @usableFromInline
  var count: Int {
    if let known = knownCount { return known }
    return withContents { count(&$0) }
  }

  /// The count, if it was found in what the realm reads now, and for this thread alone.
  @inline(__always)
  private var knownCount: Int? {
    let readState = instance.readState.pointee
    guard readState.thread == currentThread(), contents.generation == readState.generation else {
      return nil
    }
    return contents.count
  }

  var isEmpty: Bool { withContents { isEmpty(&$0) } }

  /// The objects as they are now, for loops that change what the collection holds.
  func keys() -> ContiguousArray<ObjectKey> { withContents { keys(&$0) } }

  /// The element at the index, which must be below `count`.
  @inline(__always)
  func element<Element: RealmCollectionValue>(at index: Int, as type: Element.Type) -> Element {
    switch withContents({ place(index, &$0) }) {
    case .position(let position):
      return Element._rlmFromObject(instance.object(binding!, at: position))
    case .key(let key): return Element._rlmFromObject(instance.locatedObject(binding!, key))
    case .value(let value): return Element._rlmFromStored(value, instance)
    case .beyond(let count): checkIndex(index, below: count)
    }
    throwRealmException("No element at \(index).")
  }

  /// The first element, nil if there is none.
  func first<Element: RealmCollectionValue>(as type: Element.Type) -> Element? {
    switch withContents({ place(0, &$0) }) {
    case .position(let position):
      return Element._rlmFromObject(instance.object(binding!, at: position))
    case .key(let key): return Element._rlmFromObject(instance.locatedObject(binding!, key))
    case .value(let value): return Element._rlmFromStored(value, instance)
    case .beyond: return nil
    }
  }

  /// The element at the index, which must be below `count`, in the store's terms.
  func value(at index: Int) -> StoredValue {
    switch withContents({ place(index, &$0) }) {
    case .position(let position): return .link(binding!.table, position.key)
    case .key(let key): return .link(binding!.table, key)
    case .value(let value): return value
    case .beyond(let count): checkIndex(index, below: count)
    }
    throwRealmException("No element at \(index).")
  }

  func iterator<Element: RealmCollectionValue>(of type: Element.Type) -> RLMIterator<Element> {
    guard let binding else { return RLMIterator(values(), instance) }
    if !instance.isInWriteTransaction, case .wholeTable(let table) = withContents({ whole(&$0) }) {
      return RLMIterator(ObjectCursor(instance, binding, table))
    }
    return RLMIterator(ObjectCursor(instance, binding, keys()))
  }

  /// Goes through the elements that are at the positions now.
  func iterator<Element: RealmCollectionValue>(
    of type: Element.Type, at positions: [Int]
  ) -> RLMIterator<Element> {
    let values = positions.map { value(at: $0) }
    guard let binding else { return RLMIterator(values, instance) }
    let keys = values.compactMap { value -> ObjectKey? in
      if case .link(_, let key) = value { key } else { nil }
    }
    return RLMIterator(ObjectCursor(instance, binding, ContiguousArray(keys)))
  }

  /// All elements in the store's terms.
  func values() -> [StoredValue] { (0..<count).map { value(at: $0) } }

  func firstIndex(of value: StoredValue) -> Int? {
    let whole = withContents { self.whole(&$0) }
    switch whole {
    case .wholeList(let view): return listAccessor.firstIndex(of: value, in: view)
    case .values(let values): return values.firstIndex(of: value)
    case .wholeTable, .objects, .observed: break
    }
    guard case .link(binding!.table, let key) = value else { return nil }
    switch whole {
    case .wholeTable(let table):
      return engine { () throws(StorageError) in try table.index(of: key) }
    case .objects(let keys): return keys.firstIndex(of: key)
    case .observed(let keys): return keys.firstIndex(of: key)
    case .wholeList, .values: return nil
    }
  }

  func index<Element: RealmCollectionValue>(of element: Element) -> Int? {
    if element is AnyRealmValue { return instance.nester.existing(element).flatMap(firstIndex) }
    guard let object = element as? ObjectBase ?? (element as? any ProjectionType)?.root else {
      return firstIndex(of: element._rlmStored(instance))
    }
    guard object._isManaged else { return nil }
    return instance.existingLink(to: object).flatMap(firstIndex)
  }

  /// The values of a list that was sorted, made distinct or filtered.
  func evaluateValues() -> [StoredValue] {
    guard let list, list.isValid else { return [] }
    return list.values(of: query)
  }

  // MARK: Derived views

  /// The same source with another query.
  func with(_ change: (inout QueryDescription) -> Void) -> _ManagedCollection {
    if !instance.isFrozen { instance.checkThread() }
    var query = query
    change(&query)
    let derived = _ManagedCollection(instance, binding, query, list: list, target: target)
    #if Sync
      derived.conditions = conditions
    #endif
    return derived
  }

  private func counterpart(in other: _RealmInstance) -> _ManagedCollection {
    counterparts()(other)
  }

  /// Makes the same collection in other instances of the file, and does not hold this one.
  func counterparts() -> (_RealmInstance) -> _ManagedCollection {
    followClass()
    let owner = list.map { (binding: $0.binding, object: $0.object, property: $0.property) }
    return { [query, target, binding] other in
      let list = owner.map { owner in
        ListAccessor(
          counterpartOf: owner.binding, owner.object, owner.property, in: other)
      }
      return _ManagedCollection(
        other, binding.map { other.counterpart(of: $0) }, query, list: list, target: target)
    }
  }

  func frozen() -> _ManagedCollection {
    if instance.isFrozen { return self }
    instance.checkThread()
    return counterpart(in: instance.frozen())
  }

  /// The live view, nil if what it was taken from is gone.
  func thawed() -> _ManagedCollection? {
    if !instance.isFrozen { return self }
    return instance.thawed { other in
      let live = counterpart(in: other)
      return live.isValid ? live : nil
    }
  }

  /// Whether both are the same view, or the same list.
  func isSame(as other: _ManagedCollection) -> Bool {
    if self === other { return true }
    return isPlain && list != nil && query == other.query && instance.isSame(as: other.instance)
  }
}
