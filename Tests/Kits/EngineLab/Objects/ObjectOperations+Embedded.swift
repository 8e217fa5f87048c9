import ObjectStore

// Embedded objects, which are made through their owners.
extension ObjectOperations {
  /// Makes an embedded object of the class somewhere.
  mutating func embed(_ transaction: ObjectTransaction, _ table: TableKey) throws {
    func places(_ owner: ClassDescription) -> [PropertyDescription] {
      owner.properties.filter { $0.kind == .object && $0.targetTable == table }
    }
    let owners = model.schema.classes.filter {
      !model[$0.tableKey].keys.isEmpty && !places($0).isEmpty
    }
    guard !owners.isEmpty else { return }
    let owner = owners[pick(owners.count)]
    let found = places(owner)
    let property = found[pick(found.count)]
    let key = anyKey(owner.tableKey)!
    switch property.collection {
    case .list: try changeOwningList(transaction, property, key, owner.tableKey)
    case .map: try changeMap(transaction, property, key, owner.tableKey)
    default: try setEmbedded(transaction, property, key, owner.tableKey)
    }
  }

  /// Gives a property a new embedded object.
  mutating func setEmbedded(
    _ transaction: ObjectTransaction, _ property: PropertyDescription, _ key: ObjectKey,
    _ table: TableKey
  ) throws {
    let made = try transaction.createEmbedded(property.columnKey, of: key, in: table)
    model.create(made, in: property.targetTable)
    model.set(
      property.columnKey, of: key, in: table, to: .value(.link(property.targetTable, made)))
  }

  /// Puts new embedded objects into a list.
  mutating func changeOwningList(
    _ transaction: ObjectTransaction, _ property: PropertyDescription, _ key: ObjectKey,
    _ table: TableKey
  ) throws {
    let column = property.columnKey
    var elements = model.list(column, of: key, in: table)
    if !elements.isEmpty, elements.count >= sizes.listElements || pick(3) == 0 {
      let index = pick(elements.count)
      let made = try transaction.listSetEmbedded(at: index, column, of: key, in: table)
      model.create(made, in: property.targetTable)
      elements[index] = .link(property.targetTable, made)
    } else {
      let (count, index) = (1 + pick(3), pick(elements.count + 1))
      let first = try transaction.listInsertEmbedded(
        count: count, at: index, column, of: key, in: table)
      for offset in 0..<count {
        let made = ObjectKey(rawValue: first.rawValue + Int64(offset))
        model.create(made, in: property.targetTable)
        elements.insert(.link(property.targetTable, made), at: index + offset)
      }
    }
    model.set(column, of: key, in: table, to: .list(elements))
  }
}
