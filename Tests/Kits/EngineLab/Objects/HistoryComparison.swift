import ObjectStore
import Storage

/// Compares what the history says happened between two versions with what happened.
public enum HistoryComparison {
  /// Reads the history of `newer` after `older` and throws `Disagreement` unless it covers exactly
  /// that and tells what `touched` and the two models do.
  public static func requireEqual(
    from older: (snapshot: Snapshot, model: StoreModel),
    to newer: (snapshot: Snapshot, model: StoreModel), touched: Set<StoreModel.Touch>
  ) throws {
    let changes = try changes(from: older.snapshot, to: newer.snapshot)
    func properties(_ model: StoreModel) -> [[PropertyDescription]] {
      // The classes of lists and maps among values are the file's own.
      model.schema.classes.filter { !$0.isNestedCollection }.map(\.properties)
    }
    if properties(older.model) != properties(newer.model) {
      try require(changes.schemaChanged, "a change of the schema is not told")
    }
    for description in newer.model.schema.classes {
      let table = description.tableKey
      let old =
        Int(table.rawValue) < older.model.tables.count ? older.model[table] : StoreModel.Table()
      let told = changes.changes(in: table)
      do {
        try compare(told, old, newer.model[table], touched.filter { $0.table == table })
      } catch let disagreement as Disagreement {
        throw Disagreement(
          "history \(older.snapshot.version)...\(newer.snapshot.version) of"
            + " \(description.name): \(disagreement.description)")
      }
    }
  }

  /// The merged history, whose entries must follow one another from one version to the other.
  static func changes(from older: Snapshot, to newer: Snapshot) throws -> ChangeSet {
    var changes = ChangeSet()
    var place = older.version
    for entry in try newer.historyEntries(after: older.version) {
      try require(entry.from == place, "an entry from \(entry.from), expected from \(place)")
      place = entry.to
      unsafe changes.merge(
        try entry.bytes.withUnsafeBytes {
          try unsafe ChangeSet(decoding: $0, path: newer.database.path)
        })
    }
    try require(
      place == newer.version || older.version == newer.version,
      "the history ends with \(place), expected \(newer.version)")
    let again = try unsafe changes.encoded().withUnsafeBytes {
      try unsafe ChangeSet(decoding: $0, path: "")
    }
    try require(again.encoded() == changes.encoded(), "encoding changes a history")
    return changes
  }

  private static func compare(
    _ told: TableChanges?, _ old: StoreModel.Table, _ new: StoreModel.Table,
    _ touched: Set<StoreModel.Touch>
  ) throws {
    let inserted = new.keys.filter { old.objects[$0] == nil }
    let deleted = old.keys.filter { new.objects[$0] == nil }
    try require(told.map { Array($0.insertions) } ?? [] == inserted, "insertions")
    try require(told.map { Array($0.deletions) } ?? [] == deleted, "deletions")
    let stayed = touched.filter { old.objects[$0.object] != nil && new.objects[$0.object] != nil }
    var expected: [ColumnKey: [ObjectKey]] = [:]
    for touch in stayed { expected[touch.column, default: []].append(touch.object) }
    let columns = Set(expected.keys).union(told?.modifications.map(\.column) ?? [])
    for column in columns {
      let objects = told.map { Array($0.objects(modifiedIn: column)) } ?? []
      try require(
        objects == (expected[column] ?? []).sorted(),
        "modifications of column \(column.rawValue): \(objects.map(\.rawValue))")
    }
    for touch in stayed {
      guard case .list(let now)? = new.objects[touch.object]?[touch.column] else { continue }
      var was: [StoredValue] = []
      if case .list(let elements)? = old.objects[touch.object]?[touch.column] { was = elements }
      guard let change = told?.listChange(of: touch.object, touch.column) else {
        throw Disagreement("nothing is told of list \(touch)")
      }
      try compare(change, was, now)
    }
  }

  /// Operations must lead from the old list to the new one, given the values put in.
  private static func compare(
    _ change: ListChange, _ old: [StoredValue], _ new: [StoredValue]
  ) throws {
    guard case .operations(let operations) = change else { return }
    // An element of the old list by its value, one that was put in or replaced by nil.
    var elements: [StoredValue?] = old
    for operation in operations {
      switch operation {
      case .insert(let index, let count):
        try require(index <= elements.count, "an insertion at \(index)")
        elements.insert(contentsOf: Array(repeating: nil, count: count), at: index)
      case .remove(let index, let count):
        try require(index + count <= elements.count, "a removal at \(index)")
        elements.removeSubrange(index..<(index + count))
      case .set(let index):
        try require(index < elements.count, "a replacement at \(index)")
        elements[index] = nil
      case .move(let from, let to):
        try require(max(from, to) < elements.count, "a move from \(from) to \(to)")
        elements.insert(elements.remove(at: from), at: to)
      case .swap(let left, let right):
        try require(max(left, right) < elements.count, "a swap of \(left) and \(right)")
        elements.swapAt(left, right)
      case .clear: elements = []
      }
    }
    try require(
      elements.count == new.count && zip(elements, new).allSatisfy { $0 == nil || $0 == $1 },
      "operations \(operations) do not lead from \(old) to \(new)")
  }
}
