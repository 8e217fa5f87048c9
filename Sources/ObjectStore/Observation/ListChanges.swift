import Storage

/// A list property that is observed.
public struct ObservedList: Hashable, Sendable {
  public var owner: TableKey
  public var object: ObjectKey
  public var column: ColumnKey

  public init(owner: TableKey, object: ObjectKey, column: ColumnKey) {
    self.owner = owner
    self.object = object
    self.column = column
  }

  /// How the list got from one version to another: by what was done to it where that is recorded,
  /// else by comparing.
  ///
  /// - Parameters:
  ///   - scope: what counts as a modification of an element that is an object; made for the class
  ///     of the elements, or for the list if it is one of values of any kind. Nil: only that
  ///     another element was put in its place.
  /// - Returns: nil if the owner does not exist in the new version: the list is gone.
  public func changes(
    from old: StoreView, to new: StoreView, _ changes: ChangeSet, _ scope: ChangeScope?
  ) throws(StorageError) -> CollectionChanges? {
    let trace = ChangeTrace(changes, from: old, to: new)
    guard let newList = try list(in: new) else { return nil }
    guard let oldList = try list(in: old) else {
      var changes = CollectionChanges()
      changes.insertions = Array(0..<newList.count)
      return changes
    }
    let touched = try touched(trace, in: newList, scope)
    switch changes.changes(in: owner)?.listChange(of: object, column) {
    case nil:
      var changes = CollectionChanges()
      for index in try indices(of: touched, newList) { changes.modify(old: index, new: index) }
      return changes
    case .operations(let operations):
      var steps = ListOperationTrace(count: oldList.count)
      let isComplete = operations.allSatisfy { steps.apply($0) }
      if isComplete, steps.count == newList.count {
        return steps.changes(modified: try indices(of: touched, newList))
      }
      return try compare(trace, oldList, newList, touched)
    case .compare: return try compare(trace, oldList, newList, touched)
    }
  }

  /// The list in a version; nil if its owner does not exist there.
  public func list(in view: StoreView) throws(StorageError) -> ListView? {
    guard let property = view.schema.description(of: owner)?.property(at: column),
      let table = try view.table(owner), let position = try table.find(object)
    else { return nil }
    return try table.list(of: property, at: position)
  }

  /// The touched objects that may be among the elements.
  ///
  /// - Parameter list: this one, in the newer version.
  func touched(
    _ trace: ChangeTrace, in list: ListView, _ scope: ChangeScope?
  ) throws(StorageError) -> TouchedObjects {
    guard let scope else { return TouchedObjects() }
    let touched = try scope.touched(trace)
    var found = TouchedObjects()
    if list.kind == .object {
      found.add(touched[list.target], of: list.target)
    } else {
      for (table, objects) in touched.tables {
        found.add(try linked(objects, of: table, list, trace), of: table)
      }
    }
    return found
  }

  /// Those of the objects that a list of values of any kind links to; more than these where looking
  /// through the list takes less.
  private func linked(
    _ objects: KeySet, of target: TableKey, _ list: ListView, _ trace: ChangeTrace
  ) throws(StorageError) -> KeySet {
    let description = trace.new.view.schema.description(of: target)
    guard let hidden = description?.backlinkColumn(from: owner, column),
      let table = try trace.new.table(target)
    else { return KeySet() }
    if objects.count >= list.count { return objects }
    var found = KeySet()
    for key in objects {
      guard let position = try table.find(key) else { continue }
      if try table.backlinks(hidden, at: position).count(from: object) > 0 {
        found.append(key.rawValue)
      }
    }
    return found
  }

  /// Where elements that are among `objects` stand.
  private func indices(
    of objects: TouchedObjects, _ list: ListView
  ) throws(StorageError) -> [Int] {
    if objects.isEmpty { return [] }
    let ofClass = objects[list.target]
    var found: [Int] = []
    var leaves = list.leaves()
    while let (vector, start) = try leaves.next() {
      if list.kind == .object {
        for row in 0..<vector.count where ofClass.contains(vector.integer(row) &- 1) {
          found.append(start + row)
        }
      } else {
        for row in 0..<vector.count where try list.refers(vector, row, to: objects) {
          found.append(start + row)
        }
      }
    }
    return found
  }

