import ObjectStore
import Storage
import SyncProtocol

// Objects that the server takes away. What links to them stays to be a link, and is found where it
// is among the program's data. A list may have a link to each of them: so their rows go together,
// and what links to them is gone through once. Until then links to them are as they were, which
// for all that is asked meanwhile is the same.
extension RealmClientStorage {
  /// Whether the object's row is there only because it has not gone yet.
  func isLeaving(_ id: ObjectID, in table: TableKey) throws(StorageError) -> Bool {
    guard let leaving = leaving[table], let row = try row(of: id) else { return false }
    return leaving[row] != nil
  }

  /// Lets the rows go of what was deleted. To be called before anybody asks which objects there
  /// are, and before one of these is created again.
  func finishDeletions() throws(StorageError) {
    if leaving.isEmpty { return }
    let all = leaving.sorted { $0.key.rawValue < $1.key.rawValue }
    leaving = [:]
    madeAt = [:]
    defer { madeAt = nil }
    for (table, objects) in all { try keepLinks(to: objects, in: table) }
    for (table, objects) in all {
      try writes.deleteObjects(Array(objects.keys), in: table)
      for id in objects.values { rows[id] = nil }
    }
  }

  private func keepLinks(
    to objects: [ObjectStore.ObjectKey: ObjectID], in table: TableKey
  ) throws(StorageError) {
    let keys = objects.keys.sorted()
    let backlinks = writes.schema.description.description(of: table)?.backlinks ?? []
    let stored = try writes.table(table)
    for backlink in backlinks {
      guard
        let property = writes.schema.description.description(of: backlink.originTable)?
          .property(at: backlink.originColumn)
      else { continue }
      var targets: [ObjectStore.ObjectKey: [ObjectStore.ObjectKey]] = [:]
      for key in keys {
        guard let position = try stored.find(key) else { continue }
        let origins = try stored.backlinks(backlink.columnKey, at: position)
        if origins.count == 0 { continue }
        for origin in Set(try origins.keys()) { targets[origin, default: []].append(key) }
      }
      for (origin, keys) in targets {
        guard let (source, container) = try owner(of: origin, in: backlink.originTable) else {
          continue
        }
        let links = LeavingLinks(
          origin: origin, originTable: backlink.originTable, property: property, table: table,
          keys: keys)
        try keep(links, of: source, container, objects)
      }
    }
  }

  /// The links of one property of an object to such as are to go.
  private struct LeavingLinks {
    var origin: ObjectStore.ObjectKey
    var originTable: TableKey
    var property: PropertyDescription
    var table: TableKey
    /// In order.
    var keys: [ObjectStore.ObjectKey]
  }

  private func keep(
    _ links: LeavingLinks, of source: ObjectID, _ holder: ContainerID,
    _ objects: [ObjectStore.ObjectKey: ObjectID]
  ) throws(StorageError) {
    guard let state = try entry(source).state, state.generation.isAlive else { return }
    // A nested collection is its own container.
    let property = links.property
    let name = try layout.classes[links.originTable]?.names[property.columnKey]
    let container =
      name.map { property.isCollection ? state.collection($0, of: holder) : holder } ?? holder
    func keep(_ spot: Places.Dangling.Spot, _ key: ObjectStore.ObjectKey) {
      guard let target = objects[key] else { return }
      entries[source]?.isChanged = true
      entries[source]?.places.dangling.append(
        Places.Dangling(container: container, spot: spot, target: target))
    }
    switch property.collection {
    case .none: if let name, let key = links.keys.first { keep(.property(name), key) }
    case .set: for key in links.keys { keep(.member, key) }
    case .map:
      let map = try writes.map(property, of: links.origin, in: links.originTable)
      for (index, key) in try places(of: links, in: map.values) {
        if case .string(let text) = try map.keys.value(at: index) { keep(.key(Text(text)), key) }
      }
    case .list:
      let list = try writes.list(
        property.columnKey, of: links.origin, in: links.originTable)
      // All before any of them counts as missing.
      let hidden = try entry(source).places.dangling.items(of: container)
      for (index, key) in try places(of: links, in: list) {
        let shown = hidden.shown(index)
        keep(property.kind == .any ? .nullItem(shown) : .item(shown), key)
      }
    }
  }

  private func places(
    of links: LeavingLinks, in list: ListView
  ) throws(StorageError) -> [(index: Int, key: ObjectStore.ObjectKey)] {
    linksPassed += list.count
    var found: [(Int, ObjectStore.ObjectKey)] = []
    for index in try list.indexes(ofLinksTo: links.keys, in: links.table) {
      if case .link(_, let key) = try list.value(at: index) { found.append((index, key)) }
    }
    return found
  }
}
