import Storage

/// A link out of a list to an object that is about to go, once for each time that it is in there.
struct ListedLink {
  var origin: ObjectKey
  var target: ObjectKey
}

// Objects that are about to go leave the lists that hold them. A list is gone through once, for all
// of them; in a set its order tells where each is, and for maps there is `HeldPlaces`.
extension ObjectDeletion {
  /// Takes the targets out of their origins' lists: elements go, or become null in maps, and in
  /// lists of values of any kind.
  func removeFromLists(
    _ state: State, _ column: ColumnKey, _ targetTable: TableKey, _ links: [ListedLink]
  ) throws(StorageError) {
    let links = links.sorted { ($0.origin, $0.target) < ($1.origin, $1.target) }
    var start = 0
    while start < links.count {
      let origin = links[start].origin
      var end = start + 1
      while end < links.count, links[end].origin == origin { end += 1 }
      let list = try transaction.lists.current(state, column, origin)
      let name = HolderName(
        owner: state.pointee.key, column: column, object: origin, target: targetTable)
      let found = try indexes(
        of: links[start..<end], in: list, name, state.pointee.columns[column.slot])
      if found.count != end - start {
        throw source.corrupt(
          list.root, "a list with \(end - start) links to \(targetTable) was expected")
      }
      try removeElements(state, column, origin, list, at: found)
      start = end
    }
  }

  /// Where the elements stand that refer to the links' targets.
  private func indexes(
    of links: ArraySlice<ListedLink>, in list: ListView, _ name: HolderName, _ spec: ColumnSpec
  ) throws(StorageError) -> [Int] {
    if spec.isSet, list.count / ListView.elementsPerSearch > links.count {
      return try list.indexes(of: links, inSetOf: name.target)
    }
    if keepsPlaces(list, spec), list.count >= HeldPlaces.countMin {
      var places = transaction.heldPlaces.removeValue(forKey: name) ?? HeldPlaces()
      let found = try places.indexes(of: links, in: list, name.target)
      transaction.heldPlaces[name] = places
      return found
    }
    return try list.indexes(of: links, in: name.target)
  }

  /// Whether an element becomes null when its object goes.
  private func keepsPlaces(_ list: ListView, _ spec: ColumnSpec) -> Bool {
    spec.isMap || list.kind != .object && !spec.isSet
  }

  private func removeElements(
    _ state: State, _ column: ColumnKey, _ origin: ObjectKey, _ list: ListView, at indexes: [Int]
  ) throws(StorageError) {
    let spec = state.pointee.columns[column.slot]
    let editor = transaction.treeWriter(spec)
    var root = list.root
    if keepsPlaces(list, spec) {
      for index in indexes { root = try editor.set(root, at: index, .null) }
      try transaction.lists.storeRoot(state, column, origin, root)
      for index in indexes { transaction.lists.record(state, column, origin, .set(index: index)) }
      return
    }
    // Above this share it is cheaper to write the whole list than to find the way to each element.
    if list.kind == .object, indexes.count > max(8, list.count / 256) {
      root = try editor.rebuild(list, without: indexes)
    } else {
      for index in indexes.reversed() {
        root = try editor.remove(root, at: index)
      }
    }
    try transaction.lists.storeRoot(state, column, origin, root)
    // From the last to the first, so that the indexes are those of the list as it was.
    var end = indexes.count
    while end > 0 {
      var start = end - 1
      while start > 0, indexes[start - 1] == indexes[start] - 1 { start -= 1 }
      transaction.lists.record(
        state, column, origin, .remove(index: indexes[start], count: end - start))
      end = start
    }
  }
}

extension ListView {
  /// Going through so many elements costs as much as a search among all.
  fileprivate static let elementsPerSearch = 256

  /// Where the elements of a set stand that refer to the links' targets, in order.
  fileprivate func indexes(
    of links: ArraySlice<ListedLink>, inSetOf table: TableKey
  ) throws(StorageError) -> [Int] {
    var found: [Int] = []
    for link in links {
      let place = try SetOrder.place(of: .link(table, link.target), in: self)
      if place.isFound, place.index != found.last { found.append(place.index) }
    }
    return found
  }

  /// Where the elements stand that refer to the links' targets, in order.
  func indexes(
    of links: ArraySlice<ListedLink>, in table: TableKey
  ) throws(StorageError) -> [Int] {
    let targets = KeyFilter(sorted: links.map(\.target))
    return try indexes(of: targets, in: table, count: links.count)
  }

  /// Where the elements stand that refer to one of the objects, in order: the list is gone through
  /// once.
  ///
  /// - Parameter keys: in order.
  package func indexes(
    ofLinksTo keys: [ObjectKey], in table: TableKey
  ) throws(StorageError) -> [Int] {
    if keys.isEmpty { return [] }
    return try indexes(of: KeyFilter(sorted: keys), in: table, count: count)
  }