  private func compare(
    _ trace: ChangeTrace, _ old: ListView, _ new: ListView, _ touched: TouchedObjects
  ) throws(StorageError) -> CollectionChanges {
    if let before = try keys(in: trace.old.view), let after = try keys(in: trace.new.view) {
      return try compare(
        trace, (try values(before), try values(old)), (try values(after), try values(new)), touched)
    }
    if old.kind == .object {
      let ofClass = touched[new.target]
      return SequenceDiff.changes(
        from: try integers(old), to: try integers(new),
        isModified: { ofClass.contains($0 &- 1) })
    }
    return SequenceDiff.changes(
      from: try values(old).map(KeptValue.init), to: try values(new).map(KeptValue.init),
      isModified: { isTouched($0.value, touched, trace) })
  }

  /// The keys of a map in a version, in their order; nil for other collections.
  func keys(in view: StoreView) throws(StorageError) -> ListView? {
    guard let property = view.schema.description(of: owner)?.property(at: column),
      property.collection == .map, let table = try view.table(owner),
      let position = try table.find(object)
    else { return nil }
    return try table.list(of: property.mapKeys, at: position)
  }

  /// Maps are the same key by key, wherever the values stand.
  private func compare(
    _ trace: ChangeTrace, _ old: (keys: [StoredValue], values: [StoredValue]),
    _ new: (keys: [StoredValue], values: [StoredValue]), _ touched: TouchedObjects
  ) throws(StorageError) -> CollectionChanges {
    var changes = CollectionChanges()
    var (before, after) = (0, 0)
    while before < old.keys.count || after < new.keys.count {
      let order: SetOrder.Order =
        before == old.keys.count
        ? .greater
        : after == new.keys.count ? .less : SetOrder.compare(old.keys[before], new.keys[after])
      switch order {
      case .less: changes.deletions.append(before)
      case .greater: changes.insertions.append(after)
      case .equal:
        guard before < old.values.count, after < new.values.count else { break }
        let value = new.values[after]
        if !old.values[before].isIdentical(to: value) || isTouched(value, touched, trace) {
          changes.modify(old: before, new: after)
        }
      }
      if order != .greater { before += 1 }
      if order != .less { after += 1 }
    }
    return changes
  }

  /// Whether an element that is what it was counts as modified.
  private func isTouched(
    _ value: StoredValue, _ touched: TouchedObjects, _ trace: ChangeTrace
  ) -> Bool {
    touched.contains(value) || trace.changes.touchesCollection(value, in: trace.new.view.schema)
  }

  private func integers(_ list: ListView) throws(StorageError) -> [Int64] {
    var values: [Int64] = []
    values.reserveCapacity(min(list.count, 1 << 16))
    var leaves = list.leaves()
    while let (vector, _) = try leaves.next() {
      for row in 0..<vector.count { values.append(vector.integer(row)) }
    }
    return values
  }

  private func values(_ list: ListView) throws(StorageError) -> [StoredValue] {
    var values: [StoredValue] = []
    values.reserveCapacity(min(list.count, 1 << 16))
    var leaves = list.leaves()
    while let (vector, _) = try leaves.next() {
      guard let node = vector.node else { continue }
      for row in 0..<vector.count {
        values.append(
          try VectorValue.read(
            node, row, kind: list.kind, isOptional: list.isOptional, target: list.target,
            in: list.source))
      }
    }
    return values
  }
}

extension ListView {
  /// Whether the value of any kind in a leaf is a link to one of the objects.
  fileprivate func refers(
    _ vector: ColumnVector, _ row: Int, to objects: TouchedObjects
  ) throws(StorageError) -> Bool {
    guard let node = vector.node else { return false }
    return try unsafe ByteVector.withBytes(node, row, in: source) { bytes in
      guard let (table, key) = unsafe ValueCodec.link(bytes) else { return false }
      return objects.contains(key, of: table)
    }
  }
}
