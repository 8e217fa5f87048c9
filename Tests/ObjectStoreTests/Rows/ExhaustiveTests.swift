import Testing

@testable import ObjectStore
@testable import Storage

/// Everything that can happen around the borders of small nodes.
@Suite struct RowsExhaustiveTests {
  let table = TableKey(rawValue: 0)

  private func schema() -> SchemaDescription {
    SchemaDescription(classes: [
      ClassDescription(
        name: "Row",
        properties: [
          PropertyDescription(name: "number", kind: .int, isIndexed: true),
          PropertyDescription(name: "text", kind: .string, isOptional: true),
          PropertyDescription(name: "list", kind: .int, collection: .list),
        ])
    ])
  }

  private let number = ColumnKey(rawValue: 0)
  private let text = ColumnKey(rawValue: 1)
  private let list = ColumnKey(rawValue: 2)

  /// Every subset of nine objects is deleted, by clusters of two, three and four and by three
  /// orders, and then more are added.
  @Test(arguments: [2, 3, 4, 5]) func everySubsetOfObjectsCanBeDeleted(_ rows: Int) throws {
    let limits = TreeLimits(
      clusterRows: rows, innerChildren: 4, listElements: 4, pairEntries: 4)
    let store = try ScratchStore(limits: limits)
    let keys = try store.write { transaction -> [ObjectKey] in
      try transaction.apply(schema())
      return try (0..<9).map { index in
        let key = try transaction.createObject(in: table)
        try transaction.setInt(Int64(index % 3), number, of: key, in: table)
        if index % 2 == 0 { try transaction.setString("\(index)", text, of: key, in: table) }
        return key
      }
    }
    for subset in 0..<512 {
      let gone = keys.enumerated().filter { subset >> $0.offset & 1 == 1 }.map(\.element)
      let order = subset % 3 == 0 ? gone : subset % 3 == 1 ? gone.reversed() : gone.shuffled()
      let transaction = try store.begin()
      for key in order { try transaction.deleteObject(key, in: table) }
      let left = keys.filter { !gone.contains($0) }
      try expect(transaction, left, numbers: { $0.rawValue % 3 })
      let added = try (0..<rows).map { _ in try transaction.createObject(in: table) }
      try expect(
        transaction, left + added, numbers: { $0.rawValue < 9 ? $0.rawValue % 3 : 0 })
    }
  }

  private func expect(
    _ transaction: ObjectTransaction, _ keys: [ObjectKey], numbers: (ObjectKey) -> Int64
  ) throws {
    let stored = try transaction.table(table)
    try #require(stored.count == keys.count)
    for (index, key) in keys.enumerated() {
      let position = try stored.position(at: index)
      try #require(position.key == key)
      try #require(try stored.index(of: key) == index)
      let found = try #require(try stored.find(key))
      try #require(try stored.int(number, at: found) == numbers(key))
      let expected = key.rawValue < 9 && key.rawValue % 2 == 0 ? "\(key.rawValue)" : nil
      try #require(try stored.optionalString(text, at: position) == expected)
    }
    let findings = StoreCheck.findings(root: transaction.tables.root, in: transaction.source)
    try #require(findings == [])
  }

  /// Every sequence of six insertions and removals at every place of a list whose nodes hold two.
  @Test func everyShortSequenceOfListChangesHolds() throws {
    let limits = TreeLimits(clusterRows: 4, innerChildren: 4, listElements: 2, pairEntries: 4)
    let store = try ScratchStore(limits: limits)
    let key = try store.write { transaction -> ObjectKey in
      try transaction.apply(schema())
      let key = try transaction.createObject(in: table)
      try transaction.listInsert(
        contentsOf: (0..<5).map { .int($0) }, at: 0, list, of: key, in: table)
      return key
    }
    var sequences = 0
    func explore(_ operations: [Int], depth: Int) throws {
      let transaction = try store.begin()
      var model: [Int64] = [0, 1, 2, 3, 4]
      for (number, operation) in operations.enumerated() {
        if operation >= 0 {
          let value = Int64(10 + number)
          try transaction.listInsert(.int(value), at: operation, list, of: key, in: table)
          model.insert(value, at: operation)
        } else {
          try transaction.listRemove(
            (-operation - 1)..<(-operation), list, of: key, in: table)
          model.remove(at: -operation - 1)
        }
      }
      let view = try transaction.list(list, of: key, in: table)
      try #require(view.count == model.count)
      for (index, value) in model.enumerated() { try #require(try view.int(at: index) == value) }
      try #require(StoreCheck.findings(root: transaction.tables.root, in: transaction.source) == [])
      sequences += 1
      if depth == 0 { return }
      for index in 0...model.count { try explore(operations + [index], depth: depth - 1) }
      for index in 0..<model.count { try explore(operations + [-index - 1], depth: depth - 1) }
    }
    try explore([], depth: 3)
    #expect(sequences > 1000)
  }

  /// Every order of putting seven entries into an index, two of them with an equal value.
  @Test func everyOrderOfIndexEntriesHolds() throws {
    let store = try ScratchStore()
    let limits = TreeLimits(clusterRows: 4, innerChildren: 4, listElements: 4, pairEntries: 4)
    let pairs = [3, 3, -100, 70_000, 0, 1, 9].enumerated().map {
      IndexPair(Int64($0.element), Int64($0.offset))
    }
    let sorted = pairs.sorted()
    func visit(_ order: [IndexPair], _ rest: [IndexPair]) throws {
      if !rest.isEmpty {
        for index in rest.indices {
          var others = rest
          let next = others.remove(at: index)
          try visit(order + [next], others)
        }
        return
      }
      let writer = NodeWriter(source: store.source)
      var root = NodeReference.none
      for pair in order { root = try PairTree.insert(writer, root, pair, limits: limits) }
      try #require(try entries(root, writer) == sorted)
      for (index, pair) in sorted.enumerated() {
        try #require(try PairTree.rank(root, pair, in: writer.source) == index)
        try #require(try PairTree.pair(root, at: index, in: writer.source) == pair)
      }
      for (number, pair) in order.enumerated() {
        root = try #require(try PairTree.remove(writer, root, pair, limits: limits))
        let left = sorted.filter { order[(number + 1)...].contains($0) }
        try #require(try entries(root, writer) == left)
        try #require(try PairTree.remove(writer, root, pair, limits: limits) == nil)
      }
      try #require(root.isNone)
    }
    try visit([], pairs)
  }

  private func entries(_ root: NodeReference, _ writer: NodeWriter) throws -> [IndexPair] {
    var iterator = PairIterator(root: root, in: writer.source)
    var pairs: [IndexPair] = []
    while let pair = try iterator.next() { pairs.append(pair) }
    return pairs
  }
}