  /// The object of that class that the element of a leaf refers to.
  func target(
    _ vector: ColumnVector, _ row: Int, in table: TableKey
  ) throws(StorageError) -> ObjectKey? {
    if kind == .object {
      let value = vector.integer(row)
      return value == 0 ? nil : ObjectKey(rawValue: value &- 1)
    }
    return try unsafe ByteVector.withBytes(vector.node!, row, in: source) { bytes in
      guard let (to, key) = unsafe ValueCodec.link(bytes), to == table else { return nil }
      return key
    }
  }

  /// Where the first `count` elements stand that refer to one of the objects, in order.
  func indexes(
    of targets: KeyFilter, in table: TableKey, count: Int
  ) throws(StorageError) -> [Int] {
    var found: [Int] = []
    found.reserveCapacity(min(count, self.count))
    var leaves = leaves()
    while found.count < count, let (vector, start) = try leaves.next() {
      if kind == .object, let only = targets.only, !vector.hasInteger(only &+ 1) { continue }
      for row in 0..<vector.count {
        if try refers(vector, row, to: targets, in: table) { found.append(start + row) }
      }
    }
    return found
  }

  @inline(__always)
  private func refers(
    _ vector: ColumnVector, _ row: Int, to targets: KeyFilter, in table: TableKey
  ) throws(StorageError) -> Bool {
    if kind == .object { return targets.contains(vector.integer(row) &- 1) }
    return try unsafe ByteVector.withBytes(vector.node!, row, in: source) { bytes in
      guard let (to, key) = unsafe ValueCodec.link(bytes) else { return false }
      return to == table && targets.contains(key.rawValue)
    }
  }
}

extension ColumnVector {
  /// Whether an element is that integer: a loop without a way out, which the processor does for
  /// many elements at once.
  fileprivate func hasInteger(_ value: Int64) -> Bool {
    switch width {
    case 8: return has(value, as: Int8.self)
    case 16: return has(value, as: Int16.self)
    case 32: return has(value, as: Int32.self)
    case 64: return has(value, as: Int64.self)
    default: return (0..<count).contains { integer($0) == value }
    }
  }

  @inline(__always)
  private func has<Element: FixedWidthInteger>(_ value: Int64, as _: Element.Type) -> Bool {
    guard let value = Element(exactly: value) else { return false }
    let elements = unsafe elements.assumingMemoryBound(to: Element.self)
    var hits: Element = 0
    for row in 0..<count { unsafe hits |= elements[row] == value ? 1 : 0 }
    return hits != 0
  }
}

extension ListTreeWriter {
  /// A new list of the elements that are not at `indexes`, and lets go of the old one. For elements
  /// that have no nodes of their own.
  func rebuild(
    _ list: ListView, without indexes: [Int]
  ) throws(StorageError) -> NodeReference {
    var entries: [InnerEntry] = []
    var pieces: [VectorPiece] = []
    var held = 0
    func flush() throws(StorageError) {
      if held == 0 { return }
      let leaf = try VectorWriter.gather(writer, pieces, kind: kind, isOptional: isOptional)
      entries.append(InnerEntry(leaf, count: held))
      pieces.removeAll(keepingCapacity: true)
      held = 0
    }
    var next = 0
    var leaves = list.leaves()
    while let (vector, start) = try leaves.next() {
      let reference = leaves.reference
      let rows = vector.count
      var from = 0
      while from < rows {
        while from < rows, next < indexes.count, indexes[next] == start + from {
          from += 1
          next += 1
        }
        if from >= rows { break }
        let gap = next < indexes.count ? min(rows, indexes[next] - start) : rows
        let taken = min(gap, from + limits.listElements - held)
        pieces.append(VectorPiece(reference: reference, rows: from..<taken))
        held += taken - from
        from = taken
        if held == limits.listElements { try flush() }
      }
    }
    try flush()
    let root = try join(entries)
    try writer.releaseTree(list.root)
    return root
  }

  /// The inner nodes above those leaves.
  private func join(_ leaves: [InnerEntry]) throws(StorageError) -> NodeReference {
    var entries = leaves
    while entries.count > 1 {
      var above: [InnerEntry] = []
      var start = 0
      while start < entries.count {
        let children = Array(entries[start..<min(entries.count, start + limits.innerChildren)])
        let count = children.reduce(0) { $0 + $1.count }
        above.append(
          InnerEntry(InnerNode.make(writer, children, stride: InnerNode.listStride), count: count))
        start += children.count
      }
      entries = above
    }
    return entries.first?.reference ?? .none
  }
}
