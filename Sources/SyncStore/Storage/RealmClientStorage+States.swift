import ObjectStore
import Storage
import SyncProtocol

// The states of objects. What is plain has none in the file.
extension RealmClientStorage {
  /// As many are kept in memory at the most.
  static var entriesMax: Int { 10_000 }

  /// The state of an object.
  public func state(of id: ObjectID) -> ClientObject? {
    attempt(nil) { () throws(StorageError) in
      if let known = entries[id] { return known.state }
      // Not kept among the entries: all objects of the file may be asked for.
      let entry = try read(id)
      lastRead = entry.row == nil ? nil : (id, entry)
      return entry.state
    }
  }

  /// Takes the state of an object out.
  public func takeState(of id: ObjectID) -> ClientObject? {
    attempt(nil) { () throws(StorageError) in
      _ = try entry(id)
      entries[id]?.isChanged = true
      let state = entries[id]?.state
      entries[id]?.state = nil
      return state
    }
  }

  /// Puts the state of an object back; nil if there is nothing to keep, and no object.
  public func putState(_ state: ClientObject?, of id: ObjectID) {
    attempt(()) { () throws(StorageError) in
      _ = try entry(id)
      entries[id]?.state = state
      entries[id]?.isChanged = true
      if entries.count > Self.entriesMax {
        try resolveCreated()
        try forgetEntries()
      }
    }
  }

  /// Writes what is known of objects, and reads it again when it is needed.
  func forgetEntries() throws(StorageError) {
    try flush()
    entries = [:]
    rows = [:]
    linkSources = [:]
  }

  /// What is known of an object, read if need be.
  @discardableResult
  func entry(_ id: ObjectID) throws(StorageError) -> Entry {
    if let known = entries[id] { return known }
    let entry = if let lastRead, lastRead.id == id { lastRead.entry } else { try read(id) }
    lastRead = nil
    entries[id] = entry
    return entry
  }

  private func read(_ id: ObjectID) throws(StorageError) -> Entry {
    let layout = try layout
    var entry = Entry()
    let hidden = layout.tables.objects
    let table = try writes.table(hidden.table)
    if table.count > 0,
      let row = try table.find(
        primaryKey: .string(ObjectName.text(id, record.names)), hidden.name),
      let position = try table.find(row)
    {
      entry.row = row
      statesRead += 1
      guard
        let state = try? ClientObject(
          row: try table.data(hidden.state, at: position), names: record.names),
        let places = Places(try table.data(hidden.places, at: position), record.names)
      else { throw .unsoundSync(table.source.path, "the state of an object") }
      entry.state = state
      entry.places = places
      entry.storedSpan = try span(hidden, table, position)
      entry.knownTargets = places.dangling.targets
    } else {
      var exists = plainExists
      if exists == nil { exists = try row(of: id) != nil }
      if exists == true { entry.state = .plain(id.type) }
    }
    return entry
  }

  /// Writes the states that have changed.
  func flush() throws(StorageError) {
    try finishDeletions()
    lastRead = nil
    var dirtier: Int64 = 0
    let hidden = try layout.tables.objects
    for (id, entry) in entries where entry.isChanged {
      let isKept = entry.state.map { !$0.isPlain || !entry.places.isEmpty } ?? false
      let span = isKept ? entry.state?.dirtySpan : nil
      if isKept, let state = entry.state {
        try keep(id, state, entry, span, hidden)
      } else if let row = entry.row {
        try writes.deleteObject(row, in: hidden.table)
        entries[id]?.row = nil
      }
      try noteTargets(id, entry)
      dirtier += (span != nil ? 1 : 0) - (entry.storedSpan != nil ? 1 : 0)
      entries[id]?.storedSpan = span
      entries[id]?.isChanged = false
    }
    try noteDirty(by: dirtier)
  }

