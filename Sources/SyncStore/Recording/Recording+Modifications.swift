import ObjectStore
import Storage
import SyncProtocol

// What a transaction has changed in objects that were there before.
extension Recording {
  mutating func noteModifications(_ changes: TableChanges) throws(StorageError) {
    guard let description = writes.schema.description.description(of: changes.table) else { return }
    let known = try storage.layout.classes[changes.table]
    for key in changes.modifiedObjects {
      guard try writes.table(changes.table).find(key) != nil,
        let (id, container) = try storage.owner(of: key, in: changes.table), core.exists(id)
      else { continue }
      var isDone: Set<ColumnKey> = []
      for column in changes.modifiedColumns(of: key) {
        guard let property = description.property(with: column),
          isDone.insert(property.columnKey).inserted
        else { continue }
        let place = Place(table: changes.table, row: key, property: property)
        if description.isNestedCollection {
          try noteCollection(place, container, changes, id, declared: nil)
        } else if let name = known?.names[property.columnKey] {
          try noteProperty(place, name, container, changes, id)
        }
      }
    }
  }

  /// A property of an object in the file.
  struct Place {
    var table: TableKey
    var row: ObjectStore.ObjectKey
    var property: PropertyDescription
  }

  private mutating func noteProperty(
    _ place: Place, _ name: NameID, _ container: ContainerID, _ changes: TableChanges,
    _ id: ObjectID
  ) throws(StorageError) {
    if place.property.isCollection {
      let declared = (name, container)
      let collection = storage.state(of: id)?.collection(name, of: container)
      guard let collection else { return }
      return try noteCollection(place, collection, changes, id, declared: declared)
    }
    let now = try value(place, in: writes.table(place.table)) ?? .null
    let before = try writes.baseView.table(place.table).flatMap { table throws(StorageError) in
      try value(place, in: table)
    }
    // What the deletion of its target has made null stays a link, to what is not there: nobody has
    // written it, so that it takes nothing from those who write there meanwhile.
    if now == .null, changes.isOnlyCut(place.row, place.property.columnKey),
      case .link(let table, let row) = before, deleted.contains(Row(table: table, row: row))
    {
      return try keepLink(to: row, table, name, container, id)
    }
    // A container that is the same one has told of its own changes.
    if now == before, try isContainer(now) { return }
    try noteValue(now, .property(name), of: container, id)
  }

  private func keepLink(
    to row: ObjectStore.ObjectKey, _ table: TableKey, _ name: NameID, _ container: ContainerID,
    _ id: ObjectID
  ) throws(StorageError) {
    guard let known = try storage.layout.classes[table],
      let before = try writes.baseView.table(table),
      let target = try storage.id(of: row, known, in: before)
    else { return }
    try storage.entry(id)
    storage.entries[id]?.isChanged = true
    storage.entries[id]?.places.dangling.append(
      Places.Dangling(container: container, spot: .property(name), target: target))
  }

  private func value(
    _ place: Place, in table: Table
  ) throws(StorageError) -> StoredValue? {
    guard let position = try table.find(place.row) else { return nil }
    return try table.value(of: place.property, at: position)
  }

  // MARK: Collections

  /// - Parameter declared: the property that declares the collection, and the container that has
  /// it.
  private mutating func noteCollection(
    _ place: Place, _ collection: ContainerID, _ changes: TableChanges, _ id: ObjectID,
    declared: (NameID, ContainerID)?
  ) throws(StorageError) {
    switch place.property.collection {
    case .none: break
    case .set:
      let change = changes.listChange(of: place.row, place.property.columnKey)
      if try noteOneMember(place, collection, change, id) { return }
      try noteSet(place, collection, change, id)
    case .map:
      let change = changes.listChange(of: place.row, place.property.columnKey)
      if try noteOneKey(place, collection, change, id) { return }
      try noteMap(place, collection, change, id)
    case .list:
      try noteList(
        place, collection, changes.listChange(of: place.row, place.property.columnKey), id,
        declared: declared)
    }
  }

  /// The collection's values before, and now.
  func values(
    _ place: Place, _ property: PropertyDescription
  ) throws(StorageError) -> (before: [StoredValue], now: [StoredValue]) {
    let now = try writes.list(property.columnKey, of: place.row, in: place.table).allValues()
    guard let table = try writes.baseView.table(place.table),
      let position = try table.find(place.row)
    else { return ([], now) }
    return (try table.list(of: property, at: position).allValues(), now)
  }

  /// For a set of which only one run of members was put in: without going through the others.
  private mutating func noteOneMember(
    _ place: Place, _ set: ContainerID, _ change: ListChange?, _ id: ObjectID
  ) throws(StorageError) -> Bool {
    guard case .operations(let operations) = change, operations.count == 1,
      case .insert(let index, let count) = operations[0]
    else { return false }
    for offset in 0..<count {
      let now = try writes.list(place.property.columnKey, of: place.row, in: place.table)
      let member = try now.value(at: index + offset)
      try noteMember(member, isThere: true, place.property, set, id)
    }
    return true
  }

