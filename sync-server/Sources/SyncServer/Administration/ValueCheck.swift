import ObjectStore
import Storage
import SyncProtocol

/// Compares the rows of the app's tables with the objects that they are made of.
struct ValueCheck {
  let storage: AppStorage
  private(set) var findings: [String] = []

  init(_ storage: AppStorage) { self.storage = storage }

  mutating func check(_ object: ServerObject, _ id: ObjectID) throws {
    guard let type = storage.real[id.type], let row = try storage.row(of: id) else { return }
    try check(object, .root, type, row, id.storedKey, depth: 0)
  }

  private mutating func check(
    _ object: ServerObject, _ container: ContainerID, _ type: RealSchema.RealClass,
    _ row: RowKey, _ path: String, depth: Int
  ) throws {
    // Deeper ones have no rows.
    if depth > Projection.depthMax { return }
    guard let table = try storage.snapshot.table(type.table), let position = try table.find(row)
    else { return findings.append("\(path): its row is missing") }
    for property in type.properties {
      let description = property.description
      let slot = Slot.property(property.name)
      let path = "\(path).\(description.name)"
      if description.isCollection {
        let made =
          object.container(madeBy: slot, of: container)
          ?? ContainerID(declaredBy: property.name, in: container)
        let values = try table.list(of: description, at: position)
        if try !isSame(values, object, made, description) { findings.append("\(path) differs") }
      } else if case .object = object.value(slot, of: container) {
        if depth == Projection.depthMax { continue }
        guard let made = object.container(madeBy: slot, of: container),
          let target = storage.real.type(of: description.targetTable),
          let embedded = storage.real[target],
          let child = try table.link(description.columnKey, at: position)
        else {
          findings.append("\(path) is missing")
          continue
        }
        try check(object, made, embedded, child, path, depth: depth + 1)
      } else {
        // A collection that is a value has no identity that could be compared.
        if description.kind == .any, object.value(slot, of: container)?.container != nil {
          continue
        }
        let wanted = try stored(object.value(slot, of: container), description)
        let found = try table.value(of: description, at: position)
        if !found.isIdentical(to: wanted ?? description.defaultValue) {
          findings.append("\(path) is \(found)")
        }
      }
    }
  }

  private func stored(
    _ cell: CellValue?, _ property: PropertyDescription
  ) throws -> StoredValue? {
    guard case .link(let target) = cell else { return cell?.stored(for: property) }
    guard let type = storage.real[target.type], let row = try storage.row(of: target) else {
      return nil
    }
    return .link(type.table, row)
  }

  /// Lists have the same elements in the same order, maps as many, and sets those that differ.
  private func isSame(
    _ values: ListView, _ object: ServerObject, _ container: ContainerID,
    _ property: PropertyDescription
  ) throws -> Bool {
    switch (property.collection, object.kind(of: container)) {
    case (.list, .list):
      let cells = object.elements(of: container).map {
        object.value(.item($0), of: container) ?? .null
      }
      if cells.contains(where: { $0.container != nil }) {
        return values.count == cells.count || property.kind == .any
      }
      // A link to what is not there is nothing among values of any kind, and no element of links.
      let wanted = try cells.compactMap {
        try stored($0, property) ?? (property.kind == .any ? .null : nil)
      }
      guard wanted.count == values.count else { return false }
      return try wanted.indices.allSatisfy {
        try values.value(at: $0).isIdentical(to: wanted[$0])
      }
    case (.set, .set):
      let wanted = try object.slots(of: container).compactMap { slot -> StoredValue? in
        guard case .member(let name) = slot, let cell = object.value(slot, of: container) else {
          return nil
        }
        return try stored(cell.member(named: name, in: property), property)
      }
      return try isSame(values, set: wanted, property)
    case (.map, .map):
      var count = 0
      for slot in object.slots(of: container) {
        let cell = object.value(slot, of: container)
        // A link to what is not there is null.
        if case .link = cell {
          count += 1
        } else if try cell?.container != nil || stored(cell, property) != nil {
          count += 1
        }
      }
      return values.count == count || property.kind == .any
    default: return values.count == 0
    }
  }

  /// A member and the file's may be equal and not the same, where a client of another kind has named
  /// two cells for them.
  private func isSame(
    _ values: ListView, set wanted: [StoredValue], _ property: PropertyDescription
  ) throws -> Bool {
    func name(_ value: StoredValue) -> MemberName {
      MemberName(bits: value.simplest(inSetOf: property.kind))
    }
    let all = Set(wanted.map(name))
    var found: Set<MemberName> = []
    for index in 0..<values.count { found.insert(name(try values.value(at: index))) }
    if property.kind == .any { return found.isSubset(of: all) && found.isEmpty == all.isEmpty }
    return found == all && values.count == all.count
  }
}

/// Not-a-number has itself as its name.
private struct MemberName: Hashable {
  let value: StoredValue

  init(bits value: StoredValue) {
    switch value {
    case .double(let number) where number.isNaN: self.value = .bool(false)
    case .float(let number) where number.isNaN: self.value = .bool(false)
    default: self.value = value
    }
  }
}