  private func keep(
    _ id: ObjectID, _ state: ClientObject, _ entry: Entry,
    _ span: ClosedRange<UInt64>?, _ hidden: SyncTables.Objects
  ) throws(StorageError) {
    let key: ObjectStore.ObjectKey
    if let row = entry.row {
      key = row
    } else {
      let name = StoredValue.string(ObjectName.text(id, record.names))
      key = try writes.createObject(in: hidden.table, primaryKey: name).key
      entries[id]?.row = key
    }
    let bytes = state.row(names: record.names)
    try writes.set(.data(bytes), hidden.state, of: key, in: hidden.table)
    if !entry.places.isEmpty || entry.row != nil {
      let places = entry.places.isEmpty ? [] : entry.places.row(record.names)
      linksPassed += entry.places.dangling.count
      try writes.set(.data(places), hidden.places, of: key, in: hidden.table)
    }
    if span == entry.storedSpan { return }
    if (span != nil) != (entry.storedSpan != nil) {
      try writes.setBool(span != nil, hidden.dirty, of: key, in: hidden.table)
    }
    func set(_ time: UInt64?, _ old: UInt64?, _ column: ColumnKey) throws(StorageError) {
      if time == old { return }
      try writes.setInt(
        Int64(bitPattern: time ?? 0), column, of: key, in: hidden.table)
    }
    try set(span?.lowerBound, entry.storedSpan?.lowerBound, hidden.since)
    try set(span?.upperBound, entry.storedSpan?.upperBound, hidden.until)
  }

  private func span(
    _ hidden: SyncTables.Objects, _ table: Table, _ position: ObjectPosition
  ) throws(StorageError) -> ClosedRange<UInt64>? {
    guard try table.bool(hidden.dirty, at: position) else { return nil }
    let since = UInt64(bitPattern: try table.int(hidden.since, at: position))
    let until = UInt64(bitPattern: try table.int(hidden.until, at: position))
    guard since <= until else { throw .unsoundSync(table.source.path, "when it was written") }
    return since...until
  }

  /// When the objects were written of which something is not acknowledged.
  public var dirtySpans: [DirtySpan<ObjectStore.ObjectKey>] {
    attempt([]) { () throws(StorageError) in
      try flush()
      let hidden = try layout.tables.objects
      let table = try writes.table(hidden.table)
      var spans: [DirtySpan<ObjectStore.ObjectKey>] = []
      var clusters = table.clusters()
      while let cluster = try clusters.next() {
        for row in 0..<cluster.count {
          let position = ObjectPosition(cluster: cluster, row: row)
          guard let span = try span(hidden, table, position) else { continue }
          spans.append(
            DirtySpan(
              since: span.lowerBound, until: span.upperBound, handle: cluster.key(row)))
        }
      }
      return spans
    }
  }

  /// The object of a span.
  public func dirtyObject(_ row: ObjectStore.ObjectKey) -> ObjectID? {
    attempt(nil) { () throws(StorageError) in
      let hidden = try layout.tables.objects
      let table = try writes.table(hidden.table)
      guard let position = try table.find(row) else { return nil }
      let name = try table.string(hidden.name.columnKey, at: position)
      return ObjectName.id(name, record.names)
    }
  }

  /// All objects with a state.
  public var objects: [ObjectID] {
    attempt([]) { () throws(StorageError) in
      try flush()
      var ids: Set<ObjectID> = []
      for known in try layout.classes.all {
        guard let primaryKey = known.primaryKey else { continue }
        let table = try writes.table(known.table)
        var clusters = table.clusters()
        while let cluster = try clusters.next() {
          for row in 0..<cluster.count {
            let position = ObjectPosition(cluster: cluster, row: row)
            let value = try table.value(of: primaryKey, at: position)
            if let key = SyncProtocol.ObjectKey(value) {
              ids.insert(ObjectID(type: known.type, key: key))
            }
          }
        }
      }
      ids.formUnion(try hiddenObjects { _, _ in true })
      return Array(ids)
    }
  }

  /// The objects whose states have tombstones.
  public var tombstones: [ObjectID] {
    attempt([]) { () throws(StorageError) in
      try flush()
      let state = try layout.tables.objects.state
      return try hiddenObjects { table, position throws(StorageError) in
        guard let has = try? ClientObject.hasTombstone(row: table.data(state, at: position)) else {
          throw .unsoundSync(table.source.path, "the state of an object")
        }
        return has
      }
    }
  }

  /// The objects of which something is not acknowledged.
  public var dirtyObjects: [ObjectID] {
    attempt([]) { () throws(StorageError) in
      try flush()
      let dirty = try layout.tables.objects.dirty
      return try hiddenObjects { table, position throws(StorageError) in
        try table.bool(dirty, at: position)
      }
    }
  }