  /// The same for a map of which one value was set, or put in.
  private mutating func noteOneKey(
    _ place: Place, _ map: ContainerID, _ change: ListChange?, _ id: ObjectID
  ) throws(StorageError) -> Bool {
    guard case .operations(let operations) = change, operations.count == 1 else { return false }
    let index: Int
    switch operations[0] {
    case .insert(let place, 1), .set(let place): index = place
    default: return false
    }
    let now = try writes.map(place.property, of: place.row, in: place.table)
    guard index < now.keys.count, case .string(let key) = try now.keys.value(at: index) else {
      return false
    }
    let value = try now.values.value(at: index)
    // A container that is the same one has told of its own changes.
    if try isContainer(value) { return false }
    try noteValue(value, .key(Text(key)), of: map, id)
    return true
  }

  private mutating func noteSet(
    _ place: Place, _ set: ContainerID, _ change: ListChange?, _ id: ObjectID
  ) throws(StorageError) {
    let (before, now) = try values(place, place.property)
    let isCleared = change?.isClearedFirst == true
    // What is in it now was put in afterwards.
    var known: [Member: StoredValue] = [:]
    if isCleared {
      try noteHiddenMembersGone(of: set, id)
    } else {
      for value in before { known[Member(value, place.property)] = value }
    }
    var there: Set<Member> = []
    for value in now {
      let member = Member(value, place.property)
      there.insert(member)
      if known[member]?.isIdentical(to: value) == true { continue }
      try noteMember(value, isThere: true, place.property, set, id)
    }
    // One that an equal one has taken the place of is in the same cell.
    for value in before where !there.contains(Member(value, place.property)) {
      if case .link(let table, let row) = value, deleted.contains(Row(table: table, row: row)) {
        try noteLostMember(row, table, set, id)
      } else {
        try noteMember(value, isThere: false, place.property, set, id)
      }
    }
  }

  /// A member by the cell that has it: not-a-number does not equal itself.
  private enum Member: Hashable {
    case link(StoredValue)
    case value(CellValue)

    init(_ value: StoredValue, _ property: PropertyDescription) {
      let cell = CellValue(value)
      self = cell.map { .value($0.memberName(in: property)) } ?? .link(value)
    }
  }

  /// Clearing a set takes out the members too that the program does not see, since what they lead
  /// to is not there.
  private mutating func noteHiddenMembersGone(
    of set: ContainerID, _ id: ObjectID
  ) throws(StorageError) {
    for target in try storage.entry(id).places.dangling.members(of: set) {
      core.set(.member(.link(target)), of: set, in: id, to: .absent, now: now)
    }
  }

  private mutating func noteLostMember(
    _ row: ObjectStore.ObjectKey, _ table: TableKey, _ set: ContainerID, _ id: ObjectID
  ) throws(StorageError) {
    guard let known = try storage.layout.classes[table],
      let before = try writes.baseView.table(table),
      let target = try storage.id(of: row, known, in: before)
    else { return }
    core.set(.member(.link(target)), of: set, in: id, to: .absent, now: now)
  }

  private mutating func noteMap(
    _ place: Place, _ map: ContainerID, _ change: ListChange?, _ id: ObjectID
  ) throws(StorageError) {
    let keys = try values(place, place.property.mapKeys)
    let (before, now) = try values(place, place.property)
    let history = ListHistory(change, from: before.count, to: now.count)
    // Keys are different where their bytes are.
    var known: [Text: StoredValue] = [:]
    for case (.string(let key), let value) in zip(keys.before, before) { known[Text(key)] = value }
    for (index, value) in now.enumerated() {
      guard case .string(let string) = keys.now[index] else { continue }
      let key = Text(string)
      let old = known.removeValue(forKey: key)
      // Null in the place of a link that reads as null is a write as well; a container that is the
      // same one has told of its own changes.
      if old?.isIdentical(to: value) == true {
        guard let history, history.isWritten(at: index), try !isContainer(value) else { continue }
      }
      try noteValue(value, .key(key), of: map, id)
    }
    for key in known.keys.sorted() {
      core.set(.key(key), of: map, in: id, to: .absent, now: self.now)
    }
  }

  func isContainer(_ value: StoredValue) throws(StorageError) -> Bool {
    guard case .link = value else { return false }
    return try storage.cell(value)?.container != nil
  }
}

extension ClassDescription {
  /// The property that has the column; a map has two.
  fileprivate func property(with column: ColumnKey) -> PropertyDescription? {
    properties.first {
      $0.columnKey == column || ($0.collection == .map && $0.mapKeys.columnKey == column)
    }
  }
}
