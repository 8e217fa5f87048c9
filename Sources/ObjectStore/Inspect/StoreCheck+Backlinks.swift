import Storage

// Backlinks against links.
extension StoreCheck {
  mutating func runBacklinks(_ description: ClassDescription) {
    table = description
    if description.backlinks.isEmpty, !description.isEmbedded { return }
    do throws(StorageError) {
      guard let stored = try StoreRoot.table(description.tableKey, root: root, in: source) else {
        return
      }
      if description.isEmbedded { try checkOwners(stored) }
      for backlink in description.backlinks { try checkBacklinks(stored, backlink) }
    } catch {
      found(error.description)
    }
  }

  private mutating func checkBacklinks(
    _ stored: Table, _ backlink: BacklinkDescription
  ) throws(StorageError) {
    let place = HiddenColumn(table: table.tableKey, column: backlink.columnKey)
    let name = name(of: backlink)
    let expected = links[place] ?? PairSums()
    var noted = PairSums()
    var clusters = stored.clusters()
    while let cluster = try clusters.next() {
      for row in 0..<cluster.count {
        let key = cluster.key(row).rawValue
        let position = ObjectPosition(cluster: cluster, row: row)
        let view = try stored.backlinks(backlink.columnKey, at: position)
        try checkOrder(view, key, name) { noted.add(key, $0) }
      }
    }
    if noted == expected { return }
    try tellBacklinks(stored, backlink, noted.difference(from: expected), name)
  }

  /// Whether each embedded object belongs to one link.
  private mutating func checkOwners(_ stored: Table) throws(StorageError) {
    var clusters = stored.clusters()
    while let cluster = try clusters.next() {
      for row in 0..<cluster.count {
        let position = ObjectPosition(cluster: cluster, row: row)
        var owners = 0
        for backlink in table.backlinks {
          owners += try stored.backlinks(backlink.columnKey, at: position).count
        }
        if owners != 1 {
          found("an embedded object belongs to \(owners) links", cluster.key(row).rawValue)
        }
      }
    }
  }

  private func name(of backlink: BacklinkDescription) -> String {
    let origin = schema.description.description(of: backlink.originTable)
    let property = origin?.property(at: backlink.originColumn)
    return "backlinks of \(origin?.name ?? "?").\(property?.name ?? "?")"
  }

  private mutating func checkOrder(
    _ view: BacklinkView, _ key: Int64, _ name: String, _ body: (Int64) -> Void
  ) throws(StorageError) {
    if !view.tree.isNone { _ = try size.bytes(below: view.tree) }
    var count = 0
    var last = Int64.min
    var isInOrder = true
    try view.forEachKey { origin in
      if origin < last { isInOrder = false }
      last = origin
      count += 1
      body(origin)
    }
    if !isInOrder { found("origins are not in order", key, name) }
    if view.count != count { found("a count does not hold", key, name) }
  }

  /// Reads both sides again, for the objects whose sums differ.
  private mutating func tellBacklinks(
    _ stored: Table, _ backlink: BacklinkDescription, _ buckets: Set<Int>, _ name: String
  ) throws(StorageError) {
    var difference = PairDifference(buckets: buckets)
    try forEachLink(through: backlink) { difference.add($0, $1, 1) }
    var clusters = stored.clusters()
    while let cluster = try clusters.next() {
      for row in 0..<cluster.count {
        let key = cluster.key(row).rawValue
        let position = ObjectPosition(cluster: cluster, row: row)
        try stored.backlinks(backlink.columnKey, at: position).forEachKey {
          difference.add(key, $0, -1)
        }
      }
    }
    let (missing, surplus) = difference.rest
    for pair in missing.prefix(10) {
      found("object \(pair.key) links here, which is not noted", pair.value, name)
    }
    for pair in surplus.prefix(10) {
      found("object \(pair.key) is noted, which does not link here", pair.value, name)
    }
    if missing.isEmpty, surplus.isEmpty { found("links and backlinks differ", nil, name) }
  }

  /// Every link to the present table through one property: its target and its origin.
  private func forEachLink(
    through backlink: BacklinkDescription, _ body: (_ target: Int64, _ origin: Int64) -> Void
  ) throws(StorageError) {
    guard let origin = schema.description.description(of: backlink.originTable),
      let property = origin.property(at: backlink.originColumn),
      let stored = try StoreRoot.table(backlink.originTable, root: root, in: source)
    else { return }
    func tell(_ value: StoredValue, _ key: Int64) {
      if case .link(table.tableKey, let target) = value { body(target.rawValue, key) }
    }
    var clusters = stored.clusters()
    while let cluster = try clusters.next() {
      for row in 0..<cluster.count {
        let position = ObjectPosition(cluster: cluster, row: row)
        let key = cluster.key(row).rawValue
        guard property.isCollection else {
          tell(try stored.value(of: property, at: position), key)
          continue
        }
        let list = try stored.list(of: property, at: position)
        var leaves = list.leaves()
        while let (vector, _) = try leaves.next() {
          for element in 0..<vector.count {
            let value = try VectorValue.read(
              vector.node!, element, kind: property.kind, isOptional: property.isOptional,
              target: property.targetTable, in: source)
            tell(value, key)
          }
        }
      }
    }
  }
}
