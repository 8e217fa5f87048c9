import Storage

/// Finds what holds nested collections (lists and maps among values of any kind), and notes in its
/// history that what it holds has changed. That is an object, or another nested collection;
/// backlinks tell which.
struct NestedOwners {
  let transaction: ObjectTransaction

  private var tables: OpenTables { transaction.tables }
  private var schema: StoredSchema { tables.schema }

  /// A value of any kind and where it is.
  private struct Place: Hashable {
    var table: TableKey
    var column: ColumnKey
    var object: ObjectKey
  }

  /// How many nested collections the one is in, itself included; no more than `most` are looked at.
  func level(
    of object: ObjectKey, in table: TableKey, upTo most: Int
  ) throws(StorageError) -> Int {
    var (object, table, level) = (object, table, 0)
    while level < most, schema.layouts[Int(table.rawValue)].isNested {
      level += 1
      guard let place = try places(of: [object], in: table).keys.first else { break }
      (object, table) = (place.object, place.table)
    }
    return level
  }

  /// Notes that what holds a nested collection has changed if the collection has, and so on
  /// upwards: who watches an object hears of changes in its lists of lists.
  func noteChanges() throws(StorageError) {
    if schema.nestedTables.isEmpty { return }
    var level: [(table: TableKey, objects: [ObjectKey])] = []
    // Each once, also in a damaged file in which they hold one another in circles.
    var seen: [TableKey: Set<ObjectKey>] = [:]
    for table in schema.nestedTables {
      let changed = transaction.history.changedObjects(of: table)
      if changed.isEmpty { continue }
      level.append((table, changed))
      seen[table] = Set(changed)
    }
    while !level.isEmpty {
      var above: [TableKey: [ObjectKey]] = [:]
      for (table, objects) in level {
        for (place, members) in try places(of: objects, in: table) {
          try note(place, members, in: table)
          if schema.layouts[Int(place.table.rawValue)].isNested,
            seen[place.table, default: []].insert(place.object).inserted
          {
            above[place.table, default: []].append(place.object)
          }
        }
      }
      level = above.map { ($0.key, $0.value) }
    }
  }

  /// Where the collections are, by what holds them.
  private func places(
    of objects: [ObjectKey], in table: TableKey
  ) throws(StorageError) -> [Place: [ObjectKey]] {
    let stored = try tables.table(table)
    let backlinks = schema.description.description(of: table)?.backlinks ?? []
    var places: [Place: [ObjectKey]] = [:]
    for object in objects {
      guard let position = try stored.find(object) else { continue }
      for backlink in backlinks {
        let owners = try stored.backlinks(backlink.columnKey, at: position)
        guard owners.count > 0, let owner = try owners.keys().first else { continue }
        let place = Place(
          table: backlink.originTable, column: backlink.originColumn, object: owner)
        places[place, default: []].append(object)
      }
    }
    return places
  }

  private func note(
    _ place: Place, _ members: [ObjectKey], in table: TableKey
  ) throws(StorageError) {
    let state = try tables.open(place.table)
    guard state.pointee.columns[place.column.slot].isList else {
      return state.pointee.history.modified(place.object.rawValue, place.column.rawValue)
    }
    let list = try transaction.list(place.column, of: place.object, in: place.table)
    for index in try indexes(of: members, in: list, table) {
      state.pointee.history.list(
        place.object.rawValue, place.column.rawValue, .set(index: index))
    }
  }

  /// Where the list has those nested collections.
  private func indexes(
    of members: [ObjectKey], in list: ListView, _ table: TableKey
  ) throws(StorageError) -> [Int] {
    if let known = try transaction.nestedPlaces?.places(of: members, of: table, in: list) {
      return known
    }
    let targets = KeyFilter(sorted: members.sorted())
    let found = try list.indexes(of: targets, in: table, count: members.count)
    for index in found { transaction.nestedPlaces?.note(try list.value(at: index), at: index) }
    return found
  }
}
