import ObjectStore
import Storage
import SyncProtocol

// Links to what is not there. They are kept with the object that they come from, and found by what
// they lead to; they come to life when that is created. An object may have very many of them: so it
// is gone through once for all that was created in a transaction, not once for each.
extension RealmClientStorage {
  /// Brings the table of what links lead to up to date with an object's links.
  func noteTargets(_ id: ObjectID, _ entry: Entry) throws(StorageError) {
    let targets = entry.state == nil ? [] : entry.places.dangling.targets
    if targets == entry.knownTargets { return }
    let links = try layout.tables.links
    let source = Text(ObjectName.text(id, record.names))
    var old: [ObjectStore.ObjectKey] = []
    for gone in entry.knownTargets.subtracting(targets) {
      old += try sources(of: gone)[source] ?? []
      linkSources[gone]?[source] = nil
    }
    if !old.isEmpty { try writes.deleteObjects(old, in: links.table) }
    for new in targets.subtracting(entry.knownTargets) {
      let row = try writes.createObject(in: links.table)
      let target = ObjectName.text(new, record.names)
      try writes.setString(target, links.target.columnKey, of: row, in: links.table)
      try writes.setString(source.string, links.source, of: row, in: links.table)
      linkSources[new]?[source, default: []].append(row)
    }
    entries[id]?.knownTargets = targets
  }

  /// The names of what links to an object that is not there, with the rows that say so.
  private func sources(
    of target: ObjectID
  ) throws(StorageError) -> [Text: [ObjectStore.ObjectKey]] {
    if let known = linkSources[target] { return known }
    let links = try layout.tables.links
    let table = try writes.table(links.table)
    guard table.count > 0, let index = try table.index(of: links.target) else { return [:] }
    let rows = try index.keys(equal: .string(ObjectName.text(target, record.names)))
    var sources: [Text: [ObjectStore.ObjectKey]] = [:]
    for row in rows {
      guard let position = try table.find(row) else { continue }
      sources[Text(try table.string(links.source, at: position)), default: []].append(row)
    }
    // Each of them may ask.
    if rows.count >= 8 { linkSources[target] = sources }
    return sources
  }

  /// Lets links come to life that lead to what has been created.
  func resolveCreated() throws(StorageError) {
    if created.isEmpty { return try finishDeletions() }
    try flush()
    var found: [ObjectID: [ObjectID: StoredValue]] = [:]
    if try writes.table(layout.tables.links.table).count > 0 {
      for target in created {
        guard let row = try row(of: target), let type = try layout.classes[target.type] else {
          continue
        }
        for name in try sources(of: target).keys {
          guard let source = ObjectName.id(name.string, record.names) else { continue }
          found[source, default: [:]][target] = .link(type.table, row)
        }
      }
    }
    created = []
    for (source, targets) in found {
      try resolve(source, targets)
      if entries.count > Self.entriesMax { try forgetEntries() }
    }
    if !found.isEmpty { try flush() }
  }

  /// - Parameter targets: what is there now, as values of links.
  private func resolve(
    _ source: ObjectID, _ targets: [ObjectID: StoredValue]
  ) throws(StorageError) {
    linksPassed += try entry(source).places.dangling.count
    for container in Array(try entry(source).places.dangling.holders.keys) {
      let found = entries[source]?.places.dangling.take(from: container) { targets[$0] != nil }
      guard let found, !found.isEmpty else { continue }
      entries[source]?.isChanged = true
      switch try spot(container, in: source) {
      case nil: break
      case .object(let table, let object):
        for case (.property(let name), let target) in found.cells {
          guard let property = try layout.classes[table]?.properties[name],
            let value = targets[target]
          else { continue }
          try writes.set(value, property.columnKey, of: object, in: table)
        }
      case .collection(let table, let object, let property):
        for case (.key(let key), let target) in found.cells {
          guard property.collection == .map, let value = targets[target] else { continue }
          try writes.mapSet(value, forKey: key.string, property, of: object, in: table)
        }
        if property.collection == .set {
          let values = found.members.compactMap { targets[$0] }
          try writes.setInsert(values, property.columnKey, of: object, in: table)
        } else if property.collection == .list {
          try resolve(found.items, targets, property, object, table)
        }
      }
    }
  }

  /// Elements of a list: missing ones that stand beside each other are put in together.
  private func resolve(
    _ items: [DanglingLinks.Found.Item], _ targets: [ObjectID: StoredValue],
    _ property: PropertyDescription, _ object: ObjectStore.ObjectKey, _ table: TableKey
  ) throws(StorageError) {
    let column = property.columnKey
    var count = try writes.list(column, of: object, in: table).count
    var run: [StoredValue] = []
    var start = 0
    func insertRun() throws(StorageError) {
      if run.isEmpty { return }
      guard start <= count else { throw .unsoundSync(writes.source.path, "a list's links") }
      try writes.listInsert(contentsOf: run, at: start, column, of: object, in: table)
      count += run.count
      run = []
    }
    for item in items {
      guard let value = targets[item.target] else { continue }
      if !item.isMissing || item.place != start + run.count {
        try insertRun()
        start = item.place
      }
      if item.isMissing {
        run.append(value)
      } else {
        guard item.place < count else { throw .unsoundSync(writes.source.path, "a list's links") }
        try writes.listSet(value, at: item.place, column, of: object, in: table)
      }
    }
    try insertRun()
  }
}
