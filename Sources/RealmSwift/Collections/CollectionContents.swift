import ObjectStore
import Storage

/// What is known of what a collection holds in one version: as much of it as was asked for.
///
/// A count, whether there is anything, or the first few elements are found without the others. All
/// of it belongs to `generation`, and is thrown away with it.
struct CollectionContents {
  var generation: UInt64 = 0
  /// All of it.
  var whole: Whole?
  /// How many elements there are, where that was counted rather than listed.
  var count: Int?
  /// The first objects, at most `headLimit` of them.
  var head: ContiguousArray<ObjectKey> = []
  /// How many first objects were asked for; 0 if none were.
  var headLimit = 0

  enum Whole {
    /// All objects of the class, looked up one by one.
    case wholeTable(Table)
    /// The list itself, looked up element by element.
    case wholeList(ListView)
    case objects(ContiguousArray<ObjectKey>)
    /// The same, as an observer of the collection found them.
    case observed(KeyList)
    case values([StoredValue])

    var count: Int {
      switch self {
      case .wholeTable(let table): table.count
      case .wholeList(let list): list.count
      case .objects(let keys): keys.count
      case .observed(let keys): keys.count
      case .values(let values): values.count
      }
    }
  }

  /// Where an element comes from.
  enum Place {
    case position(ObjectPosition)
    case key(ObjectKey)
    case value(StoredValue)
    /// The index is not below this count.
    case beyond(count: Int)
  }
}

// Finding out what a collection holds. Each function is called with what is known already, and
// leaves there what it has found.
extension _ManagedCollection {
  /// So many of the first elements are found at once when one of them is asked for.
  private static let headCount = 128

  /// All elements.
  func whole(_ contents: inout CollectionContents) -> CollectionContents.Whole {
    if let whole = contents.whole { return whole }
    let whole = evaluate()
    contents.whole = whole
    contents.head = []
    contents.headLimit = 0
    return whole
  }

  private func evaluate() -> CollectionContents.Whole {
    if let plain { return plain }
    if binding == nil { return .values(evaluateValues()) }
    if isSourceGone { return .objects([]) }
    let query = compiledQuery()
    let view = instance.view
    return .objects(engine { () throws(StorageError) in try query.evaluate(view) })
  }

  /// The class or the list itself, where that is all that is asked for.
  private var plain: CollectionContents.Whole? {
    guard isPlain else { return nil }
    if let list { return .wholeList(list.view) }
    return target == nil ? .wholeTable(instance.table(of: binding!)) : nil
  }

  /// A query on a list of, or on links to, an object that is gone holds nothing.
  private var isSourceGone: Bool { (list != nil || target != nil) && !isValid }

  /// How many elements there are.
  func count(_ contents: inout CollectionContents) -> Int {
    if let whole = contents.whole { return whole.count }
    if let count = contents.count { return count }
    if contents.head.count < contents.headLimit { return contents.head.count }
    if isPlain && target == nil || binding == nil { return whole(&contents).count }
    let count = countMatches()
    contents.count = count
    return count
  }

  /// Whether the first few objects can be found for less than all.
  private var canFindHead: Bool { !isPlain && binding != nil && query.hasHead }

  private func countMatches() -> Int {
    if isSourceGone { return 0 }
    if isPlain, let target { return countLinks(to: target) }
    return engine { () throws(StorageError) in
      if let equality = try indexedEquality() { return try equality.count }
      return try compiledQuery().count(instance.view)
    }
  }

  /// The query, if an index answers it by itself.
  private func indexedEquality() throws(StorageError) -> IndexedEquality? {
    guard let binding else { return nil }
    if let writing = instance.writing { try writing.objects.finishFilling(binding.table) }
    let schema = schemaAtHand
    let equality = try IndexedEquality(query, schema, instance.table(of: binding))
    // Asking for the table may move a realm whose version has been ended.
    return schemaAtHand === schema ? equality : nil
  }

  private var schemaAtHand: StoredSchema { instance.writing?.objects.schema ?? instance.schema }

  /// How many links of linking objects come to the object.
  private func countLinks(to target: (table: TableKey, object: ObjectKey)) -> Int {
    guard case .backlinks(let origin, let column, _) = query.source,
      let description = instance.schema.description.description(of: target.table),
      let hidden = description.backlinkColumn(from: origin, column)
    else { return 0 }
    let table = instance.table(of: instance.binding(for: target.table))
    return engine { () throws(StorageError) in
      guard let position = try table.find(target.object) else { return 0 }
      return try table.backlinks(hidden, at: position).count
    }
  }

  /// Whether there is no element.
  func isEmpty(_ contents: inout CollectionContents) -> Bool {
    if let whole = contents.whole { return whole.count == 0 }
    if let count = contents.count { return count == 0 }
    if !canFindHead { return count(&contents) == 0 }
    findHead(1, &contents)
    return contents.head.isEmpty
  }

  /// The element at the index.
  func place(
    _ index: Int, _ contents: inout CollectionContents
  ) -> CollectionContents.Place {
    if index >= 0, index < contents.head.count { return .key(contents.head[index]) }
    if contents.whole == nil, index >= 0, index < Self.headCount, canFindHead {
      // The first one of many is found by looking for one; a sort looks at all of them anyway.
      findHead(index == 0 && !query.isSorted ? 1 : Self.headCount, &contents)
      if index < contents.head.count { return .key(contents.head[index]) }
      if contents.head.count < contents.headLimit { return .beyond(count: contents.head.count) }
    }
    let whole = whole(&contents)
    let count = whole.count
    guard index >= 0, index < count else { return .beyond(count: count) }
    switch whole {
    case .wholeTable(let table):
      return .position(engine { () throws(StorageError) in try table.position(at: index) })
    case .wholeList(let list):
      if binding == nil {
        return .value(engine { () throws(StorageError) in try list.value(at: index) })
      }
      return .key(engine { () throws(StorageError) in try list.link(at: index) })
    case .objects(let keys): return .key(keys[index])
    case .observed(let keys): return .key(keys[index])
    case .values(let values): return .value(values[index])
    }
  }

  /// Finds the first `limit` objects, or all if there are fewer.
  private func findHead(_ limit: Int, _ contents: inout CollectionContents) {
    if contents.headLimit >= limit { return }
    contents.headLimit = limit
    if isSourceGone {
      contents.head = []
      return
    }
    contents.head = engine { () throws(StorageError) in
      if limit == 1, let equality = try indexedEquality() {
        return try equality.first.map { [$0] } ?? []
      }
      return try compiledQuery().first(limit, instance.view)
    }
  }

  /// The objects' keys, in order, as they are now.
  func keys(_ contents: inout CollectionContents) -> ContiguousArray<ObjectKey> {
    switch whole(&contents) {
    case .objects(let keys): return keys
    case .observed(let keys): return keys.array
    case .values: return []
    case .wholeTable(let table):
      return engine { () throws(StorageError) in try table.allKeys() }
    case .wholeList(let list):
      return engine { () throws(StorageError) in try list.allLinks() }
    }
  }
}
