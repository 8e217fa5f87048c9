import TestSupport
import Testing

@testable import ObjectStore
@testable import Storage

/// Leaves stay reasonably full, whatever the order in which elements come.
@Suite struct LeafFillTests {
  enum Order: CaseIterable {
    case upwards
    case downwards
    /// Into gaps between full leaves: each gap at once, or one element for each in turn.
    case gapsUpwards
    case gapsDownwards
    case gapsInTurn
    /// Always into the same place.
    case inside
    case random

    /// Distinct numbers in that order.
    func numbers(_ count: Int, leaf: Int) -> [Int64] {
      let steps = Int64(count)
      // Every leaf of the first half is full, and ends before a gap.
      let base = (0..<count / 2).map { Int64($0) * steps }
      let ends = stride(from: leaf - 1, to: count / 2 - 1, by: leaf).map { base[$0] }
      let each = count / 2 / ends.count
      switch self {
      case .upwards: return (0..<count).map { Int64($0) }
      case .downwards: return (0..<count).map { Int64(-$0) }
      case .gapsUpwards:
        return base + ends.flatMap { end in (1...each).map { end + Int64($0) } }
      case .gapsDownwards:
        return base + ends.flatMap { end in (1...each).map { end + steps - Int64($0) } }
      case .gapsInTurn:
        return base + (1...each).flatMap { step in ends.map { $0 + steps - Int64(step) } }
      case .inside:
        let start = base[count / 4]
        return base + (1..<count / 2).map { start + steps - Int64($0) }
      case .random:
        var random = SeededGenerator(seed: 7)
        return (0..<count).map { Int64($0) }.shuffled(using: &random)
      }
    }
  }

  private static let limits = [
    TreeLimits(clusterRows: 8, innerChildren: 4, listElements: 8, pairEntries: 8),
    TreeLimits.standard,
  ]

  /// Leaves, and levels above them, of a tree.
  private struct Shape {
    var leaves = 0
    var depth = 0

    init(_ root: NodeReference, in source: NodeSource) throws {
      var level = [root]
      while true {
        let nodes = try level.map { try source.node($0) }
        if nodes[0].kind != .listInner, nodes[0].kind != .pairInner { break }
        level = nodes.flatMap { node in (0..<node.referenceCount).map { node.reference($0) } }
        depth += 1
      }
      leaves = level.count
    }

    func isGood(for count: Int, _ leaf: Int, _ limits: TreeLimits) -> Bool {
      // A little less than half full, and inner nodes likewise.
      var most = 1
      var levels = 0
      while most < leaves {
        most *= limits.innerChildren / 2
        levels += 1
      }
      return leaves <= count * 9 / (leaf * 4) + 4 && depth <= levels + 1
    }
  }

