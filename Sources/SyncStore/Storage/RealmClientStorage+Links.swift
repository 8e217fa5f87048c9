import ObjectStore
import Storage
import SyncProtocol

// Links to what is not there. They are kept with the object that they come from, and found by what
// they lead to; they come to life when that is created.
extension RealmClientStorage {
  /// Brings the table of what links lead to up to date with an object's links.
  func noteTargets(_ id: ObjectID, _ entry: Entry) throws(StorageError) {
    let targets = entry.state == nil ? [] : entry.places.targets
    if targets == entry.knownTargets { return }
    let links = try layout.tables.links
    let source = ObjectName.text(id, record.names)
    for gone in entry.knownTargets.subtracting(targets) {
      for row in try linkRows(to: gone) where try sourceName(row) == source {
        try writes.deleteObject(row, in: links.table)
      }
    }
    for new in targets.subtracting(entry.knownTargets) {
      let row = try writes.createObject(in: links.table)
      let target = ObjectName.text(new, record.names)
      try writes.setString(target, links.target.columnKey, of: row, in: links.table)
      try writes.setString(source, links.source, of: row, in: links.table)
    }
    entries[id]?.knownTargets = targets
  }

  private func linkRows(to target: ObjectID) throws(StorageError) -> [ObjectStore.ObjectKey] {
    let links = try layout.tables.links
    let table = try writes.table(links.table)
    guard table.count > 0, let index = try table.index(of: links.target) else { return [] }
    return try index.keys(equal: .string(ObjectName.text(target, record.names)))
  }

  private func sourceName(_ row: ObjectStore.ObjectKey) throws(StorageError) -> String {
    let links = try layout.tables.links
    let table = try writes.table(links.table)
    guard let position = try table.find(row) else { return "" }
    return try table.string(links.source, at: position)
  }

  /// Lets links come to life that lead to what has been created.
  func resolveCreated() throws(StorageError) {
    if created.isEmpty { return }
    let links = try layout.tables.links
    try flush()
    while let target = created.popLast() {
      if try writes.table(links.table).count == 0 { return created = [] }
      guard let row = try row(of: target), let type = try layout.classes[target.type] else {
        continue
      }
      for link in try linkRows(to: target) {
        guard let source = ObjectName.id(try sourceName(link), record.names) else { continue }
        try resolve(source, target, .link(type.table, row))
      }
      try flush()
    }
  }

  private func resolve(
    _ source: ObjectID, _ target: ObjectID, _ value: StoredValue
  ) throws(StorageError) {
    let found = try entry(source).places.dangling.filter { $0.target == target }
    for link in found {
      entries[source]?.isChanged = true
      guard let spot = try spot(link.container, in: source) else {
        entries[source]?.places.forget(link.container, link.spot)
        continue
      }
      switch (link.spot, spot) {
      case (.property(let name), .object(let table, let object)):
        if let property = try layout.classes[table]?.properties[name] {
          try writes.set(value, property.columnKey, of: object, in: table)
        }
        entries[source]?.places.forget(link.container, link.spot)
      case (.key(let key), .collection(let table, let object, let property)):
        try writes.mapSet(value, forKey: key.string, property, of: object, in: table)
        entries[source]?.places.forget(link.container, link.spot)
      case (.member, .collection(let table, let object, let property)):
        try writes.setInsert([value], property.columnKey, of: object, in: table)
        entries[source]?.places.dangling.removeAll { $0 == link }
      case (.item(let index), .collection(let table, let object, let property)),
        (.nullItem(let index), .collection(let table, let object, let property)):
        try resolveItem(index, link, source, value, property, object, table)
      default: entries[source]?.places.dangling.removeAll { $0 == link }
      }
    }
  }

  private func resolveItem(
    _ index: Int, _ link: Places.Dangling, _ source: ObjectID, _ value: StoredValue,
    _ property: PropertyDescription, _ object: ObjectStore.ObjectKey, _ table: TableKey
  ) throws(StorageError) {
    let missing = try entry(source).places.missingItems(of: link.container)
    let place = index - missing.count { $0 < index }
    if link.spot == .item(index) {
      try writes.listInsert(value, at: place, property.columnKey, of: object, in: table)
    } else {
      try writes.listSet(value, at: place, property.columnKey, of: object, in: table)
    }
    entries[source]?.places.forget(link.container, link.spot)
  }

  /// Before an object goes because the server says so: what links to it stays to be a link.
  func keepLinks(
    to target: ObjectID, _ row: ObjectStore.ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let backlinks = writes.schema.description.description(of: table)?.backlinks ?? []
    for backlink in backlinks {
      let stored = try writes.table(table)
      guard let position = try stored.find(row) else { return }
      let origins = try stored.backlinks(backlink.columnKey, at: position)
      if origins.count == 0 { continue }
      guard
        let property = writes.schema.description.description(of: backlink.originTable)?
          .property(at: backlink.originColumn)
      else { continue }
      for origin in Set(try origins.keys()) {
        guard let (source, container) = try owner(of: origin, in: backlink.originTable),
          source != target
        else { continue }
        try keepLink(
          from: source, container, to: target, .link(table, row), property, origin,
          backlink.originTable)
      }
    }
  }

  private func keepLink(
    from source: ObjectID, _ holder: ContainerID, to target: ObjectID, _ value: StoredValue,
    _ property: PropertyDescription, _ origin: ObjectStore.ObjectKey, _ table: TableKey
  ) throws(StorageError) {
    let known = try layout.classes[table]
    guard let state = try entry(source).state, state.generation.isAlive else { return }
    // A nested collection is its own container.
    let name = known?.names[property.columnKey]
    let container =
      name.map { property.isCollection ? state.collection($0, of: holder) : holder } ?? holder
    func keep(_ spot: Places.Dangling.Spot) {
      entries[source]?.isChanged = true
      entries[source]?.places.dangling.append(
        Places.Dangling(container: container, spot: spot, target: target))
    }
    switch property.collection {
    case .none: if let name { keep(.property(name)) }
    case .set: keep(.member)
    case .map:
      let map = try writes.map(property, of: origin, in: table)
      for index in 0..<map.values.count where try map.values.value(at: index) == value {
        if case .string(let key) = try map.keys.value(at: index) { keep(.key(Text(key))) }
      }
    case .list:
      let list = try writes.list(property.columnKey, of: origin, in: table)
      let missing = try entry(source).places.missingItems(of: container)
      for index in 0..<list.count where try list.value(at: index) == value {
        let shown = Self.shown(index, missing)
        keep(property.kind == .any ? .nullItem(shown) : .item(shown))
      }
    }
  }

  /// The index among the elements that the state has, of one of those that are there.
  static func shown(_ index: Int, _ missing: [Int]) -> Int {
    var shown = index
    for gap in missing where gap <= shown { shown += 1 }
    return shown
  }
}
