import ObjectStore
import TestSupport

/// Compares what observers of single objects and lists are told with what happened.
struct ObservedComparison {
  let old: (view: StoreView, model: StoreModel)
  let new: (view: StoreView, model: StoreModel)
  let changes: ChangeSet
  let touched: Set<StoreModel.Touch>

  /// Looks at a few random objects and lists of the older version.
  func run(_ random: inout SeededGenerator) throws {
    for description in old.model.schema.classes {
      let table = description.tableKey
      let keys = old.model[table].keys
      for _ in 0..<min(2, keys.count) {
        let key = keys[random.below(keys.count)]
        try compareObject(table, key)
        for property in description.properties where property.isCollection {
          try compareList(table, key, property)
        }
      }
    }
  }

  private func compareObject(_ table: TableKey, _ key: ObjectKey) throws {
    let told = try ChangeScope(object: table).change(of: key, from: old.view, to: new.view, changes)
    let columns = Set(touched.filter { $0.table == table && $0.object == key }.map(\.column))
    var expected = ObservedObjectChange.none
    if new.model.object(key, in: table) == nil {
      expected = .deleted
    } else if !columns.isEmpty {
      expected = .changed(columns.sorted())
    }
    try require(
      told == expected,
      "the observer of [\(key.rawValue)] of table \(table.rawValue) was told \(told)")
  }

  private func compareList(
    _ table: TableKey, _ key: ObjectKey, _ property: PropertyDescription
  ) throws {
    let observed = ObservedList(owner: table, object: key, column: property.columnKey)
    let scope =
      property.kind == .object
      ? ChangeScope(elementsOf: property.targetTable, schema: old.view.schema) : nil
    let told = try observed.changes(from: old.view, to: new.view, changes, scope)
    let name = "the observer of [\(key.rawValue)].\(property.name)"
    guard new.model.object(key, in: table) != nil else {
      return try require(told == nil, "\(name) was not told that the list is gone")
    }
    guard let told else { throw Disagreement("\(name) was told that the list is gone") }
    let before = old.model.list(property.columnKey, of: key, in: table)
    let after = new.model.list(property.columnKey, of: key, in: table)
    var applied = before
    for index in told.deletions.reversed() {
      try require(applied.indices.contains(index), "\(name): deletion at \(index)")
      applied.remove(at: index)
    }
    for index in told.insertions {
      try require(index <= applied.count && index < after.count, "\(name): insertion at \(index)")
      applied.insert(after[index], at: index)
    }
    try require(
      told.modificationsOld.allSatisfy(before.indices.contains)
        && told.modificationsOld.count == told.modificationsNew.count,
      "\(name): modifications at \(told.modificationsOld)")
    for index in told.modificationsNew where applied.indices.contains(index) {
      applied[index] = after[index]
    }
    try require(applied == after, "\(name) was told \(told), from \(before) to \(after)")
  }
}