  /// Objects with a row among the hidden ones, by what that says.
  private func hiddenObjects(
    where isWanted: (Table, ObjectPosition) throws(StorageError) -> Bool
  ) throws(StorageError) -> [ObjectID] {
    let hidden = try layout.tables.objects
    let table = try writes.table(hidden.table)
    var ids: [ObjectID] = []
    var clusters = table.clusters()
    while let cluster = try clusters.next() {
      for row in 0..<cluster.count {
        let position = ObjectPosition(cluster: cluster, row: row)
        guard try isWanted(table, position) else { continue }
        let name = try table.string(hidden.name.columnKey, at: position)
        guard let id = ObjectName.id(name, record.names) else {
          throw .unsoundSync(table.source.path, "the name of an object")
        }
        ids.append(id)
      }
    }
    return ids
  }

  /// When the program gets properties that others of its devices have had before: forgets what the
  /// server is known to have of those that the program did not have in `before`. Lists, maps and
  /// embedded objects of them found no place among the program's data, but counted as received; the
  /// server tells them again, and then they are new.
  ///
  /// A property that has got another type is a new one, whose former values are gone; so are those
  /// of one that was taken away, with what was written there and is not acknowledged, and with the
  /// links that led to what is not there. Of objects of a class that is new all is forgotten: they
  /// have no rows.
  func forgetNewProperties(since before: SchemaDescription) throws(StorageError) {
    var new: [NameID: Set<NameID>] = [:]
    var gone: [NameID: Set<NameID>] = [:]
    var newClasses: Set<NameID> = []
    for known in try layout.classes.all {
      if before.description(of: known.name) == nil { newClasses.insert(known.type) }
      let old = before.description(of: known.name)?.properties ?? []
      for (name, property) in known.properties {
        let earlier = old.first { $0.name == property.name }
        if earlier?.hasType(of: property) != true { new[known.type, default: []].insert(name) }
      }
      for property in old where !property.isPrimaryKey {
        guard let name = record.names.find(Text(property.name)) else { continue }
        if known.properties[name]?.hasType(of: property) != true {
          gone[known.type, default: []].insert(name)
        }
      }
    }
    let all = new.merging(gone) { $0.union($1) }
    if all.isEmpty && newClasses.isEmpty { return }
    for id in try hiddenObjects(where: { _, _ in true }) {
      // Most have nothing to be forgotten, and are not written.
      guard var state = state(of: id) else { continue }
      if newClasses.contains(id.type) {
        guard state.generation.isAlive else { continue }
        _ = takeState(of: id)
        putState(nil, of: id)
        continue
      }
      let links = try danglingLinks(of: id, state, in: all)
      let containers = state.forget(newProperties: all)
      let hadWrites = state.forgetWrites(in: gone)
      if containers.isEmpty && links.isEmpty && !hadWrites {
        // Not kept among the entries: all objects of the file are asked for.
        if entries[id]?.isChanged == false { entries[id] = nil }
        continue
      }
      _ = takeState(of: id)
      for (container, spot) in links { entries[id]?.places.dangling.forget(container, spot) }
      for container in containers { change(.drop(container), in: id) }
      putState(state, of: id)
    }
  }

  /// The links to what is not there in some properties of the object.
  private func danglingLinks(
    of id: ObjectID, _ state: ClientObject, in properties: [NameID: Set<NameID>]
  ) throws(StorageError) -> [(ContainerID, Places.Dangling.Spot)] {
    let dangling = try entry(id).places.dangling
    if dangling.isEmpty { return [] }
    let kinds = state.containerKinds
    var found: [(ContainerID, Places.Dangling.Spot)] = []
    for (id, holder) in dangling.holders {
      guard case .object(let type)? = kinds[id] else { continue }
      for case .property(let name) in holder.cells.keys
      where properties[type]?.contains(name) == true {
        found.append((id, .property(name)))
      }
    }
    return found
  }

  /// The object's row; nil if there is none.
  func row(of id: ObjectID) throws(StorageError) -> ObjectStore.ObjectKey? {
    if let known = rows[id] { return known }
    guard let known = try layout.classes[id.type], let primaryKey = known.primaryKey,
      id.key.fits(primaryKey)
    else { return nil }
    let found = try writes.table(known.table).find(primaryKey: id.key.stored, primaryKey)
    rows[id] = found
    return found
  }
}

extension PropertyDescription {
  /// Whether it has the values of the other: those of a collection whose elements may be null now,
  /// or may not be any more, are written into a new one.
  fileprivate func hasType(of other: PropertyDescription) -> Bool {
    kind == other.kind && collection == other.collection && linkTarget == other.linkTarget
      && (!isCollection || isOptional == other.isOptional)
  }
}
