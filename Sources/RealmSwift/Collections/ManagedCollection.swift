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
  let binding: TableBinding?
  var query: QueryDescription
  /// The list that this is, or is a query on.
  let list: ListAccessor?
  /// For linking objects: whose they are.
  let target: (table: TableKey, object: ObjectKey)?

  private var generation: UInt64
  private var answer: Answer?
  private var answerGeneration: UInt64 = 0
  private let frozenLock = LockedValue(())

  /// What the collection holds in one version.
  enum Answer {
    /// All objects of the class, looked up one by one.
    case wholeTable(Table)
    /// The list itself, looked up element by element.
    case wholeList(ListView)
    case objects([ObjectKey])
    /// The same, as an observer of the collection found them.
    case observed(KeyList)
    case values([StoredValue])
  }

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
    let element =
      list.property.kind == .object
      ? list.instance.binding(for: list.property.targetTable) : nil
    self.init(
      list.instance, element,
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
    query.predicate == .constant(true) && query.sort.isEmpty && query.distinct.isEmpty
      && query.limit == nil
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

  /// What the collection holds now.
  func current() -> Answer {
    if instance.isFrozen {
      return frozenLock.withLock { _ in
        if answer == nil { answer = evaluate() }
        return answer!
      }
    }
    instance.checkThread()
    let now = instance.readState.pointee.generation
    if answerGeneration == now, let answer { return answer }
    checkNotInvalidated()
    instance.ensureReading()
    let found = evaluate()
    answer = found
    answerGeneration = instance.readState.pointee.generation
    return found
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
    answer = .observed(keys)
    answerGeneration = instance.readState.pointee.generation
  }

  private func evaluate() -> Answer {
    if isPlain {
      if let list { return .wholeList(list.view) }
      if target == nil { return .wholeTable(instance.table(of: binding!)) }
    }
    if binding == nil { return .values(evaluateValues()) }
    // A query on a list or on links to an object that is gone holds nothing.
    if (list != nil || target != nil) && !isValid { return .objects([]) }
    return .objects(instance.keys(of: query))
  }

  /// Elements without looking them up again, for loops that change what the collection holds.
  func snapshotKeys() -> [ObjectKey] {
    switch current() {
    case .objects(let keys): return keys
    case .observed(let keys): return Array(keys.array)
    case .wholeTable: return instance.keys(of: query)
    case .wholeList(let list):
      return engine { () throws(StorageError) in
        var keys: [ObjectKey] = []
        keys.reserveCapacity(min(list.count, 1 << 16))
        for index in 0..<list.count { keys.append(try list.link(at: index)) }
        return keys
      }
    case .values: return []
    }
  }

  // MARK: Elements

  var count: Int {
    switch current() {
    case .wholeTable(let table): table.count
    case .wholeList(let list): list.count
    case .objects(let keys): keys.count
    case .observed(let keys): keys.count
    case .values(let values): values.count
    }
  }

  /// The element at the index, which must be below `count`, in the store's terms.
  func value(at index: Int) -> StoredValue {
    switch current() {
    case .wholeTable(let table):
      let key = engine { () throws(StorageError) in try table.position(at: index).key }
      return .link(binding!.table, key)
    case .wholeList(let list):
      return engine { () throws(StorageError) in try list.value(at: index) }
    case .objects(let keys): return .link(binding!.table, keys[index])
    case .observed(let keys): return .link(binding!.table, keys[index])
    case .values(let values): return values[index]
    }
  }

  func element<Element: RealmCollectionValue>(at index: Int, as type: Element.Type) -> Element {
    checkIndex(index, below: count)
    return Element._rlmFromStored(value(at: index), instance)
  }

  func iterator<Element: RealmCollectionValue>(of type: Element.Type) -> RLMIterator<Element> {
    let instance = instance
    guard let binding else {
      let values = values()
      return RLMIterator(count: values.count) { Element._rlmFromStored(values[$0], instance) }
    }
    if !instance.isInWriteTransaction, case .wholeTable(let table) = current() {
      let view = self
      return RLMIterator(count: table.count) {
        Element._rlmFromStored(view.value(at: $0), instance)
      }
    }
    let keys = snapshotKeys()
    return RLMIterator(count: keys.count) {
      Element._rlmFromStored(.link(binding.table, keys[$0]), instance)
    }
  }

  /// All elements in the store's terms.
  func values() -> [StoredValue] { (0..<count).map { value(at: $0) } }

  func firstIndex(of value: StoredValue) -> Int? {
    switch current() {
    case .wholeTable(let table):
      guard case .link(binding!.table, let key) = value else { return nil }
      return engine { () throws(StorageError) in try table.index(of: key) }
    case .wholeList(let list):
      return engine { () throws(StorageError) in try list.firstIndex(of: value) }
    case .objects(let keys):
      guard case .link(binding!.table, let key) = value else { return nil }
      return keys.firstIndex(of: key)
    case .observed(let keys):
      guard case .link(binding!.table, let key) = value else { return nil }
      return keys.firstIndex(of: key)
    case .values(let values): return values.firstIndex(of: value)
    }
  }

  func index<Element: RealmCollectionValue>(of element: Element) -> Int? {
    // Looking for an object must not add it.
    if let object = (element as? AnyRealmValue)?.object(Object.self) {
      return instance.existingLink(to: object).flatMap(firstIndex)
    }
    guard let object = element as? ObjectBase ?? (element as? any ProjectionType)?.root else {
      return firstIndex(of: element._rlmStored(instance))
    }
    guard object._isManaged else {
      throwRealmException("Object has not been added to a Realm, so it has no index in one.")
    }
    return instance.existingLink(to: object).flatMap(firstIndex)
  }

  // MARK: Lists of values

  /// The values of a list that was sorted, made distinct or filtered.
  private func evaluateValues() -> [StoredValue] {
    guard let list, list.isValid else { return [] }
    return instance.values(of: query, in: list)
  }

  // MARK: Derived views

  /// The same source with another query.
  func with(_ change: (inout QueryDescription) -> Void) -> _ManagedCollection {
    if !instance.isFrozen { instance.checkThread() }
    var query = query
    change(&query)
    return _ManagedCollection(instance, binding, query, list: list, target: target)
  }

  private func counterpart(in other: _RealmInstance) -> _ManagedCollection {
    counterparts()(other)
  }

  /// Makes the same collection in other instances of the file, and does not hold this one.
  func counterparts() -> (_RealmInstance) -> _ManagedCollection {
    let owner = list.map { (table: $0.binding.table, object: $0.object, property: $0.property) }
    let table = binding?.table
    return { [query, target] other in
      let list = owner.map { owner in
        ListAccessor(
          instance: other, binding: other.binding(for: owner.table), object: owner.object,
          property: owner.property, generation: other.readState.pointee.generation)
      }
      return _ManagedCollection(
        other, table.map { other.binding(for: $0) }, query, list: list, target: target)
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

  func isSame(as other: _ManagedCollection) -> Bool {
    query == other.query && instance.shared === other.instance.shared
      && instance.isFrozen == other.instance.isFrozen
      && (!instance.isFrozen || instance.version == other.instance.version)
  }
}
