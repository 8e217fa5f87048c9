import ObjectStore

extension ObjectOperations {
  /// One operation on a list.
  mutating func changeList(
    _ transaction: ObjectTransaction, _ property: PropertyDescription, _ key: ObjectKey,
    _ table: TableKey
  ) throws {
    if model.owns(property), pick(2) == 0 {
      return try changeOwningList(transaction, property, key, table)
    }
    let column = property.columnKey
    var elements = model.list(column, of: key, in: table)
    let count = elements.count
    var choice = pick(10)
    if count == 0 || (choice < 5 && count < sizes.listElements) { choice = pick(5) }
    switch choice {
    case 0...3:
      guard let value = try anyElement(transaction, property) else { return }
      let index = pick(count + 1)
      try transaction.listInsert(value, at: index, column, of: key, in: table)
      elements.insert(value, at: index)
    case 4:
      let values = try (0..<pick(sizes.listElements)).compactMap { _ in
        try anyElement(transaction, property)
      }
      let index = pick(2) == 0 ? count : pick(count + 1)
      try transaction.listInsert(contentsOf: values, at: index, column, of: key, in: table)
      if values.isEmpty { return }
      elements.insert(contentsOf: values, at: index)
    case 5:
      guard let value = try anyElement(transaction, property) else { return }
      let index = pick(count)
      try transaction.listSet(value, at: index, column, of: key, in: table)
      elements[index] = value
    case 6:
      let start = pick(count)
      let range = start..<min(count, start + pick(5))
      try transaction.listRemove(range, column, of: key, in: table)
      if range.isEmpty { return }
      elements.removeSubrange(range)
    case 7:
      let (from, to) = (pick(count), pick(count))
      try transaction.listMove(from: from, to: to, column, of: key, in: table)
      elements.insert(elements.remove(at: from), at: to)
    case 8:
      let (left, right) = (pick(count), pick(count))
      try transaction.listSwap(left, right, column, of: key, in: table)
      elements.swapAt(left, right)
    default:
      if pick(4) != 0 { return }
      try transaction.listClear(column, of: key, in: table)
      elements = []
    }
    model.set(column, of: key, in: table, to: .list(elements))
  }

  /// Nil for none: embedded objects are made with their place.
  private mutating func anyElement(
    _ transaction: ObjectTransaction, _ property: PropertyDescription
  ) throws -> StoredValue? {
    if model.owns(property) { return nil }
    let value = try anyValue(transaction, property)
    return value == .null && !property.isOptional ? nil : value
  }
}
