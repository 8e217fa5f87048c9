import ObjectStore
import Storage
import SyncProtocol

// Reading the program's data as cells.
extension RealmClientStorage {
  /// The value of a property, a key or a member.
  public func value(
    _ slot: Slot, of container: ContainerID, in id: ObjectID
  ) -> CellValue? {
    attempt(nil) { () throws(StorageError) in
      guard let spot = try spot(container, in: id) else { return nil }
      let links = try entry(id).places.dangling
      switch (slot, spot) {
      case (.property(let name), .object(let table, let row)):
        if let target = links.target(of: container, .property(name)) { return .link(target) }
        return try property(name, of: row, in: table)
      case (.key(let key), .collection(let table, let row, let property)):
        if let target = links.target(of: container, .key(key)) { return .link(target) }
        guard property.collection == .map else { return nil }
        let map = try writes.map(property, of: row, in: table)
        guard let value = try map.value(of: key.string) else { return nil }
        return try cell(value) ?? .null
      case (.member(let member), .collection(let table, let row, let property)):
        guard property.collection == .set else { return nil }
        if case .link(let target) = member, links.hasMember(target, container) {
          return .bool(true)
        }
        return try self.member(named: member, property, of: row, in: table)?
          .cell.memberValue(named: member)
      default: return nil
      }
    }
  }

  /// The member of that name, as it is there, and where in the set.
  func member(
    named name: CellValue, _ property: PropertyDescription, of row: ObjectStore.ObjectKey,
    in table: TableKey
  ) throws(StorageError) -> (index: Int, cell: CellValue)? {
    guard case .value(let value) = try content(name, for: property) else { return nil }
    let set = try writes.list(property.columnKey, of: row, in: table)
    let (index, isFound) = try SetOrder.place(of: value, in: set)
    var places = isFound ? [index] : []
    // A cell's date is in whole nanoseconds, that in the file may be just before or after it.
    if case .date = name { places = [index, index - 1] }
    for place in places where (0..<set.count).contains(place) {
      let cell = try cell(try set.value(at: place)) ?? name
      if cell.memberName(in: property) == name { return (place, cell) }
    }
    return nil
  }

  private func property(
    _ name: NameID, of row: ObjectStore.ObjectKey, in table: TableKey
  ) throws(StorageError) -> CellValue? {
    guard let property = try layout.classes[table]?.properties[name] else { return nil }
    switch property.collection {
    case .list: return .list
    case .set: return .set
    case .map: return .map
    case .none: break
    }
    let stored = try writes.table(table)
    guard let position = try stored.find(row) else { return nil }
    return try cell(try stored.value(of: property, at: position)) ?? .null
  }

  /// The cells of a container that have values.
  public func slots(of container: ContainerID, in id: ObjectID) -> [Slot] {
    attempt([]) { () throws(StorageError) in
      let hidden = try entry(id).places.dangling.holders[container]
      var slots: [Slot] = (hidden?.members ?? []).map { .member(.link($0)) }
      for case .property(let name) in (hidden?.cells ?? [:]).keys {
        slots.append(.property(name))
      }
      switch try spot(container, in: id) {
      case nil: return []
      case .object(let table, let row):
        slots += try properties(of: row, in: table)
        // A collection that took the place of the declared one is the property's value.
        let properties = try layout.classes[table]?.properties
        for case .property(let name, container) in try entry(id).places.made.values
        where properties?[name]?.isCollection == true {
          slots.append(.property(name))
        }
      case .collection(let table, let row, let property):
        switch property.collection {
        case .set:
          let set = try writes.list(property.columnKey, of: row, in: table)
          for value in try set.allValues() {
            guard let cell = try cell(value) else { continue }
            // Two dates within a nanosecond are one cell.
            let slot = Slot.member(cell.memberName(in: property))
            if slots.last != slot { slots.append(slot) }
          }
        case .map:
          let map = try writes.map(property, of: row, in: table)
          for case .string(let key) in try map.keys.allValues() { slots.append(.key(Text(key))) }
        case .list, .none: break
        }
      }
      return slots
    }
  }

  /// Properties that do not have their defaults.
  private func properties(
    of row: ObjectStore.ObjectKey, in table: TableKey
  ) throws(StorageError) -> [Slot] {
    guard let known = try layout.classes[table] else { return [] }
    let stored = try writes.table(table)
    guard let position = try stored.find(row) else { return [] }
    var slots: [Slot] = []
    for (name, property) in known.properties where !property.isCollection {
      let value = try stored.value(of: property, at: position)
      if !value.isIdentical(to: property.defaultValue) { slots.append(.property(name)) }
    }
    return slots
  }

  /// The value of an element of a list.
  public func item(_ index: Int, of container: ContainerID, in id: ObjectID) -> CellValue {
    attempt(.null) { () throws(StorageError) in
      let links = try entry(id).places.dangling
      if let target = links.itemTarget(index, of: container) { return .link(target) }
      guard case .collection(let table, let row, let property) = try spot(container, in: id),
        property.collection == .list
      else { return .null }
      let list = try writes.list(property.columnKey, of: row, in: table)
      let place = index - links.missingItems(before: index, of: container)
      guard place < list.count else {
        throw .unsoundSync(writes.source.path, "a list is shorter than its state")
      }
      return try cell(try list.value(at: place)) ?? .null
    }
  }
}