  private static func place(of number: Int64, in model: [Int64]) -> Int {
    var (low, high) = (0, model.count)
    while low < high {
      let middle = (low + high) / 2
      if model[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  @Test(arguments: 0..<2, Order.allCases)
  func `leaves of a list`(_ which: Int, _ order: Order) throws {
    let limits = Self.limits[which]
    let count = limits.listElements * 80
    let store = try ScratchStore()
    let writer = NodeWriter(source: store.source)
    let editor = ListTreeWriter(writer: writer, kind: .int, isOptional: false, limits: limits)
    var root = NodeReference.none
    var model: [Int64] = []
    for number in order.numbers(count, leaf: limits.listElements) {
      let place = Self.place(of: number, in: model)
      root = try editor.insert(root, at: place, .int(number))
      model.insert(number, at: place)
    }
    let list = try ListView(
      root: root, kind: .int, isOptional: false, target: TableKey(rawValue: 0),
      in: writer.source)
    #expect(try list.allValues() == model.map { .int($0) })
    let shape = try Shape(root, in: writer.source)
    #expect(shape.isGood(for: model.count, limits.listElements, limits), "\(shape)")
  }

  @Test(arguments: 0..<2, Order.allCases)
  func `leaves of an index`(_ which: Int, _ order: Order) throws {
    let limits = Self.limits[which]
    let count = limits.pairEntries * 80
    let pairs = order.numbers(count, leaf: limits.pairEntries).map { IndexPair($0, $0 & 7) }
    for isUnique in [false, true] {
      let store = try ScratchStore()
      let writer = NodeWriter(source: store.source)
      var root = NodeReference.none
      for pair in pairs {
        if isUnique {
          let result = try PairTree.insertUnique(writer, root, pair, limits: limits)
          let again = try PairTree.insertUnique(
            writer, result.root, IndexPair(pair.value, 99), limits: limits)
          guard result.existing == nil, again.existing == pair.key, again.root == result.root else {
            Issue.record("\(pair) is not found")
            return
          }
          root = result.root
        } else {
          root = try PairTree.insert(writer, root, pair, limits: limits)
        }
      }
      var iterator = PairIterator(root: root, in: writer.source)
      var found: [IndexPair] = []
      while let pair = try iterator.next() { found.append(pair) }
      #expect(found == pairs.sorted())
      for (index, pair) in found.enumerated() where index % 7 == 0 {
        let rank = try PairTree.rank(root, pair, in: writer.source)
        if rank != index { Issue.record("\(pair) has rank \(rank) instead of \(index)") }
      }
      let shape = try Shape(root, in: writer.source)
      #expect(shape.isGood(for: pairs.count, limits.pairEntries, limits), "\(shape)")
    }
  }

  /// Looks where leaves are full, and puts the next element behind one of them.
  @Test(arguments: [true, false])
  func `leaves of a list whose full ones are sought out`(isBehind: Bool) throws {
    let limits = Self.limits[0]
    let store = try ScratchStore()
    let writer = NodeWriter(source: store.source)
    let editor = ListTreeWriter(writer: writer, kind: .string, isOptional: true, limits: limits)
    var root = NodeReference.none
    var random = SeededGenerator(seed: 3)
    var count = 0
    var model: [StoredValue] = []
    while count < 2000 {
      var places: [Int] = []
      if !root.isNone {
        let list = try ListView(
          root: root, kind: .string, isOptional: true, target: TableKey(rawValue: 0),
          in: writer.source)
        var leaves = list.leaves()
        while let (vector, start) = try leaves.next() {
          if vector.count >= limits.listElements { places.append(start + vector.count) }
        }
      }
      let place = (places.randomElement(using: &random) ?? count) - (isBehind ? 0 : 1)
      let value = StoredValue.string(String(repeating: "x", count: count % 300))
      root = try editor.insert(root, at: max(0, place), value)
      model.insert(value, at: max(0, place))
      count += 1
    }
    let list = try ListView(
      root: root, kind: .string, isOptional: true, target: TableKey(rawValue: 0),
      in: writer.source)
    #expect(try list.allValues() == model)
    let shape = try Shape(root, in: writer.source)
    #expect(shape.isGood(for: count, limits.listElements, limits), "\(shape)")
  }

  /// Through commits, with what each lets go of.
  @Test(arguments: Order.allCases) func `sets and indexes`(_ order: Order) throws {
    let (table, number, numbers, words) = (
      TableKey(rawValue: 0), ColumnKey(rawValue: 0), ColumnKey(rawValue: 1),
      ColumnKey(rawValue: 2)
    )
    let limits = Self.limits[0]
    let store = try ScratchStore(limits: limits)
    let owner = try store.write { objects in
      try objects.apply(
        SchemaDescription(classes: [
          ClassDescription(
            name: "Owner",
            properties: [
              PropertyDescription(name: "number", kind: .int, isIndexed: true),
              PropertyDescription(name: "numbers", kind: .int, collection: .set),
              PropertyDescription(name: "words", kind: .string, collection: .set),
            ])
        ]))
      return try objects.createObject(in: table)
    }
    let all = order.numbers(400, leaf: limits.listElements)
    for start in stride(from: 0, to: all.count, by: 13) {
      try store.write { objects in
        for value in all[start..<min(start + 13, all.count)] {
          try objects.setInsert([.int(value)], numbers, of: owner, in: table)
          let word = String(value) + String(repeating: "-", count: value % 50 == 0 ? 300 : 3)
          try objects.setInsert([.string(word)], words, of: owner, in: table)
          let object = try objects.createObject(in: table)
          try objects.setInt(value, number, of: object, in: table)
        }
      }
    }
    store.expectSound()
    try store.write { objects in
      for value in all.dropLast(5) {
        try objects.setRemove([.int(value)], numbers, of: owner, in: table)
      }
    }
    store.expectSound()
  }
}
